"""Markdown taken apart into passages: the smallest stretches that can be quoted and still make sense.

A passage is verbatim: the lines `line` to `end_line` of the text it was cut from, or a piece of one line too long to quote.
Linear in its text; any text is accepted.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Literal, NamedTuple

import msgspec

PassageKind = Literal["paragraph", "list", "code", "table"]

# A passage is made to be quoted: pieces of one thought go together up to this size, and nothing but code grows beyond the other.
_GROUP_CHARS = 700
_LONGEST_CHARS = 1_400
_CODE_CHARS = 4_000
_TERM_CHARS = 200
_DEEPEST = 24

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[^`]*$")
_HEADING = re.compile(r"[ \t]*(#{1,6})[ \t]+(\S.*)$")
_UNDERLINE = re.compile(r" {0,3}(={3,}|-{3,})[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])(?=[ \t]|$)[ \t]*")
_RULE = re.compile(r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_TERM = re.compile(r"[`*_\[].*[`*_)\]:]$")
_SENTENCE_END = re.compile(r"[.!?](?=\s)\s?|[。！？]")


class Passage(msgspec.Struct, frozen=True):
    """A stretch of a text. Lines count from 1.

    `headings` are those it stands under, outermost first; a defined term is the heading of its definition.
    """

    text: str
    line: int
    end_line: int
    headings: tuple[str, ...] = ()
    kind: PassageKind = "paragraph"


class _Block(NamedTuple):
    """Lines that belong together. `first` is the 0-based index of the first; an `item` starts with a list's mark."""

    kind: PassageKind
    first: int
    lines: list[str]
    headings: tuple[str, ...]
    item: bool = False
    term: bool = False

    @property
    def chars(self) -> int:
        return sum(len(line) + 1 for line in self.lines)

    @property
    def end(self) -> int:
        return self.first + len(self.lines)


def split(text: str, *, whole: bool = True) -> list[Passage]:
    """The passages of a Markdown text, in order: code with the sentence before it, a term with its definition.

    With `whole` False the text is a stretch from within a document, and may start inside a block of code.
    """
    lines = text.split("\n")
    code_end = 0 if whole else _end_of_open_code(lines)
    opening = [_Block("code", 0, lines[:code_end], ())] if code_end else []
    return [passage for block in _joined(lines, chain(opening, _blocks(lines, code_end))) for passage in _cut(block)]


def _end_of_open_code(lines: list[str]) -> int:
    """Where code that began before the first line ends; 0 when the text starts outside of code.

    A fence opens when it names a language or has a gap before it, and closes when it has a gap behind it.
    """
    for index, line in enumerate(lines):
        if _FENCE.match(line):
            bare = not line.strip(" \t`~")
            gap_before = index == 0 or not lines[index - 1].strip()
            gap_behind = index + 1 == len(lines) or not lines[index + 1].strip()
            return index + 1 if bare and gap_behind and not (gap_before and index) else 0
    return 0


class _Place:
    """Where in a document a line stands: the headings over it and the terms whose definitions it is part of."""

    def __init__(self) -> None:
        self._headings: dict[int, str] = {}
        self._terms: list[tuple[int, str]] = []

    @property
    def path(self) -> tuple[str, ...]:
        return (*self._headings.values(), *(term for _, term in self._terms))

    def enter(self, level: int, title: str) -> None:
        self._headings = {depth: kept for depth, kept in self._headings.items() if depth < level}
        self._headings[level] = title
        self._terms = []

    def leave_terms(self, indent: int) -> None:
        """Definitions are indented below their terms."""
        while self._terms and self._terms[-1][0] >= indent:
            self._terms.pop()

    def define(self, indent: int, term: str) -> None:
        if len(self._terms) < _DEEPEST:
            self._terms.append((indent, term))


def _blocks(lines: list[str], index: int = 0) -> Iterator[_Block]:
    place = _Place()
    while index < len(lines):
        line = lines[index]
        indent = _indent(line)
        if not line.strip():
            index += 1
        elif (heading := _HEADING.match(line)) and (indent == 0 or not place.path):
            place.enter(len(heading[1]), heading[2].rstrip("# \t") or heading[2])
            index += 1
        elif _RULE.match(line):
            index += 1
        elif indent == 0 and index + 1 < len(lines) and _UNDERLINE.match(lines[index + 1]) and len(line) <= _TERM_CHARS:
            place.enter(1 if "=" in lines[index + 1] else 2, line.strip())
            index += 2
        else:
            block = _block(lines, index, place, indent)
            yield block
            index = block.end


