"""Data outputs read line by line: JSON objects one a line, tables with separators, YAML. One JSON document: `json_text`."""

import csv
import re
from collections import Counter
from typing import Any

from limen.evidence.extractor import Told
from limen.evidence.extractors.fields import Column, Records, Where, trouble
from limen.evidence.extractors.json_text import JsonText, decode, within
from limen.evidence.findings import Findings, Quote, Tally

_MOST_QUOTES = 80
_SHOWN_STRANGERS = 3


class _Strangers:
    """Lines that are not of the format: counted, the first few quoted."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._span = [0, 0, 0]
        self._quotes: list[Quote] = []

    def add(self, number: int, text: str) -> None:
        self._span = [self._span[0] + 1, self._span[1] or number, number]
        if len(self._quotes) < _SHOWN_STRANGERS and text.strip():
            self._quotes.append(Where(number, text).quoted("note"))

    def findings(self) -> tuple[list[Quote], list[Tally]]:
        count, first, last = self._span
        return self._quotes, [Tally(self._what, count, first, last)] if count else []


def _found(kind: str, records: Records, strangers: _Strangers, first: str) -> Findings:
    quotes, tallies = records.findings()
    more, counted = strangers.findings()
    once = {(quote.line, quote.start): quote for quote in (*more, *reversed(quotes[:_MOST_QUOTES]))}
    told = [first, *records.told()] if records.count else [first]
    return Findings(kind, within(told), (), tuple(once[place] for place in sorted(once)), (*tallies, *counted))


class JsonLines:
    """The extractor for streams of JSON objects, each on a line."""

    name = "json-lines"

    def fits(self, told: Told) -> float:
        """By the share of lines that are whole objects."""
        lines = [line for line in told.head if line.strip()]
        whole = sum(1 for line in lines if line[:1] == "{" and (line.rstrip()[-1:] == "}" or len(line) >= 2000))
        return 0.97 if whole >= 2 and whole >= 0.6 * len(lines) else 0.0

    def read(self, told: Told) -> "JsonLinesReading":
        """Begin to read an output."""
        return JsonLinesReading()


class JsonLinesReading:
    """One stream of objects."""

    def __init__(self) -> None:
        self._records = Records("lines")
        self._strangers = _Strangers("lines that are no JSON objects")

    def line(self, number: int, text: str) -> None:
        """Read one object."""
        begin = len(text) - len(text.lstrip())
        try:
            value, end = decode(text, begin) if text[begin : begin + 1] == "{" else (None, 0)
        except ValueError:
            value, end = None, 0
        if isinstance(value, dict) and not text[end:].strip():
            self._records.add(value, Where(number, text, begin))
        elif text.strip():
            self._strangers.add(number, text)

    def findings(self) -> Findings:
        """The objects field by field."""
        return _found("json-lines", self._records, self._strangers, f"JSON lines: {self._records.count} objects")


_SEPARATORS = ("\t", ",", ";", "|")
_RULE = re.compile(r"[-+|=\s]+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
# A cell with line breaks may take so many lines.
_MOST_CELL_LINES = 100
_FEWEST_ROWS = 4
_MOST_NAME_CHARS = 60


class Table:
    """The extractor for CSV and its kin."""

    name = "table"

    def fits(self, told: Told) -> float:
        """By a separator that cuts nearly every line into as many cells, and a first line of names."""
        separator = _separator(told)
        if separator is None:
            return 0.0
        return 0.9 if ".csv" in told.command or ".tsv" in told.command or separator == "\t" else 0.7

    def read(self, told: Told) -> "TableReading":
        """Begin to read an output."""
        return TableReading(_separator(told) or ",")


def _separator(told: Told) -> str | None:
    lines = [line for line in told.head[:60] if line.strip() and not _RULE.fullmatch(line)]
    if len(lines) < _FEWEST_ROWS:
        return None
    for separator in _SEPARATORS:
        counts = Counter(len(_cells(line, separator)) for line in lines)
        cells, common = counts.most_common(1)[0]
        names = _cells(lines[0], separator)
        named = len(names) == cells and len(set(names)) == cells and all(
            name and len(name) <= _MOST_NAME_CHARS and not name[0].isdigit() and "/" not in name for name in names
        )  # fmt: skip
        if cells >= 2 and common >= 0.85 * len(lines) and named and (cells > 2 or separator == "\t" or ".csv" in told.command):
            return separator
    return None


def _cells(line: str, separator: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
    except csv.Error:
        return [line]


class TableReading:
    """One table. A cell may hold line breaks; a row whose number of cells differs stands out."""

    def __init__(self, separator: str) -> None:
        self._separator = separator
        self._names: list[str] = []
        self._records = Records("rows")
        self._strangers = _Strangers("rows with another number of cells")
        self._open: list[str] = []
        self._begun = Where(0, "")

    def line(self, number: int, text: str) -> None:
        """Read one row, or a line of one whose cell goes on."""
        if not self._open:
            if not text.strip() or _RULE.fullmatch(text):
                return
            self._begun = Where(number, text)
        self._open.append(text)
        if sum(part.count('"') for part in self._open) % 2 and len(self._open) < _MOST_CELL_LINES:
            return
        cells = _cells("\n".join(self._open), self._separator)
        self._open = []
        if not self._names:
            self._names = cells
        elif len(cells) != len(self._names):
            self._strangers.add(self._begun.line, self._begun.text)
        else:
            self._records.add({name: _value(cell) for name, cell in zip(self._names, cells, strict=True)}, self._begun)

    def findings(self) -> Findings:
        """The columns: least and most, values, what went wrong, rows that stand out."""
        if self._open:
            self._strangers.add(self._begun.line, self._begun.text)
        first = f"table: {self._records.count} rows, columns {', '.join(self._names)}"
        return _found("table", self._records, self._strangers, first[:800])


def _value(cell: str) -> Any:
    """A cell as JSON would have it, a number exact; a number with leading zeros is a name."""
    if _NUMBER.fullmatch(cell) and len(cell) < 40 and not re.match(r"-?0\d", cell):
        return decode(cell)[0]
    return {"": None, "true": True, "false": False}.get(cell, cell)


_ENTRY = re.compile(
    r"(?P<indent> *)(?P<item>(?:- +)*)(?P<key>[\w./$@-]{1,100}|\"[^\"]{1,100}\"|'[^']{1,100}'):(?: +(?P<value>.*))?$"
)
_ITEM = re.compile(r" *- ")
_MOST_PATHS = 200
_SHOWN_PATHS = 24


class Yaml:
    """The extractor for YAML."""

    name = "yaml"

    def fits(self, told: Told) -> float:
        """By the command or a first line that only YAML has, and by the share of lines that are keys or items, some nested."""
        lines = [line for line in told.head if line.strip() and not line.lstrip().startswith("#")]
        formed = sum(1 for line in lines if _ENTRY.match(line) or _ITEM.match(line) or line == "---")
        nested = sum(1 for line in lines if (match := _ENTRY.match(line)) and match["indent"])
        if len(lines) < _FEWEST_ROWS or formed < 0.7 * len(lines) or not nested:
            return 0.0
        told_so = any(sign in told.command for sign in (".yaml", ".yml", "-o yaml", "-oyaml", "helm template", "compose config"))
        return 0.85 if told_so or lines[0] == "---" or lines[0].startswith("apiVersion:") else 0.6

    def read(self, told: Told) -> "YamlReading":
        """Begin to read an output."""
        return YamlReading()


class YamlReading:
    """One YAML output: keys by their path, with the values that stand on their lines."""

    def __init__(self) -> None:
        self._documents = 0
        self._separated = True
        self._stack: list[tuple[int, str]] = []
        self._columns: dict[str, Column] = {}
        self._tops: dict[str, list[int]] = {}
        self._quotes: list[Quote] = []
        self._top = ""

    def line(self, number: int, text: str) -> None:
        """Read one line: a key with or without a value, or what belongs to one."""
        if text.startswith("---"):
            self._separated = True
            return
        if self._separated and text.strip():
            self._documents += 1
            self._separated, self._stack = False, []
        match = _ENTRY.match(text[:2000])
        if match is None:
            if self._top and text[:1] in (" ", "-"):
                self._tops[self._top][2] = number
            return
        indent = len(match["indent"]) + len(match["item"])
        key = match["key"].strip("\"'")
        while self._stack and self._stack[-1][0] >= indent:
            self._stack.pop()
        self._stack.append((indent, key))
        path = ".".join(part for _, part in self._stack)[:200]
        if indent == 0:
            self._top = key if key in self._tops or len(self._tops) < _MOST_PATHS else "other keys"
        if self._top:
            span = self._tops.setdefault(self._top, [0, number, number])
            self._tops[self._top] = [span[0] + (indent == 0), span[1], number]
        value = _scalar(match["value"] or "")
        if value is not None:
            self._leaf(path, key, value, Where(number, text))

    def _leaf(self, path: str, key: str, value: Any, where: Where) -> None:
        if path in self._columns or len(self._columns) < _MOST_PATHS:
            self._columns.setdefault(path, Column()).add(value, where)
        weight = trouble(key, value)
        if weight is not None and len(self._quotes) < _MOST_QUOTES:
            self._quotes.append(where.quoted(weight))

    def findings(self) -> Findings:
        """Documents, top keys with their lines, and the values by path."""
        several = self._documents > 1
        shown = list(self._tops.items())[:_SHOWN_PATHS]
        tops = ", ".join(f"{key} ×{span[0]}" if several else f"{key} ({span[1]}-{span[2]})" for key, span in shown)
        told = [f"YAML: {self._documents} documents, keys {tops}" if several else f"YAML: keys {tops}"]
        ranked = sorted(self._columns.items(), key=lambda entry: -entry[1].count)[:_SHOWN_PATHS]
        told += (column.told(path, column.count) for path, column in ranked)
        tallies = tuple(Tally(f"lines under {key}", span[2] - span[1] + 1, span[1], span[2]) for key, span in self._tops.items())
        tallies = () if several else tallies
        return Findings("yaml", within(told), (), tuple(self._quotes), tallies)


def _scalar(text: str) -> Any:
    """The value on a key's line; None where it stands below, or is empty."""
    text = text.strip()
    if not text or text[0] in "|>&#":
        return None
    return text.strip("\"'") if text[0] in "\"'" else _value(text)


DATA_EXTRACTORS = (JsonText(), JsonLines(), Table(), Yaml())
"""The extractors of data."""
