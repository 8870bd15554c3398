"""What a text quotes, and quotations kept to a length. Where the quoted words stand, `kit.wording` finds out."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from limen.kit.text import clip

# A shorter match proves nothing: such words stand in many texts.
LEAST_CHARS = 20

# Closing marks by the opening one, in the habits of all languages: “so”, „so“, »so«, ”so”.
_CLOSERS = {
    '"': '"”', "“": '”"', "”": '"”', "„": '“”"', "«": "»", "»": "«", "‹": "›", "›": "‹", "「": "」", "『": "』",
}  # fmt: skip
# Those that open whatever stands around them; the pointed ones stand apart from their words in French.
_SURELY_OPEN = frozenset("„「『«‹")
_MARK_OR_GAP = re.compile(r"[\"“”„«»‹›「」『』]|\n[ \t]*\n")
_MARKS = re.compile(r"[\"“”„«»‹›「」『』`]")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_CODE = re.compile(r"(`+)(?!`)[^\n`](?:[^\n`]|(?!\1(?!`))`+)*+\1(?!`)")
_BLOCK = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?> ?")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_ALERT = re.compile(r"\A\[!\w+\][ \t]*\n")
# Who said it, on a last line of its own.
_BY = re.compile(r"\n[ \t]*(?:—|–|―|--)[^\n]*\Z")


class _Piece(NamedTuple):
    """A stretch of a text as written. `words` are those of a block quote, None where it is none; `code` is left alone."""

    text: str
    words: str | None = None
    code: bool = False


def quotations_in(text: str) -> Iterator[str]:
    """What a text quotes: Markdown block quotes, then words between quotation marks, of those inside each other the outermost.

    Blocks of code and code in a line quote nothing. Linear.
    """
    pieces = list(_pieces(text))
    for piece in pieces:
        words = "" if piece.words is None else _BY.sub("", _ALERT.sub("", piece.words)).strip("\n")
        if len(words) >= LEAST_CHARS:
            yield words
    for piece in pieces:
        if piece.words is None and not piece.code:
            yield from (piece.text[start:end].strip() for start, end in _marked(piece.text))


def paragraphs(quotation: str) -> list[str]:
    """The paragraphs of a quotation that are long enough to be looked for on their own."""
    return [part for part in _PARAGRAPHS.split(quotation) if len(part) >= LEAST_CHARS]


def shortened(text: str, limit_chars: int) -> tuple[str, int]:
    """A text whose quotations have at most `limit_chars` each, ellipsis included, and how many were longer."""
    count = 0
    shown: list[str] = []
    for piece in _pieces(text):
        if piece.code:
            shown.append(piece.text)
        elif piece.words is not None:
            too_long = len(piece.words) > limit_chars
            count += too_long
            shown.append(f"> {clip(piece.words, limit_chars)}" if too_long else piece.text)
        else:
            end = 0
            kept: list[str] = []
            for start, stop in _marked(piece.text):
                words = piece.text[start:stop].strip()
                if len(words) > limit_chars:
                    count += 1
                    # Marks that lost their other half would pair with those behind them.
                    kept += [piece.text[end:start], clip(_MARKS.sub("", words), limit_chars - 1).removesuffix("…") + "…"]
                    end = stop
            shown.append("".join([*kept, piece.text[end:]]))
    return "\n".join(shown), count


def _pieces(text: str) -> Iterator[_Piece]:
    """The pieces of a text in order; joined by newlines they are the text."""
    held: list[str] = []
    kind, fence = "own", ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            now = "code"
            if mark and mark[1].startswith(fence) and not line.strip(" \t`~"):
                fence = ""
        elif mark:
            now, fence = "code", mark[1]
        else:
            now = "block" if _BLOCK.match(line) else "own"
        if now != kind and held:
            yield _piece(kind, held)
            held = []
        kind = now
        held.append(line)
    yield _piece(kind, held)


def _piece(kind: str, lines: list[str]) -> _Piece:
    text = "\n".join(lines)
    if kind != "block":
        return _Piece(text, code=kind == "code")
    return _Piece(text, "\n".join(_BLOCK.sub("", line, count=1) for line in lines).strip("\n"))


def _marked(text: str) -> list[tuple[int, int]]:
    """What stands between quotation marks and is long enough, within one paragraph each: the outermost pairs, in order."""
    seen = _CODE.sub(lambda code: "\0" * len(code[0]), text)
    spans: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    closers: Counter[str] = Counter()
    for found in _MARK_OR_GAP.finditer(seen):
        mark, at = found[0], found.start()
        if "\n" in mark:
            opened.clear()
            closers.clear()
        elif closers[mark] and not _opens_rather(seen, at):
            while True:
                accepted, start = opened.pop()
                closers.subtract(accepted)
                if mark in accepted:
                    break
            spans.append((start, at))
        elif mark in _CLOSERS and _may_open(seen, at):
            opened.append((_CLOSERS[mark], at + 1))
            closers.update(_CLOSERS[mark])
    outermost: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if (not outermost or start >= outermost[-1][1]) and len(text[start:end].strip()) >= LEAST_CHARS:
            outermost.append((start, end))
    return outermost


def _may_open(text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if text[at] in _SURELY_OPEN:
        return bool(after)
    return bool(after) and not after.isspace() and not before.isalnum()


def _opens_rather(text: str, at: int) -> bool:
    """Whether a mark that could close stands where one opens: behind a gap or a bracket, before a word."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return text[at] in '"“' and (not before or before.isspace() or before in "([") and after.isalnum()
