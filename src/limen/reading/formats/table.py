"""Tables in text, as CSV and TSV, to a Page: a Markdown table of their rows."""

import csv
import io
import re
from collections import Counter
from itertools import islice
from typing import Any

from limen.core.web import Page
from limen.reading.formats.markdown_table import markdown_table
from limen.reading.formats.plain import as_it_is, first_of
from limen.reading.text_kind import Media

# Rows of so many characters are written within a second or two; of longer tables the first part is shown.
_WHOLE_CHARS = 20_000_000
_FIRST_ROWS, _LAST_ROWS = 5_000, 20
_SAMPLE_CHARS = 65_536
_SAMPLE_ROWS = 50
_MOST_COLUMNS = 1_000
_DELIMITERS = ",;\t|"
# Excel's own way to say it.
_SAID = re.compile(r"sep=(.)[ \t]*\n", re.IGNORECASE)
_NUMBER = re.compile(r"[-+(]?[$€£]?\s?\d[\d\s.,:/%-]*\)?%?$|(?:19|20)\d\d-\d\d-\d\d[T ]?[\d:.Z+]*$")
_CELL = re.compile(r"(?<![ \t])[ \t]*+\n\s*|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_LINES_A_ROW = 2
_YEAR = re.compile(r"1[89]\d\d|20\d\d")
Rows = list[list[str]]


def read_table(text: str, _url: str, media: Media) -> Page:
    """A table whose rows are all as wide as the widest, or the text as it is where it is none.

    Where the first row reads as any other, the columns are named by numbers. Cells are on one line, `|` escaped.
    """
    said = _SAID.match(text)
    body = text[said.end() :] if said else text
    notices: tuple[str, ...] = ()
    try:
        rows, count = _rows(body, said.group(1) if said else _delimiter(body, media.media_type))
    except csv.Error:
        rows, count = [], 0
        notices = ("This does not hold together as a table, so it is shown as it is.",)
    if count > len(rows):
        notices = first_of(_FIRST_ROWS, count, "rows", _LAST_ROWS)
    width = max(map(len, rows), default=0)
    if width < 2 or width > _MOST_COLUMNS or width * len(rows) > len(text) * 4:
        shown = as_it_is(text) if width != 1 or media.kind != "table" else "\n".join(row[0] for row in rows)
    else:
        shown = _markdown(rows, width, count)
    return Page(text=shown, notices=notices)


def _rows(text: str, delimiter: str) -> tuple[Rows, int]:
    """The rows that are shown, and how many there are. Blank ones say nothing."""
    try:
        return _read(text, delimiter, strict=True)
    except csv.Error:  # a quote that is never closed, or stands within a cell
        rows, count = _read(text, delimiter, strict=False)
    lines = text.count("\n")
    return _read(text, delimiter, quoting=csv.QUOTE_NONE) if count * _LINES_A_ROW <= lines else (rows, count)


def _read(text: str, delimiter: str, **options: Any) -> tuple[Rows, int]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, **options)
    rows = (row for row in reader if any(cell.strip() for cell in row))
    if len(text) <= _WHOLE_CHARS:
        whole = list(rows)
        return whole, len(whole)
    first = list(islice(rows, _FIRST_ROWS))
    last: Rows = []
    count = len(first)
    for row in rows:
        count += 1
        last.append(row)
        if len(last) > 2 * _LAST_ROWS:
            del last[:-_LAST_ROWS]
    return first + last[-_LAST_ROWS:], count


def _delimiter(text: str, media_type: str) -> str:
    """The sign that divides most rows into equally many cells, the more the better."""
    if media_type == "text/tab-separated-values":
        return "\t"
    sample = text[:_SAMPLE_CHARS]
    if len(text) > _SAMPLE_CHARS:
        sample = sample[: sample.rfind("\n") + 1] or sample
    return max(_DELIMITERS, key=lambda sign: _evenness(sample, sign))


def _evenness(sample: str, delimiter: str) -> tuple[float, int]:
    try:
        reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter, skipinitialspace=True)
        widths = Counter(len(row) for row in islice(reader, _SAMPLE_ROWS) if row)
    except csv.Error:
        return (0.0, 0)
    if not widths:
        return (0.0, 0)
    width, rows = max(widths.items(), key=lambda item: (item[1], item[0]))
    return (rows / widths.total() if width > 1 else 0.0, width)


def _markdown(rows: Rows, width: int, count: int) -> str:
    shown = rows if _has_head(rows) else [[f"{n}" for n in range(1, width + 1)], *rows]
    if count > len(rows):
        shown = [*shown[:-_LAST_ROWS], [f"… {count - len(rows):,} more rows …"], *shown[-_LAST_ROWS:]]
    return markdown_table((list(map(_cell, row)) for row in shown), width)


def _has_head(rows: Rows) -> bool:
    """Whether the first row names the columns: it holds words of its own where others hold numbers, or nothing at all."""
    head = [cell.strip() for cell in rows[0]]
    numbers = [cell for cell in head if _NUMBER.match(cell)]
    if len(rows) == 1 or (numbers and len(numbers) < len(head) and all(map(_YEAR.fullmatch, numbers))):
        return True
    filled = [cell for cell in head if cell]
    if numbers or len(filled) * 2 < len(head):
        return False
    return len(set(filled)) == len(filled) or any(_NUMBER.match(cell.strip()) for cell in rows[1])


def _cell(cell: str) -> str:
    plain = cell.strip()
    return _CELL.sub(" ", plain) if "\n" in plain or not plain.isprintable() else plain
