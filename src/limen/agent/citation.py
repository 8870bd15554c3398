"""Reads an answer's citations: which sources it names, which of its quotations stand in them, and which stand nowhere."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import anyio.to_thread
import msgspec

from limen.agent.sources import ReadText, SessionSources
from limen.agent.told import read_in, told_by
from limen.core.fault import StoreFault
from limen.core.session import Source
from limen.kit.log import failed_open
from limen.kit.quotation import paragraphs, quotations_in
from limen.kit.wording import Wording
from limen.store.ports import SessionStore, StoredBlock

_NUMBER = re.compile(r"\[(\d{1,4})\](?!\()")


class Quote(msgspec.Struct, frozen=True):
    """Words of the answer that stand in a source, with the line of the source they begin on."""

    text: str
    line: int


class CitedSource(msgspec.Struct, frozen=True):
    """A source as an answer cites it. `cited` is whether the answer names its number."""

    n: int
    title: str
    url: str
    read: bool
    ref: str
    quotes: tuple[Quote, ...] = ()
    cited: bool = True


class Citations(msgspec.Struct, frozen=True):
    """The sources of an answer, and those of its quotations that stand in nothing that was read, shown or said."""

    sources: tuple[CitedSource, ...] = ()
    unverified: tuple[str, ...] = ()


async def cited(answer: str, sources: SessionSources, store: SessionStore, session: str) -> Citations:
    """Check every quotation of an answer: against what this turn has read, then what the session has, then what was said in it.

    A session that cannot be read costs its earlier part, and that is logged.
    """
    noted = dict(sources.noted)
    quotations = tuple(dict.fromkeys(quotations_in(answer)))
    if not quotations:
        return Citations(cite_answer(answer, noted, list(noted), ()))
    checked = await anyio.to_thread.run_sync(partial(_checked, quotations, tuple(sources.read)))
    if checked.missing:
        try:
            blocks = await store.blocks(session)
            noted = {source.n: source for source in await store.sources(session)} | noted
        except StoreFault as fault:
            failed_open("citation.session_unread", fault)
        else:
            checked = await anyio.to_thread.run_sync(partial(_with_earlier, checked, blocks))
    return Citations(cite_answer(answer, noted, list(sources.noted), checked.found), checked.missing)


def cite_answer(
    answer: str, sources: Mapping[int, Source], of_turn: Sequence[int], quotes: Iterable[tuple[int, Quote]]
) -> tuple[CitedSource, ...]:
    """The sources that an answer names or quotes, by number; where it does neither, all that the turn has read."""
    own = "\n".join(line for line in answer.split("\n") if not line.startswith(">"))
    named = {int(number) for number in _NUMBER.findall(own)} & set(of_turn)
    quoted: dict[int, list[Quote]] = {}
    for number, quote in quotes:
        if number in sources:
            quoted.setdefault(number, []).append(quote)
    chosen = named | set(quoted) or {number for number in of_turn if sources[number].read}
    return tuple(_cited(sources[number], quoted.get(number, ()), number in named) for number in sorted(chosen))


def _cited(source: Source, quotes: Iterable[Quote], cited: bool) -> CitedSource:
    return CitedSource(source.n, source.title, source.url, source.read, source.ref, tuple(quotes), cited)


class _Checked(msgspec.Struct, frozen=True):
    """Quotations that were found, each with its source's number, and those that were not."""

    found: tuple[tuple[int, Quote], ...]
    missing: tuple[str, ...]


def _checked(quotations: Sequence[str], texts: Sequence[ReadText]) -> _Checked:
    """Look each quotation up, else its paragraphs: in the first text of each source that has it."""
    wordings = [(text.n, Wording(text.text, text.first_line)) for text in texts]
    found: list[tuple[int, Quote]] = []
    missing: list[str] = []
    for quotation in quotations:
        whole = _places(quotation, wordings)
        found += whole
        for words in () if whole else paragraphs(quotation) or (quotation,):
            places = _places(words, wordings)
            found += places
            missing += () if places else (words,)
    return _Checked(tuple(found), tuple(missing))


def _places(words: str, wordings: Iterable[tuple[int, Wording]]) -> list[tuple[int, Quote]]:
    lines: dict[int, int] = {}
    for number, wording in wordings:
        if number not in lines and (line := wording.line_of(words)) is not None:
            lines[number] = line
    return [(number, Quote(words, line)) for number, line in lines.items()]


def _with_earlier(checked: _Checked, blocks: Sequence[StoredBlock]) -> _Checked:
    """Look for what is missing in what the session has read before, and leave out what was said in it by anyone but a model."""
    earlier = _checked(checked.missing, list(read_in(blocks)))
    said = [Wording(text) for text in told_by(blocks)] if earlier.missing else []
    missing = (words for words in earlier.missing if not any(one.line_of(words) is not None for one in said))
    return _Checked((*checked.found, *earlier.found), tuple(missing))
