"""A post taken apart: its text, who wrote it, when, and how it was judged."""

import re

import msgspec
from turbohtml import Element

from limen.reading.html.linked_data import line_of
from limen.reading.html.posts.signs import ACCEPTED, AUTHOR_ATTRIBUTES, AUTHORS, DATES, SCORES

_AUTHOR_CHARS = 60
_DATE_CHARS = 60
_LOOKED_AT = 6
_BY = re.compile(
    r"^(?:written|posted|submitted)?\s*(?:by|from)\b:?\s*|\s+(?:says|said|wrote|writes|commented)\s*:?$|^[@–—-]\s*", re.IGNORECASE
)
_NO_AUTHOR = re.compile(r"^(?:reply|quote|report|share|like|permalink|profile|view profile|author|name|\W+)$", re.IGNORECASE)
_GUESSES = frozenset(AUTHORS[3:])
_COUNT = re.compile(r"[#\d,.\s]+$")
_ISO = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?")
_EXACT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b")
_DATE_LEAD = re.compile(
    r"^(?:\W|(?:last\s+)?(?:posted|published|created|commented|answered|asked|edited|on|at|wrote|writes|said|date|by)\b(?!\s*\w+\s*:))+",
    re.IGNORECASE,
)
_WRITTEN_DATE = re.compile(
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?(?:\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}|"
    r"\d{1,2}(?:st|nd|rd|th)?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?,?\s+\d{4})"
    r"(?:,?\s*(?:at\s+|@\s*|-\s*|,\s*)?\d{1,2}:\d\d(?::\d\d)?(?:\s*[ap]\.?m\.?)?)?",
    re.IGNORECASE,
)
_DATE_ATTRIBUTES = ("datetime", "content", "ts", "date", "title", "data-date-string")
_NUMBER = re.compile(r"-?\d[\d,.]*\s?[kK]?")
_OTHERS = re.compile(r"\b(\d{1,9}) other")
_SHOWN_HEADER_CHARS = 2_000
_LINE_CHARS = 100


class Post(msgspec.Struct, frozen=True):
    """One post of a page; `root` is all of it, `bodies` its text in order. Empty strings where the page does not say."""

    root: Element
    bodies: tuple[Element, ...]
    author: str
    date: str
    score: str
    is_accepted: bool


class Parts:
    """Finds the parts of one post that are neither in its text nor in a post below it."""

    def __init__(self, root: Element, bodies: tuple[Element, ...], inner: frozenset[Element]) -> None:
        self._root = root
        self._foreign = inner | frozenset(bodies)

    def author(self) -> str:
        """Who wrote it; empty where no sign of an author is found."""
        for name in AUTHOR_ATTRIBUTES:
            found = _author(self._root.attr(name) or "")
            if found:
                return found
        for selector in AUTHORS:
            for element in self._own(selector):
                found = _author(element.attr("content") or element.text)
                if found and not (selector in _GUESSES and _COUNT.match(found)):
                    return found
        return ""

    def line_before(self, body: Element) -> tuple[str, str]:
        """Author and date from the words right before a text, as in "Ada · 3 March 2026"; empty where there are none."""
        words = body.text[:_SHOWN_HEADER_CHARS]
        before = " ".join(self._root.text.partition(words)[0].split())[-_LINE_CHARS:]
        found = _WRITTEN_DATE.search(before)
        return (_author(before[: found.start()].split("  ")[-1]), found.group(0)) if found else ("", "")

    def date(self) -> str:
        """When, as written where that has a year, else the machine-readable date to the minute."""
        for selector in DATES:
            for element in self._own(selector):
                found = date_of(element)
                if found:
                    return found
        return ""

    def score(self) -> str:
        """How it was judged, with what was counted, as "12 votes"; empty for nothing and nought."""
        stated = self._root.attr("score") or ""
        if stated:
            return counted(stated, "points")
        for selector, unit in SCORES:
            for element in self._own(selector):
                found = self._counted(element, unit)
                if found:
                    return found
        return ""

    def _counted(self, element: Element, unit: str) -> str:
        if unit == "reactions":  # names, and how many more
            more = _OTHERS.search(element.text)
            return counted(str(len(element.select("bdi")) + int(more.group(1) if more else 0)), unit)
        value = element.attr("content") or element.text
        return counted(value if value.strip() else element.attr("data-value") or element.attr("title") or "", unit)

    def is_accepted(self) -> bool:
        """Whether the page marks it as the answer."""
        return self._root.matches(ACCEPTED) or any(True for _ in self._own(ACCEPTED))

    def _own(self, selector: str) -> list[Element]:
        return [element for element in self._root.select(selector)[:_LOOKED_AT] if not self._is_foreign(element)]

    def _is_foreign(self, element: Element) -> bool:
        if element in self._foreign:
            return True
        for ancestor in element.ancestors:
            if ancestor == self._root:
                return False
            if ancestor in self._foreign:
                return True
        return True


def counted(value: str, unit: str) -> str:
    """A count with its unit, in the singular for one; empty for nought and for no number."""
    found = _NUMBER.search(value)
    number = "".join(found.group(0).split()).rstrip(".,") if found else ""
    if not number.strip("-0.,"):
        return ""
    return f"{number} {unit.removesuffix('s')}" if number in {"1", "-1"} else f"{number} {unit}"


def date_of(element: Element) -> str:
    """What an element says of a moment: its text if that has a year, else the date in its attributes."""
    written = _DATE_LEAD.sub("", " ".join(element.text.split()))
    if _YEAR.search(written):
        if len(written) <= _DATE_CHARS:
            return moment(written) if _EXACT.match(written) else written
        found = _WRITTEN_DATE.search(written[:_SHOWN_HEADER_CHARS])
        if found:
            return found.group(0)
    return next(filter(None, (moment(element.attr(name) or "") for name in _DATE_ATTRIBUTES)), "")


def moment(stated: str) -> str:
    """A date of data, to the minute where it is ISO 8601, else as it is written; empty where it is none."""
    found = _ISO.search(stated[:_DATE_CHARS])
    if found:
        return " ".join(filter(None, found.groups()))
    found = _WRITTEN_DATE.search(" ".join(stated[:_DATE_CHARS].split()))
    return found.group(0) if found else ""


def _author(text: str) -> str:
    name = _BY.sub("", line_of(text)).strip(" :,·•|")
    return "" if not name or len(name) > _AUTHOR_CHARS or _NO_AUTHOR.match(name) else name
