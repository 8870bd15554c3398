"""Lines that say the same with other values: a tree of fixed depth after Drain (He et al., ICWS 2017), made while reading.

The leaf is found by the number of words and the first three that are no values; there a line joins the template with which it
shares
most of its words. The same lines in the same order give the same templates.
"""

import re
from itertools import islice

import msgspec

# What of a line is looked at: words behind that are parts of values more often than of what is said.
_CHARS = 600
_WORDS = 48
# Lines that agree in so much of the words that are no values are one template.
_ALIKE = 0.75
_KEY_WORDS = 3
# Bounds of the tree. A template that finds no room in its leaf takes lines of its own shape alone; a line that finds no room at
# all
# becomes one of the last template, which says so of itself.
_MOST_IN_LEAF = 16
_MOST = 4_000
_REMEMBERED = 20_000

# A word with a digit is a value, and so are names of months and days, which stand in dates.
_VALUE = re.compile(
    r"[^\s\[\](){}=,;|\"']*\d[^\s\[\](){}=,;|\"']*|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed"
    r"|Thu|Fri|Sat|Sun)\b"
)


class Template(msgspec.Struct):
    """Lines of one kind: how many, and the first and last of them. `number` counts templates from 1."""

    number: int
    words: list[str]
    count: int = 0
    first: int = 0
    last: int = 0


def shape(text: str) -> str:
    """A line with its values as stars and its blanks as one each."""
    return " ".join(_VALUE.sub("*", text[:_CHARS]).split())


class Templates:
    """The templates of the lines given so far. `exact` lines are of one template only where they have the same shape."""

    def __init__(self) -> None:
        self._leaves: dict[tuple[int | str, ...], list[Template]] = {}
        self._by_shape: dict[tuple[bool, str], Template] = {}
        self._made = 0
        self._others: Template | None = None

    def add(self, line: int, text: str, *, exact: bool = False) -> Template:
        """The template of a line, with the line counted."""
        shaped = shape(text)
        found = self._by_shape.get((exact, shaped))
        if found is None:
            found = self._new([shaped]) if exact else self._placed(shaped)
            if len(self._by_shape) < _REMEMBERED:
                self._by_shape[exact, shaped] = found
        found.count += 1
        found.first = found.first or line
        found.last = line
        return found

    def _placed(self, shaped: str) -> Template:
        words = shaped.split(" ", _WORDS)[:_WORDS]
        key = islice((word for word in words if "*" not in word), _KEY_WORDS)
        leaf = self._leaves.setdefault((len(words), *key), [])
        best = max(leaf, key=lambda template: _alike(template.words, words), default=None)
        if best is not None and _alike(best.words, words) >= _ALIKE:
            best.words = [one if one == other else "*" for one, other in zip(best.words, words, strict=True)]
            return best
        made = self._new(words)
        if made is not self._others and len(leaf) < _MOST_IN_LEAF:
            leaf.append(made)
        return made

    def _new(self, words: list[str]) -> Template:
        if self._made < _MOST:
            self._made += 1
            return Template(self._made, words)
        if self._others is None:
            self._others = Template(_MOST + 1, ["*"])
        return self._others


def _alike(template: list[str], words: list[str]) -> float:
    """Share of equal words among those that are no values."""
    said = [one == other for one, other in zip(template, words, strict=True) if one != "*" or other != "*"]
    return sum(said) / len(said) if said else 1.0
