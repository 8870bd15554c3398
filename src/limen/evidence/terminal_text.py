"""What a terminal would have shown of an output, line by line: no codes, no overwritten progress, no control characters.

A line ends with "\\n" and with nothing else, so that its number is the stored original's.
"""

import re
from collections.abc import Iterable, Iterator

# So wide a row is assumed: no move of the cursor goes beyond it, and no erasing reaches further back.
_ROW = 512
# A line that is longer and still unfinished is resolved as far as its last carriage return, so that progress takes no memory;
# without one, so much of its beginning is read and the rest is not.
_PENDING_CHARS = 1 << 20

_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# A title or a link is taken out only when it ends; what begins like one and does not is text that someone may want to hide.
_COLOUR = re.compile(r"\x1b\[[0-9;:]*+m")
_CONTROL = re.compile(
    r"\x1b\[(?P<arguments>[0-9;:<=>?]*+)[ -/]*+(?P<final>[@-~])"
    r"|\x1b\][^\x07\x1b]*+(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*+\x1b\\|\x1b[ -/]*+[0-OQ-WYZ`-~]"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)


def resolved_lines(chunks: Iterable[str]) -> Iterator[str]:
    """The lines of a text that comes in pieces of any size. Takes time in proportion to its length, and the memory of a piece and
    of the longest line as it is shown. A last line without an end counts; nothing behind the last end does not.

    Of a line that goes on over many pieces a mebicharacter is given, and what its last piece holds.
    """
    pending: list[str] = []
    pending_chars = 0
    row = _Row()
    for chunk in chunks:
        ended, newline, rest = chunk.rpartition("\n")
        if newline:
            yield from _shown("".join(pending) + ended, row)
            pending, pending_chars, row = [], 0, _Row()
        pending.append(rest)
        pending_chars += len(rest)
        if pending_chars > _PENDING_CHARS:
            done, moved, rest = "".join(pending).rpartition("\r")
            if moved:
                row.feed(done + moved)
            rest = rest[:_PENDING_CHARS]
            pending, pending_chars = [rest], len(rest)
    if any(pending) or row.touched:
        yield from _shown("".join(pending), row)


def _shown(text: str, row: "_Row") -> Iterator[str]:
    """The lines of `text`, the first of which goes on with `row`."""
    if not row.touched and _ODD.search(text) is None:
        yield from text.split("\n")
        return
    for line in text.split("\n"):
        if not row.touched:  # most lines have colours and their CRLF at most
            line = _COLOUR.sub("", line.rstrip("\r"))
        if row.touched or _ODD.search(line) is not None:
            row.feed(line)
            line, row = row.shown(), _Row()
        yield line


class _Row:
    """One line of a terminal and the place of its cursor."""

    def __init__(self) -> None:
        self._cells: list[str] = []
        self._at = 0
        self.touched = False

    def feed(self, text: str) -> None:
        """Write text with its codes."""
        self.touched = True
        end = 0
        for control in _CONTROL.finditer(text):
            if control.start() > end:
                self._write(text[end : control.start()])
            end = control.end()
            final = control["final"]
            if final is not None:
                self._sequence(final, control["arguments"])
            elif control[0] == "\r":
                self._at = 0
            elif control[0] == "\b":
                self._at = max(self._at - 1, 0)
        if end < len(text):
            self._write(text[end:])

    def shown(self) -> str:
        """What stands on the line."""
        return "".join(self._cells)

    def _write(self, run: str) -> None:
        cells, at = self._cells, self._at
        if at > len(cells):
            cells.extend(" " * (at - len(cells)))
        cells[at : at + len(run)] = run
        self._at = at + len(run)

    def _sequence(self, final: str, arguments: str) -> None:
        """Moves on the line, and erasing. Colours and concealed text stay text; moves to other lines are not followed, since a
        line that was read keeps its number."""
        if final == "K":
            self._erase(arguments)
        elif final in "GCDa`":
            count = max(int(arguments), 1) if arguments.isdecimal() and len(arguments) < 8 else 1
            to = {"G": count - 1, "`": count - 1, "D": self._at - count}.get(final, self._at + count)
            self._at = max(min(to, max(_ROW, self._at)), 0)
        elif final in "Hf":
            self._at = 0

    def _erase(self, arguments: str) -> None:
        if arguments in ("", "0"):
            del self._cells[self._at :]
        elif arguments == "1":
            start = max(self._at - _ROW, 0)
            width = min(self._at, len(self._cells)) - start
            if width > 0:
                self._cells[start : start + width] = " " * width
        elif arguments == "2":
            self._cells.clear()
            self._at = min(self._at, _ROW)
