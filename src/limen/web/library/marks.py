"""Where the words of a question stand in a text, in any of their forms."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise, takewhile
from typing import NamedTuple

from limen.kit.words import UNSPACED, stem
from limen.web.library.query import Word

_SPACED = rf"[^\W_{UNSPACED}]"
_TOKEN = re.compile(f"{_SPACED}+")
_PART = re.compile(f"{_SPACED}+|[{UNSPACED}]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")
# Letters that lower case alone does not bring to the form they are looked up in.
_MARKED_LETTER = re.compile("[\u00c0-\u024f\u0370-\u03ff\u1e00-\u1fff\uff21-\uff5a]")
_MOST_MARKS = 400
# What begins with less stands everywhere.
_LEAST_BEGINNING = 3

# Puts where a word stands in a folded text behind what is there already.
_Look = Callable[[str, list["Mark"]], None]


class Mark(NamedTuple):
    """A place of a word of the question (`word` is its number) in a text, in characters; `end` exclusive."""

    start: int
    end: int
    word: int


class Finder:
    """Finds the words of one question in any number of texts; linear in a text for each word."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._looks = [
            _look_for(form, number)
            for number, word in enumerate(words)
            for form in _distinct(_folded(text) for text in (word.text, *word.also))
        ] + [_run(_folded(part), number) for number, word in enumerate(words) for part in word.parts]

    def find(self, text: str) -> list[Mark]:
        """The places of all words, in order."""
        folded = _folded(text)
        marks: list[Mark] = []
        for look in self._looks:
            look(folded, marks)
        marks.sort()
        return marks[:_MOST_MARKS]


def _folded(text: str) -> str:
    """Lower case without diacritics, character for character."""
    return (text if text.isascii() else _MARKED_LETTER.sub(_unmarked, text)).lower()


def _unmarked(letter: re.Match[str]) -> str:
    return _letter(letter[0])


@lru_cache(maxsize=4_096)
def _letter(char: str) -> str:
    return unicodedata.normalize("NFKD", char)[0].lower()[0]


def _distinct(forms: Iterable[str]) -> Iterator[str]:
    """The forms without those that another is looked for by."""
    kept: list[str] = []
    for form in sorted(forms, key=lambda form: len(_beginning(form))):
        if not _beginning(form).startswith(tuple(kept)):
            kept.append(_beginning(form))
            yield form


def _look_for(word: str, number: int) -> _Look:
    parts = _PART.findall(word)
    if len(parts) == 1:
        return _run(parts[0], number) if _UNSPACED.match(parts[0]) else _token(parts[0], number)
    if parts:
        return _phrase(parts, number)
    return _run(word, number) if word.strip() else lambda text, marks: None


def _run(run: str, number: int) -> _Look:
    """Characters of a script without blanks, wherever they stand."""

    def look(text: str, marks: list[Mark]) -> None:
        at = text.find(run) if run else -1
        while at >= 0:
            marks.append(Mark(at, at + len(run), number))
            at = text.find(run, at + len(run))

    return look


def _token(word: str, number: int) -> _Look:
    """A word in any form: what its forms begin with is looked for first."""
    root, beginning = stem(word), _beginning(word)

    def look(text: str, marks: list[Mark]) -> None:
        at = text.find(beginning)
        while at >= 0:
            token = _TOKEN.match(text, at)
            end = token.end() if token else at + len(beginning)
            if _begins(text, at) and stem(text[at:end]) == root:
                marks.append(Mark(at, end, number))
            at = text.find(beginning, end)

    return look


def _phrase(parts: Sequence[str], number: int) -> _Look:
    """Words in a row, whatever stands between them that is no word."""
    row = re.compile("".join(chain([_form(parts[0])], *([_joint(*pair), _form(pair[1])] for pair in pairwise(parts)))))
    beginning = _beginning(parts[0])

    def look(text: str, marks: list[Mark]) -> None:
        at = text.find(beginning)
        while at >= 0:
            # Looked for inside of a word, a row would be followed to that word's end from each of its letters.
            found = row.match(text, at) if _begins(text, at) else None
            if found is not None:
                marks.append(Mark(at, found.end(), number))
            at = text.find(beginning, found.end() if found else at + 1)

    return look


def _form(part: str) -> str:
    return part if _UNSPACED.match(part) else f"{_beginning(part)}{_SPACED}*+"


def _joint(*parts: str) -> str:
    """Words are told apart by what is between them, unless their scripts do that."""
    return r"[\W_]{0,40}" if any(map(_UNSPACED.match, parts)) else r"[\W_]{1,40}"


def _beginning(word: str) -> str:
    """What every form of a word begins with: `quer` of query, queries. An irregular form stands for itself."""
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(word, stem(word), strict=False))
    beginning = "".join(char for char, _ in shared).rstrip("y")
    return beginning if len(beginning) >= max(1, min(_LEAST_BEGINNING, len(word) - 1)) else word


def _begins(text: str, at: int) -> bool:
    """Whether a word may begin there."""
    return not (at and text[at - 1].isalnum()) or bool(_UNSPACED.match(text, at - 1) or _UNSPACED.match(text, at))
