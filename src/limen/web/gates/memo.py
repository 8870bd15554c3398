"""Gate: a search made lately is not made again. It stands inside every control: a hit saves the vendor's call and no check."""

import hashlib
from functools import partial

import anyio.to_thread
import msgspec

from limen.core.ledger import GateVerdict, Treatment
from limen.core.web import Location, SearchAnswer, SearchRequest
from limen.kit.clock import Clock, wall_s
from limen.kit.flights import Flights
from limen.web.cache.answers import AnswerCache, KeptAnswer
from limen.web.log_lines import Say, unsaid
from limen.web.search_call import LIBRARY, SearchCall, SearchProceed


class MemoRules(msgspec.Struct, frozen=True):
    """What an operator sets: whether and for how long answers are kept, and from where is searched, which changes them."""

    enabled: bool = True
    ttl_s: float = 20 * 60.0
    location: Location = Location()


class MemoGate:
    """Answers what is new enough, and keeps what came back. Equal searches at one time are made once.

    The library is not kept, since it is at hand and changes; a search that wants pages as they are now is always made. `flights`
    are the searches under way, shared with the gates that come after this one when settings change.
    """

    def __init__(
        self,
        answers: AnswerCache,
        rules: MemoRules,
        say: Say = unsaid,
        clock: Clock = wall_s,
        flights: Flights[str] | None = None,
    ) -> None:
        self._answers = answers
        self._rules = rules
        self._say = say
        self._clock = clock
        self._flights: Flights[str] = flights if flights is not None else Flights()

    async def __call__(self, call: SearchCall, proceed: SearchProceed) -> SearchAnswer:
        provider, request = call.asked.name, call.request
        if not self._rules.enabled or request.live or provider == LIBRARY:
            return await proceed(call)
        # Spare hits come and go with the settings; what was kept before they changed is judged by them all the same.
        wanted = msgspec.structs.replace(request, limit=call.limit)
        digest = memo_digest(wanted, provider, self._rules.location)
        async with self._flights.alone([digest]):
            kept = await anyio.to_thread.run_sync(self._answers.get, digest, provider)
            age_s = self._clock() - kept.given_at_s if kept is not None else 0.0
            if kept is not None and age_s < self._rules.ttl_s:
                self._say("memo.hit", request.query, f"{provider} answered {age_s:.0f} s ago")
                return _hit(kept.answer, max(age_s, 0.0), call)
            answer = await proceed(call.passed(_MISS))
            if _lasting(answer):
                kept = KeptAnswer(msgspec.structs.replace(answer, treatment=Treatment()), self._clock())
                await anyio.to_thread.run_sync(partial(self._answers.put, digest, provider, kept))
            return answer


def memo_digest(request: SearchRequest, provider: str, location: Location) -> str:
    """What makes two searches the same: who is asked, the words (white space folded, case kept), the limit and every filter."""
    same = msgspec.structs.replace(
        request,
        query=" ".join(request.query.split()),
        allowed_domains=tuple(sorted(set(request.allowed_domains))),
        blocked_domains=tuple(sorted(set(request.blocked_domains))),
        provider=provider,
    )
    return hashlib.sha256(repr((same, location)).encode("utf-8", "surrogatepass")).hexdigest()


def _lasting(answer: SearchAnswer) -> bool:
    """Whether an answer may be given again: no failure, no rescue, and not empty because somebody failed."""
    source = answer.source
    return answer.refusal is None and source.rescued_from is None and bool(answer.hits or not source.engines_failed)


def _hit(answer: SearchAnswer, age_s: float, call: SearchCall) -> SearchAnswer:
    age_s = round(age_s, 1)
    treatment = Treatment(gates=(*call.verdicts, _HIT), cached=True, age_s=age_s)
    # What it took was counted when it was given.
    source = msgspec.structs.replace(answer.source, cached=True, age_s=age_s, usage=None)
    return msgspec.structs.replace(answer, source=source, treatment=treatment)


_HIT = GateVerdict("memo", "hit", "memo.hit")
_MISS = GateVerdict("memo", "miss")
