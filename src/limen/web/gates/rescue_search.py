"""Gate: when the chosen provider fails, the free ones are asked once, and whoever helps is named.

As with pages: it can be switched off, leaves out whatever is pinned to its paid tier, and keeps no state.
"""

import msgspec

from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict
from limen.core.ports import SearchProvider
from limen.core.waiting import given_up, unfinished
from limen.core.web import SearchAnswer
from limen.web.log_lines import Say, unsaid
from limen.web.ring import CAUSE_CHARS, Ring, told
from limen.web.search_call import GIVEN_UP, SearchCall, SearchGate, SearchProceed, refused

# No failures of who was asked: the mode lets nobody be asked, or this vendor does not search for that.
NO_FAILURE = frozenset({*GIVEN_UP, "web.mode", "search.unsupported"})


def search_rescue_gate(ring: Ring[SearchProvider], *, enabled: bool, eligible: frozenset[str], say: Say = unsaid) -> SearchGate:
    """The gate. Only a failure of one of `eligible`, by name, is a case for the ring."""

    async def gate(call: SearchCall, proceed: SearchProceed) -> SearchAnswer:
        answer = await proceed(call)
        failure = answer.refusal
        if failure is None or failure.code in NO_FAILURE:
            return answer
        if not enabled or not call.may_be_rescued or call.asked.name not in eligible:
            return answer
        said: dict[str, Refusal] = {}
        helped = await _walk(ring, call, said, proceed)
        if helped is None:
            return _with_rescue(answer, failure, {**ring.nobody(), **{name: told(one) for name, one in said.items()}})
        if helped.refusal is not None:
            return helped
        say("rescue.rescued", call.request.query, f"{helped.source.provider} answered for {call.asked.name} [{failure.code}]")
        return _marked(helped, call.asked.name, failure, tuple(f"{name}: {one.code}" for name, one in said.items()))

    return gate


async def _walk(
    ring: Ring[SearchProvider], call: SearchCall, said: dict[str, Refusal], proceed: SearchProceed
) -> SearchAnswer | None:
    """The answer of the first who has one, or that the call was given up; `said` gets what everybody else said."""
    for member in ring.walk(call.context.session, call.asked.name):
        if (stopped := given_up(call.context)) is not None:
            return refused(unfinished(member.name, stopped), call)
        answer = await proceed(msgspec.structs.replace(call, provider=member))
        if answer.refusal is None or answer.refusal.code in GIVEN_UP:
            return answer
        said[member.name] = answer.refusal
    return None


def _with_rescue(answer: SearchAnswer, failure: Refusal, said: dict[str, str]) -> SearchAnswer:
    """The chosen provider's own error, with what everybody else said."""
    if not said:
        return answer
    detail = {**failure.detail, "rescue": said}
    return msgspec.structs.replace(answer, refusal=msgspec.structs.replace(failure, detail=detail))


def _marked(answer: SearchAnswer, failed: str, failure: Refusal, others: tuple[str, ...]) -> SearchAnswer:
    source = msgspec.structs.replace(
        answer.source,
        rescued_from=failed,
        rescue_cause=failure.reason[:CAUSE_CHARS],
        engines_failed=(f"{failed}: {failure.code}", *others, *answer.source.engines_failed),
    )
    gates = (*answer.treatment.gates, GateVerdict("rescue", "changed", "rescue.rescued"))
    treatment = msgspec.structs.replace(answer.treatment, gates=gates, rescued_from=failed)
    return msgspec.structs.replace(answer, source=source, treatment=treatment)
