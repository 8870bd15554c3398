"""A page that was read before, past the gates once more: what holds now holds for it, though nothing is fetched."""

from collections.abc import Callable

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict
from limen.core.web import ExtractAnswer, Extraction, Unread
from limen.kit.pipeline import pipeline
from limen.web.call import ExtractCall, came_from
from limen.web.extract import ReadingParts, wanted_of
from limen.web.mode import switched_off

# Those of a page that speak of its address, outermost first.
REVISIT_GATES = ("secrets", "network", "policy", "permission")


class Revisit:
    """Asks an extractor's own gates, as they are now, about the address a kept page was asked for at and where it came from."""

    def __init__(self, parts: Callable[[], ReadingParts]) -> None:
        self._parts = parts

    async def judge(self, requested: str, final_url: str, context: CallContext) -> tuple[GateVerdict, ...] | Refusal:
        """The gates that were passed, or the first one's refusal. A kept page may be shown in every mode but `off`."""
        parts = self._parts()
        if (refusal := switched_off(parts.rules.mode)) is not None:
            return refusal
        wanted = wanted_of(requested, parts.rules.max_url_chars)
        if isinstance(wanted, Unread):
            return wanted.refusal

        async def kept(call: ExtractCall) -> ExtractAnswer:
            return ExtractAnswer(tuple(came_from(one, final_url) for one in call.wanted))

        gates = [parts.gates[name] for name in REVISIT_GATES if name in parts.gates]
        answer = await pipeline(gates, kept)(ExtractCall((wanted,), Extraction((requested,)), context))
        if answer.refusal is not None:
            return answer.refusal
        (entry,) = answer.entries
        return entry.refusal if isinstance(entry, Unread) else entry.treatment.gates
