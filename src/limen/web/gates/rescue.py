"""Gate: when the chosen reader fails a whole batch, the free readers are asked once, and whoever helps is named.

A rescue sends the addresses to vendors that nobody chose, so it can be switched off, leaves out whatever is pinned to its paid
tier, and marks each page with the reader that failed and why. It keeps no state: the next call begins with the chosen reader.
"""

import msgspec

from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict
from limen.core.ports import ExtractProvider
from limen.core.waiting import given_up
from limen.core.web import Entry, ExtractAnswer, Fetched, Unread
from limen.web.call import ExtractCall, ExtractGate, ExtractProceed, Wanted
from limen.web.ring import CAUSE_CHARS, Ring, told

# What a reader found out about a page, rather than a failure of its own: another reader would find the same.
OF_THE_PAGE = frozenset({
    "reader.empty_page", "reader.frames", "reader.not_found", "reader.parked", "reader.redirect", "reading.unsupported",
    "network.too_large",
})  # fmt: skip
# Walls that stand before everybody who has no account; nobody is asked to get around them.
_WALLS_OF_THE_PAGE = frozenset({"login", "paywall"})


def rescue_gate(ring: Ring[ExtractProvider], *, enabled: bool, eligible: frozenset[str]) -> ExtractGate:
    """The gate. Only a failure of one of `eligible`, by name, is a case for the ring."""

    async def gate(call: ExtractCall, proceed: ExtractProceed) -> ExtractAnswer:
        answer = await proceed(call)
        if not enabled or not call.may_be_rescued or call.reader.name not in eligible or not _lost(answer):
            return answer
        return await _rescued(answer, call, ring, proceed)

    return gate


def _lost(answer: ExtractAnswer) -> bool:
    """Whether the whole batch failed, and by the reader's fault."""
    refusals = [entry.refusal for entry in answer.entries if isinstance(entry, Unread)]
    if not refusals or len(refusals) < len(answer.entries) or any(one.code == "web.interrupted" for one in refusals):
        return False
    return not all(one.code in OF_THE_PAGE or one.detail.get("kind") in _WALLS_OF_THE_PAGE for one in refusals)


async def _rescued(
    answer: ExtractAnswer, call: ExtractCall, ring: Ring[ExtractProvider], proceed: ExtractProceed
) -> ExtractAnswer:
    failed = call.reader.name
    said = ring.nobody()
    asked: list[str] = []
    for member in ring.walk(call.context.session, failed):
        if member.name in call.asked:
            continue
        if given_up(call.context) is not None:
            break
        tried = await proceed(msgspec.structs.replace(call, provider=member))
        if any(isinstance(entry, Fetched) for entry in tried.entries):
            pairs = zip(call.wanted, answer.entries, tried.entries, strict=True)
            return ExtractAnswer(tuple(_marked(wanted, first, second, failed, said, asked) for wanted, first, second in pairs))
        refusal = _refusal(tried)
        said[member.name] = told(refusal)
        asked.append(f"{member.name}: {refusal.code}")
    return ExtractAnswer(tuple(_with_rescue(entry, said) for entry in answer.entries))


def _marked(wanted: Wanted, first: Entry, second: Entry, failed: str, said: dict[str, str], asked: list[str]) -> Entry:
    if not isinstance(second, Fetched):
        return _with_rescue(first, {**said, second.refusal.gate: second.refusal.reason})
    cause = first.refusal.reason[:CAUSE_CHARS] if isinstance(first, Unread) else ""
    chosen = (f"{failed}: {first.refusal.code}",) if isinstance(first, Unread) else ()
    verdict = GateVerdict("rescue", "changed", "rescue.rescued")
    treatment = msgspec.structs.replace(second.treatment, gates=(*wanted.verdicts, verdict), rescued_from=failed)
    return msgspec.structs.replace(second, treatment=treatment, rescue_cause=cause, readers_failed=(*chosen, *asked))


def _with_rescue(entry: Entry, said: dict[str, str]) -> Entry:
    """The chosen reader's own error, with what everybody else said."""
    if not said or not isinstance(entry, Unread):
        return entry
    refusal = msgspec.structs.replace(entry.refusal, detail={**entry.refusal.detail, "rescue": said})
    return msgspec.structs.replace(entry, refusal=refusal)


def _refusal(answer: ExtractAnswer) -> Refusal:
    """Why a reader gave nothing of a batch."""
    refused = (entry.refusal for entry in answer.entries if isinstance(entry, Unread))
    return answer.refusal or next(refused, None) or Refusal("rescue", "web.no_answer", "It gave no page.")
