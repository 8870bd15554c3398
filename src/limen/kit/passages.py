"""Markdown taken apart into passages: the smallest stretches that can be quoted and still make sense.

A passage is verbatim: the lines `line` to `end_line` of the text it was cut from, or a piece of one line too long to quote.
Linear in its text; any text is accepted.
"""

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import msgspec

from limen.kit.words import STOP_WORDS, stem, terms, words

__all__ = ["STOP_WORDS", "Passage", "split", "stem", "terms", "words"]

PassageKind = Literal["paragraph", "list", "code", "table"]

# A passage is made to be quoted: short items of a list go together up to the one size, nothing grows beyond the other.
_GROUP_CHARS = 500
_LONGEST_CHARS = 1_400
_LEAD_CHARS = 500
_CODE_CHARS = 4_000

_FENCE = re.compile(r"^ {0,9}(?:[-*+] +)?(`{3,}|~{3,})([^`]*)$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_ITEM = re.compile(r"^\s{0,24}(?:[-*+•]|\d{1,4}[.)])(?:\s+\S|\s*$)")
_RULE = re.compile(r"^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,}|={3,} *)$")
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$|[^\x00-\x7f])\s*")


class Passage(msgspec.Struct, frozen=True):
    """A stretch of a text. Lines count from 1; `headings` are those it stands under, outermost first."""

    text: str
    line: int
    end_line: int
    headings: tuple[str, ...] = ()
    kind: PassageKind = "paragraph"


class _Chunk(NamedTuple):
    """Lines that belong together: `first` is the 0-based index of the first."""

    kind: PassageKind
    first: int
    lines: list[str]
    headings: tuple[str, ...]

    @property
    def chars(self) -> int:
        return sum(len(line) + 1 for line in self.lines)


def split(text: str) -> list[Passage]:
    """The passages of a Markdown text, in order; fenced code goes with the sentence that introduces it."""
    return [piece for chunk in _joined(_chunks(text.split("\n"))) for piece in _pieces(chunk)]


def _chunks(lines: list[str]) -> Iterator[_Chunk]:
    path: dict[int, str] = {}
    index = 0
    while index < len(lines):
        line = lines[index]
        if heading := _HEADING.match(line):
            level = len(heading[1])
            path = {depth: title for depth, title in path.items() if depth < level}
            path[level] = (heading[2] or "").strip()
            index += 1
        elif not line.strip() or _RULE.match(line):
            index += 1
        else:
            kind, end = _extent(lines, index)
            yield _Chunk(kind, index, lines[index:end], tuple(path.values()))
            index = end


def _extent(lines: list[str], start: int) -> tuple[PassageKind, int]:
    """What begins at `start` and where it ends (exclusive)."""
    if fence := _FENCE.match(lines[start]):
        return "code", _after_fence(lines, start, fence[1])
    if lines[start].lstrip().startswith("|"):
        return "table", _after(lines, start, lambda line: line.lstrip().startswith("|"))
    if _ITEM.match(lines[start]):
        return "list", _after_item(lines, start)
    return "paragraph", _after(lines, start, _continues)


def _after(lines: list[str], start: int, belongs: Callable[[str], bool]) -> int:
    end = start + 1
    while end < len(lines) and belongs(lines[end]):
        end += 1
    return end


def _continues(line: str) -> bool:
    return bool(line.strip()) and not (_HEADING.match(line) or _FENCE.match(line) or _ITEM.match(line) or _RULE.match(line))


def _after_fence(lines: list[str], start: int, mark: str) -> int:
    """The line behind the closing fence; an unclosed fence ends with the text."""
    for index in range(start + 1, len(lines)):
        line = lines[index].strip()
        if line.startswith(mark) and not line.strip(mark[0]):
            return index + 1
    return len(lines)


def _after_item(lines: list[str], start: int) -> int:
    """One list item with its wrapped and indented lines; the next item is a chunk of its own."""
    indent = _indent(lines[start])
    end = start + 1
    while end < len(lines):
        line = lines[end]
        if not line.strip():
            following = end + 1
            deeper = following < len(lines) and lines[following].strip() and _indent(lines[following]) > indent
            if not deeper or _ITEM.match(lines[following]) or _FENCE.match(lines[following]):
                break
        elif not _continues(line):
            break
        end += 1
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _joined(chunks: Iterator[_Chunk]) -> Iterator[_Chunk]:
    """Short items become groups; code takes the sentence before it along."""
    held: _Chunk | None = None
    for chunk in chunks:
        if held is not None and _belong(held, chunk):
            gap = [""] * (chunk.first - held.first - len(held.lines))
            kind = chunk.kind if chunk.kind != "list" or held.kind == "list" else held.kind
            held = _Chunk(kind, held.first, [*held.lines, *gap, *chunk.lines], held.headings)
            continue
        if held is not None:
            yield held
        held = chunk
    if held is not None:
        yield held


def _belong(held: _Chunk, chunk: _Chunk) -> bool:
    if held.headings != chunk.headings or chunk.first - held.first - len(held.lines) > 2:
        return False
    if chunk.kind in ("code", "table"):
        return held.kind in ("paragraph", "list") and held.chars <= _LEAD_CHARS
    if chunk.kind == "list":
        fits = held.chars + chunk.chars <= _GROUP_CHARS
        return fits and (held.kind == "list" or _introduces(held))
    return held.kind == "paragraph" and _is_signature(held) and held.chars + chunk.chars <= _LONGEST_CHARS


def _introduces(chunk: _Chunk) -> bool:
    return chunk.kind == "paragraph" and chunk.lines[-1].rstrip().endswith((":", "：", "::"))


def _is_signature(chunk: _Chunk) -> bool:
    """A definition's term stands alone on a short line without a sentence's end: it names what the next paragraph explains."""
    line = chunk.lines[0].rstrip()
    return len(chunk.lines) == 1 and len(line) <= 200 and not line.endswith((".", "!", "?", "。", ":", ";", ","))


def _pieces(chunk: _Chunk) -> Iterator[Passage]:
    limit = _CODE_CHARS if chunk.kind == "code" else _LONGEST_CHARS
    first, size, start = 0, 0, chunk.first
    for index, line in enumerate(chunk.lines):
        if size and size + len(line) > limit:
            yield from _passages(chunk, chunk.lines[first:index], start + first)
            first, size = index, 0
        size += len(line) + 1
    yield from _passages(chunk, chunk.lines[first:], start + first)


def _passages(chunk: _Chunk, lines: list[str], first: int) -> Iterator[Passage]:
    text = "\n".join(lines)
    if len(lines) > 1 or len(text) <= _LONGEST_CHARS or chunk.kind == "code":
        if text.strip():
            yield Passage(text, first + 1, first + len(lines), chunk.headings, chunk.kind)
        return
    for piece in _cut_line(text):
        yield Passage(piece, first + 1, first + 1, chunk.headings, chunk.kind)


def _cut_line(line: str) -> Iterator[str]:
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
