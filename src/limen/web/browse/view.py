"""What a session sees of a page or document: its lines with their numbers, and its links with theirs."""

import re
from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

import msgspec

from limen.core.browse import ResponseLength
from limen.core.ledger import OriginKind, Treatment, Trust
from limen.core.refs import Ref
from limen.core.web import Heading, Link
from limen.kit.link_numbers import absolute, without_link_numbers
from limen.web.browse.lines import Lines

# Links beyond this many have no number; they stand in the text with their addresses.
MOST_LINKS = 10_000
_UNESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
# A Markdown link's target; brackets may stand in it in pairs.
_TARGET = re.compile(r"\]\((?:<([^<>\n]*)>|((?:[^()\s\\]|\\.|\([^()\s]*\))*))\)")
_NUMBERED = re.compile(r"\]\((\d{1,9})(?: [^()\s]+)?\)")


class Scale(msgspec.Struct, frozen=True):
    """How much one answer shows: hits of a search, lines and characters of a page."""

    hits: int
    lines: int
    chars: int


SCALES: dict[ResponseLength, Scale] = {
    "short": Scale(5, 40, 8_000),
    "medium": Scale(10, 100, 20_000),
    "long": Scale(20, 200, 40_000),
}


class View(msgspec.Struct, frozen=True):
    """A text that was opened. `ref` has its address, title and numbered links, and its handle once it is noted.

    `folds` says how its lines are counted (`Lines`); `notices` are what a reader should know of it. `outline` is there where its
    reader made one, with lines that count without folds.
    """

    ref: Ref
    text: str
    kind: OriginKind
    trust: Trust
    treatment: Treatment = Treatment()
    folds: bool = True
    notices: tuple[str, ...] = ()
    outline: tuple[Heading, ...] = ()

    @property
    def handle(self) -> str:
        """What opens it again."""
        return self.ref.name or self.ref.opens or self.ref.url

    def lines(self) -> Lines:
        """The text by its lines."""
        return Lines(self.text, folds=self.folds)

    def link(self, number: int) -> Link | None:
        """The link of that number, or None."""
        return next((link for link in self.ref.links if link.n == number), None)


class Window(msgspec.Struct, frozen=True):
    """Some lines of a view, with numbers in the place of links' addresses.

    `cut` says that the first line alone was too long and is shown in part; `next_char` is then where in it to go on.
    """

    first: int
    last: int
    total: int
    shown: tuple[str, ...]
    cut: bool = False
    next_char: int | None = None

    @property
    def next_line(self) -> int | None:
        """Where to go on, None at the end. A line that is cut goes on in itself only where `next_char` is minded."""
        return self.last + 1 if self.last < self.total else None

    def links(self, view: "View") -> list[Link]:
        """The numbered links that these lines show, in their order."""
        numbers = dict.fromkeys(int(number) for line in self.shown for number in _NUMBERED.findall(line))
        by_number = {link.n: link for link in view.ref.links}
        return [by_number[number] for number in numbers if number in by_number]

    @property
    def plain(self) -> str:
        """The lines as they would be quoted: of links, the words alone."""
        return without_link_numbers("\n".join(self.shown))

    def numbered(self) -> str:
        """The lines behind their numbers; empty ones are left out, since the numbers tell."""
        return "\n".join(f"{number}: {line}" for number, line in enumerate(self.shown, self.first) if line.strip())


def window(view: View, lines: Lines, first: int, *, most_lines: int, most_chars: int, from_char: int = 1) -> Window:
    """At most so many lines from line `first` on, as far as their characters fit; one line at least, from `from_char` on."""
    numbers = _numbers(view)
    taken: list[str] = []
    room = most_chars
    for line in lines[first - 1 : first - 1 + most_lines]:
        shown = numbered_links(line if taken else line[from_char - 1 :], numbers, view.ref.url)
        if taken and len(shown) + 1 > room:
            break
        taken.append(shown[:room])
        room -= len(shown) + 1
    last = first + len(taken) - 1
    cut = len(taken) == 1 and room < -1
    return Window(first, last, len(lines), tuple(taken), cut, from_char + most_chars if cut else None)


def shown_lines(view: View, lines: Sequence[str]) -> list[str]:
    """Lines with numbers in the place of links' addresses."""
    numbers = _numbers(view)
    return [numbered_links(line, numbers, view.ref.url) for line in lines]


def _numbers(view: View) -> dict[str, int]:
    return {link.url: link.n for link in view.ref.links}


def numbered_links(line: str, numbers: dict[str, int], page_url: str) -> str:
    """A line whose links' addresses are numbers, `[text](3)`, with the host where it is another: `[text](4 x.example)`."""
    if not numbers or "](" not in line:
        return line
    return _TARGET.sub(partial(_number, numbers=numbers, page_url=page_url), line)


def _number(match: re.Match[str], numbers: dict[str, int], page_url: str) -> str:
    target = match[1] if match[1] is not None else match[2]
    plain = _UNESCAPED.sub(r"\1", target)
    number = numbers.get(target) or numbers.get(plain) or numbers.get(absolute(page_url, plain))
    if number is None:
        return match[0]
    elsewhere = host_of(target)
    return f"]({number} {elsewhere})" if elsewhere and elsewhere != host_of(page_url) else f"]({number})"


def host_of(url: str) -> str:
    """The host of an address, empty for none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
