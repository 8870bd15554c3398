"""A search on its way through the gates."""

from collections.abc import Callable

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict, Treatment
from limen.core.ports import SearchProvider
from limen.core.web import SearchAnswer, SearchRequest, SearchSource
from limen.kit.pipeline import Gate, Proceed
from limen.web.trace import Trace

# The provider that asks nobody outside.
LIBRARY = "library"
# Codes of a call that is over: nobody else is asked.
GIVEN_UP = frozenset({"web.interrupted", "web.timeout"})


class SearchCall(msgspec.Struct, frozen=True):
    """A search with its circumstances. `provider` is set by the gate `resolve`, which also says whether it may be rescued.

    Where hits may be kept out, its request asks for so many `spare` ones more than the caller did. `trace` is where steps note
    what they took, None while nobody wants to know.
    """

    request: SearchRequest
    context: CallContext
    provider: SearchProvider | None = None
    verdicts: tuple[GateVerdict, ...] = ()
    may_be_rescued: bool = False
    spare: int = 0
    trace: Trace | None = None

    @property
    def limit(self) -> int:
        """How many hits the caller wants."""
        return self.request.limit - self.spare

    def passed(self, verdict: GateVerdict) -> "SearchCall":
        return msgspec.structs.replace(self, verdicts=(*self.verdicts, verdict))

    def to(self, provider: SearchProvider, *, may_be_rescued: bool = False) -> "SearchCall":
        """The call as this provider is asked it."""
        verdict = GateVerdict("resolve", "allow", f"resolve.{provider.name}")
        return msgspec.structs.replace(self.passed(verdict), provider=provider, may_be_rescued=may_be_rescued)

    @property
    def asked(self) -> SearchProvider:
        """Who is asked, inside the gate `resolve`."""
        if self.provider is None:
            raise AssertionError("the gate `resolve` stands outside of this")
        return self.provider


SearchGate = Gate[SearchCall, SearchAnswer]
SearchProceed = Proceed[SearchCall, SearchAnswer]
SearchShaper = Callable[[SearchAnswer, SearchRequest], SearchAnswer]


def refused(refusal: Refusal, call: SearchCall | None = None, provider: str = "") -> SearchAnswer:
    """The answer that is a refusal, with the refusing gate's verdict behind those the call had passed."""
    gates = (*(call.verdicts if call else ()), GateVerdict(refusal.gate or provider, "refuse", refusal.code))
    named = refusal if refusal.gate else msgspec.structs.replace(refusal, gate=provider)
    return SearchAnswer((), SearchSource(provider), named, Treatment(gates=gates))
