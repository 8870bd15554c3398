"""How the library's texts are packed, made findable in any script, and quoted around the words that matched."""

import re
import zlib
from collections.abc import Iterator, Sequence

import msgspec

from limen.kit.text import clip
from limen.store.ports import WordMark

MARK_START, MARK_END = "\x01", "\x02"
SNIPPET_CHARS = 320
_SNIPPET_LINES = 8
_LEAD_CHARS = 80

_PLAIN, _DEFLATED = 0, 1
_WORTH_PACKING_BYTES = 512
# Scripts written without blanks between words: Thai to Khmer, kana, ideographs, Hangul (whose particles cling to words).
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED_CHAR = re.compile(f"[{_UNSPACED}]")
_BORDER = re.compile(rf"(?<=[{_UNSPACED}])(?=\w)|(?<=\w)(?=[{_UNSPACED}])")
SPLIT = "\u200b"
_BLANKED = str.maketrans(dict.fromkeys(("\0", MARK_START, MARK_END, SPLIT), " "))
_TOKEN = re.compile(r"\w+")
_MARKED = re.compile(f"{MARK_START}([^{MARK_END}]*){MARK_END}")


def pack(text: str) -> tuple[int, bytes]:
    """How a text was packed, and its bytes; small or dense ones stay plain."""
    plain = text.encode()
    if len(plain) < _WORTH_PACKING_BYTES:
        return _PLAIN, plain
    deflated = zlib.compress(plain, 1)
    return (_DEFLATED, deflated) if len(deflated) < len(plain) else (_PLAIN, plain)


def unpack(packing: int, body: bytes) -> str:
    """The text behind `pack`. Raises zlib.error or UnicodeDecodeError where the stored bytes are damaged."""
    return (zlib.decompress(body) if packing == _DEFLATED else body).decode()


def storable(text: str) -> str:
    """`text` without lone surrogates, which neither UTF-8 nor SQLite can hold."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-8", "replace").decode()
    return text


def searchable(text: str) -> str:
    """`text` for the index: characters of unspaced scripts each become a word, reserved ones a blank."""
    if "\0" in text or MARK_START in text or MARK_END in text or SPLIT in text:
        text = text.translate(_BLANKED)
    return text if text.isascii() or not _UNSPACED_CHAR.search(text) else _BORDER.sub(SPLIT, text)


def match_expression(words: Sequence[str]) -> str:
    """An FTS5 expression for sections with any of `words`, each a phrase of its tokens; empty where no word has one."""
    phrases = [searchable(storable(word)).replace('"', " ") for word in words]
    return " OR ".join(f'"{phrase}"' for phrase in phrases if _TOKEN.search(phrase))


class Marked(msgspec.Struct, frozen=True):
    """A section's text as it was put, and where the words of a query stand in it."""

    text: str
    marks: tuple[WordMark, ...]


class Marker:
    """Reads the index's highlighting for one query, and says for each highlighted token which word it answers."""

    def __init__(self, words: Sequence[str]) -> None:
        tokens = [_TOKEN.findall(searchable(word).casefold()) for word in words]
        self._single = [(found[0], number) for number, found in enumerate(tokens) if len(found) == 1]
        self._phrases = [(found, number) for number, found in enumerate(tokens) if len(found) > 1]
        self._known: dict[str, list[WordMark]] = {}

    def read(self, highlighted: str) -> Marked:
        """Take the highlighting out of a text and turn it into marks."""
        plain: list[str] = []
        marks: list[WordMark] = []
        length = position = 0
        for match in _MARKED.finditer(highlighted):
            before = highlighted[position : match.start()].replace(SPLIT, "")
            length += len(before)
            found = match[1].replace(SPLIT, "")
            plain += (before, found)
            marks.extend(WordMark(length + one.start, length + one.end, one.word) for one in self._marks(match[1], found))
            length += len(found)
            position = match.end()
        plain.append(highlighted[position:].replace(SPLIT, ""))
        return Marked("".join(plain), tuple(marks))

    def _marks(self, split: str, found: str) -> list[WordMark]:
        known = self._known.get(split)
        if known is None:
            known = self._known[split] = list(self._find(split, found))
        return known

    def _find(self, split: str, found: str) -> Iterator[WordMark]:
        tokens = _TOKEN.findall(split.casefold())
        for phrase, number in self._phrases:
            if _contains(tokens, phrase):
                yield WordMark(0, len(found), number)
        for match in _TOKEN.finditer(found):
            folded = match[0].casefold()
            shared, word = max(((_shared_start(token, folded), -number) for token, number in self._single), default=(0.0, 0))
            if shared > 0:
                yield WordMark(match.start(), match.end(), -word)


