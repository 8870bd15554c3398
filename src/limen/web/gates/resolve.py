"""Gate: who reads the pages. A named choice is honoured as it is, never swapped in silence; a chain says who failed before."""

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

import msgspec

from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict
from limen.core.ports import ExtractProvider
from limen.core.waiting import given_up
from limen.core.web import Entry, ExtractAnswer, Fetched, Unread
from limen.net.host import host_of
from limen.web.call import ExtractCall, ExtractGate, ExtractProceed, Wanted
from limen.web.choice import choose
from limen.web.elsewhere import another_may_try
from limen.web.ring import told


def resolve_gate(
    providers: Mapping[str, ExtractProvider],
    default: str,
    exempt_hosts: frozenset[str] = frozenset(),
    searchers: Container[str] = (),
    chain: Sequence[str] = (),
) -> ExtractGate:
    """The gate; a call's own wish goes before the `chain`, which goes before the default.

    Of a chain each reader gets what those before it could not read. Hosts that may be given credentials are read by nobody but
    us. `searchers` are the names of those that search and read no pages.
    """

    async def gate(call: ExtractCall, proceed: ExtractProceed) -> ExtractAnswer:
        wish = call.extraction.provider
        names = (wish,) if wish else tuple(dict.fromkeys(chain)) or (default,)
        readers = _readers({name: choose(name, providers, "extract", others=searchers, by_call=bool(wish)) for name in names})
        if isinstance(readers, Refusal):
            return ExtractAnswer(refusal=readers)
        ours = [one for one in call.wanted if host_of(one.url) in exempt_hosts]
        if not ours or [one.name for one in readers.usable] == [_LOCAL]:
            return await _walk(call, readers, proceed)
        theirs = tuple(one for one in call.wanted if one not in ours)
        answers = [await proceed(_with(call, providers[_LOCAL], ours))]
        answers += [await _walk(msgspec.structs.replace(call, wanted=theirs), readers, proceed)] if theirs else []
        refused = next((answer for answer in answers if answer.refusal is not None), None)
        if refused is not None:
            return refused
        by_place = dict(zip([*ours, *theirs], [entry for answer in answers for entry in answer.entries], strict=True))
        return ExtractAnswer(tuple(by_place[one] for one in call.wanted))

    return gate


_LOCAL = "local"


class _Readers(NamedTuple):
    """Who is asked, in order, and why the others of the chain are not."""

    usable: list[ExtractProvider]
    unusable: dict[str, Refusal]


def _readers(chosen: Mapping[str, ExtractProvider | Refusal]) -> _Readers | Refusal:
    usable = [one for one in chosen.values() if not isinstance(one, Refusal)]
    unusable = {name: one for name, one in chosen.items() if isinstance(one, Refusal)}
    if usable:
        return _Readers(usable, unusable)
    first, *others = unusable.items()
    if not others:
        return first[1]
    detail = {**first[1].detail, "readers": {name: told(refusal) for name, refusal in unusable.items()}}
    return msgspec.structs.replace(first[1], detail=detail)


def _with(call: ExtractCall, provider: ExtractProvider, wanted: Sequence[Wanted]) -> ExtractCall:
    verdict = GateVerdict("resolve", "allow", f"resolve.{provider.name}")
    return msgspec.structs.replace(call, provider=provider, wanted=tuple(one.passed("resolve", verdict) for one in wanted))


async def _walk(call: ExtractCall, readers: _Readers, proceed: ExtractProceed) -> ExtractAnswer:
    """Each page from the first reader that has it. Where nobody does, the first one's error stands, and the others' beside it."""
    entries: dict[int, Entry] = {}
    failed: dict[int, dict[str, Refusal]] = {place: {} for place in range(len(call.wanted))}
    left = list(range(len(call.wanted)))
    for number, reader in enumerate(readers.usable, 1):
        if number > 1 and given_up(call.context) is not None:
            break
        rescue = number == len(readers.usable) and not any(isinstance(entry, Fetched) for entry in entries.values())
        asked = tuple(one.name for one in readers.usable[: number - 1])
        wish = msgspec.structs.replace(call, may_be_rescued=rescue, asked=asked)
        answer = await proceed(_with(wish, reader, [call.wanted[place] for place in left]))
        if answer.refusal is not None:
            return answer
        for place, entry in zip(left, answer.entries, strict=True):
            entries[place] = entry
            if isinstance(entry, Unread):
                failed[place][reader.name] = entry.refusal
        left = [place for place in left if isinstance(entry := entries[place], Unread) and another_may_try(entry.refusal)]
        if not left:
            break
    return ExtractAnswer(tuple(_saying(entries[place], failed[place], readers.unusable) for place in range(len(call.wanted))))


def _saying(entry: Entry, failed: Mapping[str, Refusal], unusable: Mapping[str, Refusal]) -> Entry:
    """An entry that names who could not give it. An error is the first reader's own, unless a later one's holds for all."""
    others = {**unusable, **failed}
    if isinstance(entry, Fetched):
        return _after(entry, others) if others else entry
    if len(others) < 2 or not another_may_try(entry.refusal):
        return entry
    first = next(iter(failed.values()))
    detail = {**entry.refusal.detail, **first.detail, "readers": {name: told(refusal) for name, refusal in others.items()}}
    return msgspec.structs.replace(entry, refusal=msgspec.structs.replace(first, detail=detail))


def _after(entry: Fetched, others: Mapping[str, Refusal]) -> Fetched:
    codes = tuple(f"{name}: {refusal.code}" for name, refusal in others.items())
    return msgspec.structs.replace(entry, readers_failed=(*codes, *entry.readers_failed))
