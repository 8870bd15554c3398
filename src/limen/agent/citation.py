"""Reads an answer's citations: which sources it names, and which of its quotations truly stand in them."""

import re
from collections.abc import Iterable, Sequence

import msgspec

from limen.agent.sources import ReadText
from limen.core.session import Source
from limen.kit.quotation import line_of, quotations_in

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


def cite_answer(answer: str, sources: Iterable[Source], texts: Sequence[ReadText]) -> tuple[CitedSource, ...]:
    """Sources an answer names, in its order of numbers, with their verified quotations; all read ones when it names none."""
    by_number = {source.n: source for source in sources}
    own = "\n".join(line for line in answer.split("\n") if not line.startswith(">"))
    named = sorted({int(number) for number in _NUMBER.findall(own)} & set(by_number))
    chosen = named or [source.n for source in by_number.values() if source.read]
    quotations = list(quotations_in(answer))
    return tuple(_cited(by_number[number], quotations, texts, bool(named)) for number in sorted(chosen))


def _cited(source: Source, quotations: list[str], texts: Sequence[ReadText], cited: bool) -> CitedSource:
    own = [text for text in texts if text.n == source.n]
    quotes = []
    for quotation in quotations:
        lines = [line for text in own if (line := line_of(quotation, text.text, text.first_line)) is not None]
        if lines:
            quotes.append(Quote(quotation, lines[0]))
    return CitedSource(source.n, source.title, source.url, source.read, source.ref, tuple(quotes), cited)
