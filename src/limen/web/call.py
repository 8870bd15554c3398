"""An extract call on its way through the gates, and the one way a gate judges its entries."""

from collections.abc import Awaitable, Callable
from functools import partial

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict, Treatment
from limen.core.ports import ExtractProvider
from limen.core.waiting import Stopped, each_within, unfinished
from limen.core.web import Entry, ExtractAnswer, Extraction, Fetched, Page, Unread
from limen.kit.pipeline import Gate, Proceed
from limen.web.trace import Trace


class Wanted(msgspec.Struct, frozen=True):
    """One page of a call and what the gates have said of it so far. `url` is normalised, `requested` is as given."""

    requested: str
    url: str
    verdicts: tuple[GateVerdict, ...] = ()

    def passed(self, gate: str, verdict: GateVerdict | None = None) -> "Wanted":
        return msgspec.structs.replace(self, verdicts=(*self.verdicts, verdict or GateVerdict(gate, "allow")))


class ExtractCall(msgspec.Struct, frozen=True):
    """A batch of pages with its circumstances. `provider` is set by the gate `resolve`, which also says whether a failure may
    be rescued, and who was `asked` for these pages before. `trace` notes what each gate took, where somebody wants to know."""

    wanted: tuple[Wanted, ...]
    extraction: Extraction
    context: CallContext
    provider: ExtractProvider | None = None
    may_be_rescued: bool = True
    asked: tuple[str, ...] = ()
    trace: Trace | None = None

    @property
    def reader(self) -> ExtractProvider:
        """Who reads, inside the gate `resolve`."""
        if self.provider is None:
            raise AssertionError("the gate `resolve` stands outside of this")
        return self.provider

    def place_of(self, wanted: Wanted) -> tuple[int, int]:
        """A page's place from 1 and the number of places as the caller counts them: with those named twice and those refused."""
        asked = [one.requested for one in self.wanted]
        urls = self.extraction.urls if wanted.requested in self.extraction.urls else asked
        return urls.index(wanted.requested) + 1, len(urls)


# As many names as are looked up at a time.
_JUDGED_AT_ONCE = 16
ExtractGate = Gate[ExtractCall, ExtractAnswer]
ExtractProceed = Proceed[ExtractCall, ExtractAnswer]
Judge = Callable[[Wanted, ExtractCall], Awaitable[Wanted | Refusal]]
JudgeFinal = Callable[[Fetched, ExtractCall], Awaitable[Refusal | None]]


def unread(wanted: Wanted, refusal: Refusal) -> Unread:
    """A refused entry, with the refusing gate's verdict behind those it had passed."""
    return unread_behind(wanted.requested, refusal, wanted.verdicts)


def unread_behind(requested: str, refusal: Refusal, passed: tuple[GateVerdict, ...]) -> Unread:
    """An entry that was refused behind the gates it had passed."""
    told = msgspec.structs.replace(refusal, passed=passed)
    return Unread(requested, told, Treatment(gates=told.verdicts()))


def came_from(wanted: Wanted, final_url: str) -> Fetched:
    """A page as far as gates look at it again on the way out: where it came from in the end, behind the gates it has passed."""
    return Fetched.whole(wanted.requested, Page(url=final_url), "", "", Treatment(gates=wanted.verdicts))


def per_entry(judge: Judge, judge_final: JudgeFinal | None = None, *, waits: bool = False) -> ExtractGate:
    """A gate that judges entries one by one: on the way in, and with `judge_final` the page's final address on the way out.

    Where a judgement `waits` for others, the entries are judged side by side, and those that are not when the call ends are
    refused as unfinished. Refused entries keep their places. Raises AssertionError when what lies inside loses or adds an entry.
    """

    async def gate(call: ExtractCall, proceed: ExtractProceed) -> ExtractAnswer:
        verdicts = await _side_by_side(judge, call) if waits else [await judge(wanted, call) for wanted in call.wanted]
        onward = tuple(verdict for verdict in verdicts if isinstance(verdict, Wanted))
        answer = await proceed(msgspec.structs.replace(call, wanted=onward)) if onward else ExtractAnswer()
        if answer.refusal is not None:
            return answer
        if len(answer.entries) != len(onward):
            raise AssertionError(f"{len(onward)} pages went on, {len(answer.entries)} came back")
        inside = iter([await _looked_at_again(entry, call, judge_final) for entry in answer.entries])
        entries = [
            unread(wanted, verdict) if isinstance(verdict, Refusal) else next(inside)
            for wanted, verdict in zip(call.wanted, verdicts, strict=True)
        ]
        return ExtractAnswer(tuple(entries))

    return gate


async def _side_by_side(judge: Judge, call: ExtractCall) -> list[Wanted | Refusal]:
    judging = {index: partial(judge, wanted, call) for index, wanted in enumerate(call.wanted)}
    judged = await each_within(judging, call.context, at_once=_JUDGED_AT_ONCE)
    return [unfinished("network", one) if isinstance(one, Stopped) else one for one in judged.values()]


async def _looked_at_again(entry: Entry, call: ExtractCall, judge_final: JudgeFinal | None) -> Entry:
    if judge_final is None or isinstance(entry, Unread):
        return entry
    refusal = await judge_final(entry, call)
    if refusal is None:
        return entry
    return unread_behind(entry.requested, refusal, entry.treatment.gates)