def _block(lines: list[str], start: int, place: _Place, indent: int) -> _Block:
    line = lines[start]
    place.leave_terms(indent)
    if fence := _FENCE.match(line):
        return _Block("code", start, lines[start : _after_fence(lines, start, fence[1])], place.path)
    if line.lstrip().startswith("|"):
        return _Block("table", start, lines[start : _after(lines, start, _is_row)], place.path)
    item = _ITEM.match(line)
    own = lines[start : _after(lines, start, _continues)]
    term = _term_of(line[item.end() :], lines, start + 1, indent) if item and len(own) == 1 else ""
    if term:
        place.define(indent, term)
    return _Block("list" if item else "paragraph", start, own, place.path, item=bool(item), term=bool(term))


def _term_of(content: str, lines: list[str], following: int, indent: int) -> str:
    """The term that a line defines: bold, code or a link alone, with something indented below it."""
    content = content.strip()
    if len(content) > _TERM_CHARS or not _TERM.match(content) or content.endswith((".)", ".*", "._")):
        return ""
    below = next((line for line in lines[following : following + 2] if line.strip()), "")
    return content.strip("*_` ") if below and _indent(below) > indent else ""


def _after(lines: list[str], start: int, belongs: Callable[[str], bool]) -> int:
    end = start + 1
    while end < len(lines) and belongs(lines[end]):
        end += 1
    return end


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")


def _continues(line: str) -> bool:
    return bool(line.strip()) and not (_FENCE.match(line) or _HEADING.match(line) or _ITEM.match(line) or _is_row(line))


def _after_fence(lines: list[str], start: int, mark: str) -> int:
    """The line behind the closing fence; an unclosed fence ends with the text."""
    for index in range(start + 1, len(lines)):
        line = lines[index].strip()
        if line.startswith(mark) and not line.strip(mark[0]):
            return index + 1
    return len(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _joined(lines: list[str], blocks: Iterable[_Block]) -> Iterator[_Block]:
    """Neighbours that say one thing become one block, unless more than blank lines stands between them."""
    held: _Block | None = None
    for block in blocks:
        if held is not None and _belong(held, block) and not any(map(str.strip, lines[held.end : block.first])):
            kind = block.kind if block.kind in ("code", "table") else held.kind
            held = held._replace(kind=kind, lines=lines[held.first : block.end], term=held.term and not _is_text(block))
            continue
        if held is not None:
            yield held
        held = block
    if held is not None:
        yield held


def _is_text(block: _Block) -> bool:
    return block.kind == "code" or block.chars > _TERM_CHARS // 2


def _belong(held: _Block, block: _Block) -> bool:
    if block.first - held.end > 2 or held.headings != block.headings or block.term:
        return False
    if block.kind in ("code", "table"):
        return held.kind in ("paragraph", "list") and held.chars <= _GROUP_CHARS
    if held.kind in ("code", "table"):
        return False
    if held.term:
        return held.chars <= _GROUP_CHARS and block.chars <= _LONGEST_CHARS - held.chars
    if held.chars + block.chars > _GROUP_CHARS:
        return False
    return block.item == held.item or _introduces(held) or held.item


def _introduces(block: _Block) -> bool:
    return block.lines[-1].rstrip().endswith((":", "："))


def _cut(block: _Block) -> Iterator[Passage]:
    """A block as passages: itself, or stretches of its lines where it is too long to quote."""
    limit = _CODE_CHARS if block.kind == "code" else _LONGEST_CHARS
    first, size = 0, 0
    for index, line in enumerate(block.lines):
        if size and size + len(line) > limit:
            yield from _passages(block, first, index, limit)
            first, size = index, 0
        size += len(line) + 1
    yield from _passages(block, first, len(block.lines), limit)


def _passages(block: _Block, first: int, end: int, limit: int) -> Iterator[Passage]:
    while first < end and not block.lines[first].strip():
        first += 1  # a passage begins where its words do, so that the line it is cited by shows them
    text = "\n".join(block.lines[first:end])
    if len(text) <= limit or end - first > 1:
        if text.strip():
            yield Passage(text, block.first + first + 1, block.first + end, block.headings, block.kind)
        return
    line = block.first + first + 1
    for piece in _pieces(text):
        yield Passage(piece, line, line, block.headings, block.kind)


def _pieces(line: str) -> Iterator[str]:
    """A long line in pieces that end with a sentence where they can, else with a word, else anywhere."""
    start = 0
    while len(line) - start > _LONGEST_CHARS:
        window = line[start : start + _LONGEST_CHARS]
        ends = [match.end() for match in _SENTENCE_END.finditer(window)]
        end = ends[-1] if ends and ends[-1] > _LONGEST_CHARS // 3 else window.rfind(" ") + 1 or _LONGEST_CHARS
        if piece := window[:end].strip():
            yield piece
        start += end
    if rest := line[start:].strip():
        yield rest
