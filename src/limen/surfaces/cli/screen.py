"""The screen: data goes to stdout, what is said to people to stderr, and no foreign control character to either."""

import codecs
import contextlib
import errno
import io
import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any, Literal, Protocol
from unicodedata import combining, east_asian_width

import msgspec

from limen.kit.text import printable


class TextStream(Protocol):
    """What a screen writes to."""

    @property
    def encoding(self) -> str: ...
    def write(self, text: str, /) -> int: ...
    def flush(self) -> None: ...
    def isatty(self) -> bool: ...


Style = Literal["plain", "dim", "bold", "good", "warn", "bad", "accent"]

_SGR: dict[Style, str] = {"dim": "2", "bold": "1", "good": "32", "warn": "33", "bad": "31", "accent": "36"}

# What our own marks become where the encoding has no such character; anything else becomes a question mark.
_SPELT = {
    "⟶": "->", "→": "->", "↻": "~", "…": "...", "·": "-", "•": "*", "–": "-", "—": "--", "›": ">", "✓": "ok", "✗": "x",
    "‘": "'", "’": "'", "“": '"', "”": '"', "─": "-", "│": "|", "━": "-", "×": "x", "\u00a0": " ", "\u2011": "-", "\u202f": " ",
}  # fmt: skip
_COLUMNS = 100
# Narrower than this a hanging text is harder to read than one that runs on.
_NARROWEST = 20
# What a row begins with on which a sentence goes on.
_INDENT = "  "
_PIECES = re.compile(r"\n|[^\S\n]+|\S+")
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f]")


def spell(error: UnicodeError) -> tuple[str, int]:
    """A codec error handler: spell a character that the stream's encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_SPELT.get(char, "?") for char in error.object[error.start : error.end]), error.end


def terminal_columns() -> int:
    """Columns of the terminal; what COLUMNS says goes first, 100 stands where there is no terminal."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ is not None else 2).columns or _COLUMNS
    except (OSError, ValueError):
        return _COLUMNS


class ClosedStream(io.TextIOBase):
    """Stands for an output stream that the process was started without: what is written to it is an error, not silence."""

    def write(self, text: str, /) -> int:
        raise OSError(errno.EBADF, "the stream is closed")


def discard(stream: Any) -> None:
    """Send what is still buffered for a stream to nowhere, so that the interpreter does not stumble over it when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        return  # no file of the process, as in a test's runner


def _occupy_closed_descriptors() -> None:
    """Keep the numbers of closed standard streams, so that no database is opened as what a library writes its messages to."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number


def _cells(word: str) -> int:
    """About the columns that a word takes: near enough to break rows at, and known without a table of our own."""
    if word.isascii():
        return len(word)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in word)


def rows_of(text: str, room: int) -> list[str]:
    """`text` in rows of at most `room` columns, broken at blanks; a word that is wider stands alone. At least one row."""
    rows, width = [""], 0
    for word in text.split():
        cells = _cells(word)
        if width and width + 1 + cells > room:
            rows.append(word)
            width = cells
        else:
            rows[-1] += f" {word}" if width else word
            width += cells + (1 if width else 0)
    return rows


def _harmless(document: str) -> str:
    """A JSON document without anything that a terminal would obey."""
    return _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", document)