def _contains(tokens: list[str], phrase: list[str]) -> bool:
    if len(tokens) < len(phrase):
        return False
    starts = range(len(tokens) - len(phrase) + 1)
    return any(all(_alike(*pair) for pair in zip(tokens[at : at + len(phrase)], phrase, strict=True)) for at in starts)


def _alike(one: str, other: str) -> bool:
    return one == other or _shared_start(one, other) >= max(3, min(len(one), len(other)) - 3)


def _shared_start(one: str, other: str) -> float:
    """How many characters two tokens begin with alike; a whole match counts beyond any part."""
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    return shared + (0.5 if one == other else 0.0)


def best_passage(marked: Marked) -> tuple[int, str]:
    """The lines around the densest matches as a snippet, and the number (from 0) of the line they begin in."""
    lines = marked.text.split("\n")
    by_line = _words_by_line(marked, lines)
    if not by_line:
        first = next((number for number, line in enumerate(lines) if line.strip()), 0)
        return first, clip("\n".join(lines[first : first + _SNIPPET_LINES]), SNIPPET_CHARS)
    own = {number: len({mark.word for mark in here}) for number, here in by_line.items()}
    most = max(own.values())
    # A line that lacks two of the words another line has cannot begin the better snippet.
    best = max(
        (number for number in own if own[number] >= most - 1), key=lambda number: (_worth(lines, by_line, number), -number)
    )
    if len(lines[best]) > SNIPPET_CHARS:
        return best, _within_line(lines[best], by_line[best])
    return best, clip("\n".join(lines[best : best + _SNIPPET_LINES]), SNIPPET_CHARS)


def _words_by_line(marked: Marked, lines: Sequence[str]) -> dict[int, list[WordMark]]:
    """Marks by the line they stand in, counted from the line's start."""
    found: dict[int, list[WordMark]] = {}
    marks = sorted(marked.marks, key=lambda mark: mark.start)
    number = start = 0
    for mark in marks:
        while number < len(lines) - 1 and mark.start > start + len(lines[number]):
            start += len(lines[number]) + 1
            number += 1
        found.setdefault(number, []).append(WordMark(mark.start - start, mark.end - start, mark.word))
    return found


def _worth(lines: Sequence[str], by_line: dict[int, list[WordMark]], first: int) -> float:
    """What a reader gets of the lines that fit behind `first`: different words there, in the first line itself, then how many."""
    room = SNIPPET_CHARS
    seen: set[int] = set()
    total = 0.0
    for number in range(first, min(first + _SNIPPET_LINES, len(lines))):
        if number > first and len(lines[number]) > room:
            break
        room -= len(lines[number]) + 1
        marks = by_line.get(number, [])
        seen.update(mark.word for mark in marks)
        total += min(len(marks), 4) * 0.1
    return len(seen) + 0.6 * len({mark.word for mark in by_line[first]}) + total


def _within_line(line: str, marks: Sequence[WordMark]) -> str:
    """The stretch of a long line that holds most different words, from the beginning of a sentence or of a word."""
    reach = SNIPPET_CHARS - _LEAD_CHARS
    best = max(marks, key=lambda one: len({mark.word for mark in marks if one.start <= mark.start < one.start + reach})).start
    earliest = max(best - _LEAD_CHARS, 0)
    sentence = max(line.rfind(end, earliest, best) for end in (". ", "? ", "! ", "。"))
    begin = sentence + 1 if sentence >= 0 else line.rfind(" ", 0, earliest + 1) + 1
    begin = begin if best - begin <= reach else earliest
    return ("…" if begin else "") + clip(line[begin : begin + 2 * SNIPPET_CHARS], SNIPPET_CHARS - 1)
