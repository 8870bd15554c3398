"""JSON and lines of JSON to a Page: laid out anew, with every number and name as it was written."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from limen.core.web import Heading, Page
from limen.reading.formats.digest import STRING, digest_of
from limen.reading.formats.plain import as_it_is, first_of
from limen.reading.text_kind import Media

# Laying out takes about a second for so much; larger texts are told by their structure.
WHOLE_CHARS = 8_000_000
_MOST_KEYS = 300
_SCALAR = r"[^\s\[\]{},:\"]++"
_TOKEN = re.compile(rf"\[\s*+(?:{_SCALAR}\s*+,?\s*+)*+\]|\{{\s*+\}}|[\[\]{{}},:]|{STRING}|{_SCALAR}", re.DOTALL)
_ESCAPE = re.compile(r"\\u[dD]([89abAB][0-9a-fA-F]{2})\\u[dD]([c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\(.)", re.DOTALL)
_KEY = re.compile(rf"^  ({STRING}): ", re.MULTILINE)
# What stays an escape: controls, the string's own signs, separators that would break a line, halves of pairs, noncharacters.
_KEPT = re.compile('[\x00-\x1f"\\\\\x7f-\x9f\u2028\u2029\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff]')
_ROW_CHARS = 100
# Deeper than this nothing is set in further: a hundred thousand brackets would make as many blanks a line.
_DEEPEST = 30
_SHORT_RECORD_CHARS = 400
_FIRST_RECORDS, _LAST_RECORDS = 1_000, 5


def read_json(text: str, _url: str, _media: Media) -> Page:
    """JSON indented by two where it can be parsed, else as it came; the names of its first level are its outline."""
    large = len(text) > WHOLE_CHARS
    found = digest_of(text) if large else laid_out(text)
    shown = found or as_it_is(text)
    outline = tuple(Heading(1, name, line) for name, line in islice(_keys(shown), _MOST_KEYS))
    notice = f"Of {len(text):,} characters of JSON this shows the structure, with the first and last items of each part."
    return Page(text=shown, outline=outline, notices=(notice,) if large and found else ())


def read_lines(text: str, _url: str, _media: Media) -> Page:
    """Lines of JSON: short records a line each, as they came; long ones laid out."""
    lines = [line for line in text.split("\n") if line.strip()]
    notices: tuple[str, ...] = ()
    count = len(lines)
    if len(text) > WHOLE_CHARS and count > _FIRST_RECORDS + _LAST_RECORDS:
        left_out = count - _FIRST_RECORDS - _LAST_RECORDS
        lines = [*lines[:_FIRST_RECORDS], f"… {left_out:,} more records …", *lines[-_LAST_RECORDS:]]
        notices = first_of(_FIRST_RECORDS, count, "records of JSON", _LAST_RECORDS)
    if sum(map(len, lines)) > _SHORT_RECORD_CHARS * len(lines):
        lines = [laid_out(line) or line for line in lines]
    return Page(text="\n".join(lines), notices=notices)


def value_of(text: str) -> Any:
    """The value of a JSON text; None for what is none, or nested beyond reason."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def laid_out(text: str) -> str:
    """A JSON text with one item a line; rows of numbers stay together. Empty where it is no JSON, or nested beyond reason.

    What it says is not touched: numbers of any size, names that stand twice. Escapes become the characters they mean.
    """
    try:
        json.loads(text, parse_int=str, strict=False)
    except (ValueError, RecursionError):
        return ""
    pieces: list[str] = []
    depth = 0
    for found in _TOKEN.finditer(text):
        token = found.group()
        first = token[0]
        if first == '"':
            pieces.append(_read(token))
        elif first == ",":
            pieces.append(f",\n{_indent(depth)}")
        elif first == ":":
            pieces.append(": ")
        elif token in {"[", "{"}:
            depth += 1
            pieces.append(f"{token}\n{_indent(depth)}")
        elif token in {"]", "}"}:
            depth -= 1
            pieces.append(f"\n{_indent(depth)}{token}")
        else:
            pieces.append(_row(token, depth) if first == "[" else "{}" if first == "{" else token)
    return "".join(pieces)


def _indent(depth: int) -> str:
    return "  " * min(depth, _DEEPEST)


def _row(token: str, depth: int) -> str:
    """Numbers and the like on one line, or on as few as hold them."""
    values = [value.strip() for value in token[1:-1].split(",")]
    if sum(map(len, values)) + 2 * len(values) <= _ROW_CHARS:
        return f"[{', '.join(values)}]"
    lines: list[list[str]] = [[]]
    size = 0
    for value in values:
        if size + len(value) > _ROW_CHARS and lines[-1]:
            lines.append([])
            size = 0
        lines[-1].append(value)
        size += len(value) + 2
    inner = f",\n{_indent(depth + 1)}".join(", ".join(line) for line in lines)
    return f"[\n{_indent(depth + 1)}{inner}\n{_indent(depth)}]"


def _read(token: str) -> str:
    return _ESCAPE.sub(_meant, token) if "\\u" in token or "\\/" in token else token


def _meant(found: re.Match[str]) -> str:
    high, low, single, other = found.groups()
    if other is not None:
        return "/" if other == "/" else found.group()
    char = chr(int(single, 16)) if single else chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
    return found.group() if _KEPT.match(char) else char


def _keys(shown: str) -> Iterator[tuple[str, int]]:
    """The names of the first level, and their lines."""
    line, seen = 1, 0
    for found in _KEY.finditer(shown):
        line += shown.count("\n", seen, found.start())
        seen = found.start()
        try:
            yield json.loads(found.group(1), strict=False) or found.group(1), line
        except ValueError:  # a text that is no JSON, shown as it is
            yield found.group(1), line
