"""JSON outputs, on however many lines: every array's records are read field by field, with the span each one stands at."""

import json
import re
from bisect import bisect_right
from decimal import Decimal
from itertools import accumulate
from typing import Any

from limen.evidence.extractor import Told
from limen.evidence.extractors.fields import Column, Records, Where, said, trouble
from limen.evidence.findings import Findings, Quote, Tally

# More is not held: what was read until there is reported, and that it was so.
_MOST_CHARS = 32_000_000
_DEEPEST = 5
_MOST_ARRAYS = 40
# An object with so many members that are objects is a table whose keys are names.
_TABLE_MEMBERS = 20
_TOLD_CHARS = 1_600
_MOST_QUOTES = 80
# What is told of an output's ends before it is read has lines of so many characters: a longer one is cut.
_CUT_CHARS = 2_000
# How far into a record a key is looked for.
_RECORD_CHARS = 20_000
# Lines before the JSON, such as a tool's warnings.
_FIRST_LINES = 20

_BEGINS = re.compile(
    r'\s*(?:\{\s*(?:"|\}|$)|\[\s*(?:$|[\[{"\]]|-?\d[\d.eE+-]*\s*[,\]]\s*(?:$|[-\d"\[{])|(?:true|false|null)\s*[,\]]))'
)
_BLANK = re.compile(r"[ \t\r\n]*")
_DECODE = json.JSONDecoder(parse_float=Decimal, strict=False).raw_decode


def decode(text: str, at: int = 0) -> tuple[Any, int]:
    """The value that begins at a character, and where it ends; numbers exact. ValueError for what is no JSON."""
    try:
        return _DECODE(text, at)
    except (RecursionError, StopIteration, IndexError) as error:
        raise ValueError(str(at)) from error


class JsonText:
    """The extractor for one JSON document, or several one after another."""

    name = "json"

    def fits(self, told: Told) -> float:
        """By how it begins; less where lines that are no JSON go before."""
        lines = [line for line in told.head[:_FIRST_LINES] if line.strip()]
        ends = any(line.rstrip()[-1:] in ("}", "]") or len(line) >= _CUT_CHARS for line in told.tail[-3:] if line.strip())
        if lines and _BEGINS.match(lines[0]):
            return 0.96 if ends else 0.85
        return 0.9 if ends and any(line[0] in "[{" and _BEGINS.match(line) for line in lines) else 0.0

    def read(self, told: Told) -> "JsonReading":
        """Begin to read an output."""
        return JsonReading()


