"""Lines of JSON as a command reads them: one wish a line, a bad one costs itself alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import click
import msgspec

from limen.core.fault import Refusal

Row = TypeVar("Row")
# A line is held in memory as a whole; one that is longer is no wish.
MAX_LINE_BYTES = 64 << 20
STANDARD_INPUT = Path("-")


class Line(NamedTuple, Generic[Row]):
    """A line's number, from 1, and its row, or why it is none."""

    number: int
    row: Row | Refusal


def read_lines(file: Path, kind: type[Row]) -> Iterator[Line[Row]]:
    """Every line that is not blank, in order. Raises OSError for a file that cannot be read."""
    decoder = msgspec.json.Decoder(kind)
    with click.open_file(str(file), "rb") as lines:
        number = 0
        while line := lines.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                yield Line(number, _bad(number, f"it is longer than {MAX_LINE_BYTES:,} bytes"))
                while line and not line.endswith(b"\n"):
                    line = lines.readline(MAX_LINE_BYTES)
            elif line.strip():
                yield _line(number, line, decoder)


def _line(number: int, line: bytes, decoder: "msgspec.json.Decoder[Row]") -> Line[Row]:
    try:
        return Line(number, decoder.decode(line))
    except msgspec.ValidationError as error:
        return Line(number, _bad(number, str(error)))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return Line(number, _bad(number, "it is no JSON"))


def _bad(number: int, why: str) -> Refusal:
    return Refusal("batch", "cli.bad_line", f"line {number} cannot be used: {why}", "Write one JSON object a line.")


def published(line: Line[Any], refusal: Refusal) -> dict[str, Any]:
    """A bad line's place in the output."""
    return {"id": None, "line": line.number, "error": refusal.published()}