class Screen:
    """Both output streams of one command. `quiet` drops notes, never errors; `verbose` adds detail. `offered` makes the commands
    in what is said to people ready to be pasted.

    Data that cannot be written raises OSError. What is said to people is lost where there is nobody to hear it.
    """

    def __init__(self, out: TextStream, err: TextStream, *, verbosity: int = 0, colour: bool = True) -> None:
        self._out = out
        self._err = err
        self.quiet = verbosity < 0
        self.verbose = verbosity > 0
        self.out_is_terminal = out.isatty()
        self.err_is_terminal = err.isatty()
        self._colour = colour
        self._always_colour = False
        self._open_line: TextStream | None = None
        self._column = 0
        self.document_written = False
        self.offered: Callable[[str], str] = str

    @classmethod
    def standard(cls, verbosity: int = 0) -> "Screen":
        """The process's own streams, made safe for any text; one that was closed refuses what is written to it."""
        codecs.register_error("limen.spell", spell)
        _occupy_closed_descriptors()
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is None:
                setattr(sys, name, ClosedStream())
            elif hasattr(stream, "reconfigure"):
                with contextlib.suppress(OSError):  # it flushes what waits; whoever writes on is told that this cannot be
                    stream.reconfigure(errors="limen.spell")
        colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(sys.stdout, sys.stderr, verbosity=verbosity, colour=colour)

    def use_colour(self, wish: Literal["auto", "always", "never"]) -> None:
        """Follow the setting `ui.color`; `auto` leaves the environment's word as it is."""
        self._always_colour = wish == "always"
        self._colour = self._colour and wish != "never"

    @property
    def width(self) -> int:
        """Columns to write in."""
        return terminal_columns()

    @property
    def colour(self) -> bool:
        """Whether data may carry colour."""
        return self._coloured(self.out_is_terminal)

    @property
    def at_row_start(self) -> bool:
        """Whether no row is unfinished."""
        return self._open_line is None

    def write(self, text: str, style: Style = "plain") -> None:
        """Data, as it stands: no line end is added."""
        self._put(self._out, text, style, colour=self.colour)
        self._column = 0

    def line(self, text: str = "", style: Style = "plain") -> None:
        """One line of data."""
        self.write(text, style)
        self.write("\n")

    def paragraph(self, text: str, indent: str = "") -> None:
        """Lines of data: at a terminal wrapped at words behind an indent, in a pipe one line."""
        if self.out_is_terminal:
            for row in rows_of(text, max(self.width - 1 - len(indent), _NARROWEST)):
                self.line(indent + row)
        else:
            self.line(indent + text)

    def hanging(self, text: str, column: int) -> None:
        """Data behind what stands on the row already: at a terminal it begins at `column`, and so do its further rows."""
        room = self.width - 1 - column
        if not self.out_is_terminal or room < _NARROWEST:
            self.line(f"  {text}")
            return
        first, *rest = rows_of(text, room)
        self.line(f"  {first}")
        for row in rest:
            self.line(" " * column + row)

    def say(self, text: str, style: Style = "plain", end: str = "\n") -> None:
        """Something for a person, on stderr, whatever the verbosity: errors and questions. At a terminal wrapped at words."""
        text = self.offered(text)
        if self.err_is_terminal:
            if self._open_line is not self._err:
                self._column = 0
            text = self._flowing(printable(text))
        self._put(self._err, text, style, colour=self._coloured(self.err_is_terminal))
        self._put(self._err, end, "plain", colour=False)

    def _flowing(self, text: str) -> str:
        """`text` as it goes on from the open line, broken at blanks where it would run past the terminal's edge."""
        shown: list[str] = []
        gap = ""
        for piece in _PIECES.findall(text):
            if piece == "\n":
                self._column, gap = 0, ""
                shown.append(piece)
            elif piece.isspace():
                gap = piece
            else:
                width = len(gap) + _cells(piece)
                if self._column and self._column + width >= self.width:
                    shown.append(f"\n{_INDENT}{piece}")
                    self._column = len(_INDENT) + _cells(piece)
                else:
                    shown.append(gap + piece)
                    self._column += width
                gap = ""
        self._column += len(gap)
        return "".join(shown) + gap

    def note(self, text: str, style: Style = "dim", end: str = "\n") -> None:
        """Something for a person that `--quiet` drops."""
        if not self.quiet:
            self.say(text, style, end)

    def fresh_line(self) -> None:
        """End an unfinished line, whichever stream left it open."""
        if self._open_line is not None:
            stream, self._open_line = self._open_line, None
            self._send(stream, "\n")

    def json(self, value: Any) -> None:
        """The one JSON document of a command: valid in every encoding, and harmless to a terminal."""
        ascii_only = codecs.lookup(self._out.encoding or "ascii").name != "utf-8"
        text = json.dumps(msgspec.to_builtins(value), indent=2, ensure_ascii=ascii_only)
        self._out.write(_harmless(text) + "\n")
        self.document_written = True

    def json_line(self, value: Any) -> None:
        """One of many JSON documents, on a line of its own."""
        self._send(self._out, _harmless(json.dumps(msgspec.to_builtins(value))) + "\n")
        self.document_written = True

    def raw(self, data: bytes) -> None:
        """Data that is passed through: to a program byte for byte, to a terminal as harmless text."""
        buffer = getattr(self._out, "buffer", None)
        if self.out_is_terminal or buffer is None:
            self.write(data.decode(errors="replace"))
        else:
            self._out.flush()
            buffer.write(data)

    def rendered(self, text: str) -> None:
        """Data that carries escape sequences of our own; what is of strangers in it was made printable before."""
        self.fresh_line()
        self._send(self._out, text)

    def flush(self) -> None:
        """Push out what is buffered; raises OSError where the reader is gone or the disk is full."""
        self._out.flush()
        try:
            self._err.flush()
        except OSError:
            discard(self._err)

    def _coloured(self, terminal: bool) -> bool:
        return self._always_colour or (self._colour and terminal)

    def _put(self, stream: TextStream, text: str, style: Style, *, colour: bool) -> None:
        if not text:
            return
        if self._open_line is not stream and self.out_is_terminal and self.err_is_terminal:
            self.fresh_line()
        text = printable(text)
        code = _SGR.get(style) if colour else None
        self._send(stream, f"\x1b[{code}m{text}\x1b[0m" if code else text)
        self._open_line = None if text.endswith("\n") else stream

    def _send(self, stream: TextStream, text: str) -> None:
        try:
            stream.write(text)
            if stream is self._err or self.out_is_terminal:
                stream.flush()
        except OSError:
            if stream is not self._err:
                raise
            discard(stream)