class JsonReading:
    """One JSON output. Holds it whole, up to 32 million characters: a value may span every line."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._chars = 0
        self._unread = 0
        self._text = ""
        self._starts: list[int] = []
        self._arrays: dict[str, Records] = {}
        self._columns: dict[str, tuple[Column, Where]] = {}
        self._roots: list[str] = []
        self._quotes: list[Quote] = []

    def line(self, number: int, text: str) -> None:
        """Keep a line until the end is there."""
        self._chars += len(text) + 1
        if self._chars <= _MOST_CHARS:
            self._lines.append(text)
        else:
            self._unread += 1

    def findings(self) -> Findings:
        """The shape of each document, its records field by field, what went wrong in them and what stands out."""
        self._text = "\n".join(self._lines)
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]
        at = self._begin()
        broken = self._documents(at)
        told = [f"JSON: {'; '.join(self._roots[:4])}" if self._roots else "JSON"]
        if broken is not None:
            where = self._where(broken)
            told.append(f"no valid JSON from line {where.line}, character {where.at + 1} on")
            self._quotes.append(where.quoted("warning"))
        tallies = self._tallies()
        told += (column.told(path, column.count) for path, (column, _) in self._columns.items())
        for records in sorted(self._arrays.values(), key=lambda one: -one.count):
            quotes, counted = records.findings()
            told += records.told()
            self._quotes += quotes
            tallies += counted
        once = {(quote.line, quote.start): quote for quote in reversed(self._quotes[:_MOST_QUOTES])}
        return Findings("json", within(told), (), tuple(once[place] for place in sorted(once)), tuple(tallies))

    def _begin(self) -> int:
        for index, line in enumerate(self._lines[:_FIRST_LINES]):
            if _BEGINS.match(line):
                return self._starts[index]
            if line.strip() and index < _FIRST_LINES:
                self._quotes.append(Where(index + 1, line).quoted("note"))
        return 0

    def _documents(self, at: int) -> int | None:
        """Read document after document. Where the text stops being JSON; None where it does not."""
        reached = at
        try:
            while (at := self._skip(at)) < len(self._text):
                reached = at
                if len(self._roots) >= _MOST_ARRAYS:
                    return at
                at = self._value(at, "$", 0)
        except ValueError:
            return self._furthest(reached)
        return None

    def _furthest(self, at: int) -> int:
        try:
            _DECODE(self._text, at)
        except json.JSONDecodeError as error:
            return min(error.pos, len(self._text) - 1)
        except (ValueError, RecursionError):
            return at
        return at

    def _skip(self, at: int) -> int:
        match = _BLANK.match(self._text, at)
        return at if match is None else match.end()

    def _value(self, at: int, path: str, depth: int) -> int:
        opening = self._text[at]
        if opening == "{":
            return self._object(at, path, depth)
        if opening == "[":
            return self._array(at, path, depth)
        value, end = decode(self._text, at)
        if depth == 0:
            self._roots.append(said(value))
        return end

    def _object(self, at: int, path: str, depth: int) -> int:
        members: list[tuple[str, int, Any]] = []
        end = self._skip(at + 1)
        while self._text[end : end + 1] != "}":
            if self._text[end : end + 1] != '"':
                raise ValueError(end)
            key, end = decode(self._text, end)
            begin = self._skip(self._past(end, ":"))
            value, end = self._whole(begin, f"{path}.{key}", depth)
            members.append((key, begin, value))
            end = self._next(end, "}")
        if depth == 0:
            shown = ", ".join(f"{key} {said(value)}" for key, _, value in members[:24])
            self._roots.append(f"object of {len(members)}: {shown}")
        inner = [member for member in members if isinstance(member[2], dict)]
        if len(inner) >= _TABLE_MEMBERS and len(inner) >= 0.8 * len(members):
            records = self._records(f"{path}.*")
            for key, begin, value in inner:
                records.add({"(name)": key, **value}, self._where(begin))
            return end + 1
        for key, begin, value in members:
            self._member(f"{path}.{key}", key, begin, value, depth)
        return end + 1

    def _member(self, path: str, key: str, begin: int, value: Any, depth: int) -> None:
        if (weight := trouble(key, value)) is not None:
            self._quotes.append(self._where(begin).quoted(weight))
        if isinstance(value, (dict, list)) and depth < _DEEPEST and len(self._arrays) < _MOST_ARRAYS:
            self._value(begin, path, depth + 1)

    def _array(self, at: int, path: str, depth: int) -> int:
        count, first = 0, ""
        end = self._skip(at + 1)
        begin = at
        while self._text[end : end + 1] != "]":
            begin = end
            value, end = self._whole(begin, f"{path}[]", depth)
            count += 1
            first = first or said(value)
            where = self._where(begin)
            if isinstance(value, dict):
                self._records(f"{path}[]").add(value, where)
            elif len(self._columns) < _MOST_ARRAYS or f"{path}[]" in self._columns:
                self._columns.setdefault(f"{path}[]", (Column(), where))[0].add(value, where)
            end = self._next(end, "]")
        if depth == 0:
            self._roots.append(f"array of {count}")
        return end + 1

    def _whole(self, begin: int, path: str, depth: int) -> tuple[Any, int]:
        """A value, and where it ends. Of one that is cut off or broken what it does hold is read first."""
        try:
            return decode(self._text, begin)
        except ValueError:
            if depth < _DEEPEST and self._text[begin : begin + 1] in ("{", "["):
                self._value(begin, path, depth + 1)
            raise

    def _find(self, where: Where, key: str) -> Where:
        """Where a key of a record stands: on its own line where the record has several."""
        begin = self._starts[where.line - 1] + where.at
        at = self._text.find(f'"{key}"', begin, begin + _RECORD_CHARS)
        return where if at < 0 else self._where(at)

    def _next(self, end: int, closing: str) -> int:
        end = self._skip(end)
        following = self._text[end : end + 1]
        if following == closing:
            return end
        if following != ",":
            raise ValueError(end)
        return self._skip(end + 1)

    def _past(self, end: int, sign: str) -> int:
        end = self._skip(end)
        if self._text[end : end + 1] != sign:
            raise ValueError(end)
        return end + 1

    def _records(self, path: str) -> Records:
        if path not in self._arrays and len(self._arrays) >= _MOST_ARRAYS:
            path = "other arrays"
        return self._arrays.setdefault(path, Records(path, self._find))

    def _where(self, at: int) -> Where:
        index = bisect_right(self._starts, at, hi=len(self._lines)) - 1
        return Where(index + 1, self._lines[index], at - self._starts[index])

    def _tallies(self) -> list[Tally]:
        if not self._unread:
            return []
        first = len(self._lines) + 1
        return [Tally("lines beyond what is held of one JSON document", self._unread, first, first + self._unread - 1)]


def within(told: list[str]) -> str:
    """As much of what is told as a report has room for, the first and largest whole."""
    shown: list[str] = []
    left = _TOLD_CHARS
    for index, line in enumerate(told):
        if left < 80:
            shown.append(f"{len(told) - index} more parts")
            break
        shown.append(line if len(line) <= left else line[: left - 1] + "…")
        left -= len(shown[-1])
    return "\n".join(shown)
