"""The outputs inside an answer's leaf: the text of a command, or the long parts of JSON, which stays JSON around them."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from limen.evidence.compact import Compactor
from limen.evidence.records import KEPT_CHARS, Shortened, shortened
from limen.evidence.report import Report

# How an envelope names the command whose output it holds, and how that ended.
_COMMANDS = ("command", "cmd")
_ENDINGS = ("exit_code", "returncode", "exit_status", "exit")
_PRINTED = ("output", "stdout", "stderr", "content")
# A file in letters: one run of them, or lines of a fixed length.
_MEDIA = re.compile(r"(?:data:[^,\s]{0,200},)?(?:[A-Za-z0-9+/_-]{60,}\s+)*[A-Za-z0-9+/_-]+={0,2}\s*")
_DEPTH = 32


class Output(msgspec.Struct, frozen=True):
    """A text that came out of something, masked, with the report of it.

    `in_json` where the report stands in JSON, as a string; `is_json` where the text did so as it is, not as a string.
    """

    text: str
    report: Report
    command: str = ""
    in_json: bool = False
    is_json: bool = False

    @property
    def plain(self) -> str:
        """The text as it stands in the leaf."""
        return msgspec.json.encode(self.text).decode() if self.in_json and not self.is_json else self.text


class Records(msgspec.Struct, frozen=True):
    """JSON of few records, masked, with its texts made shorter."""

    text: str
    shortened: Shortened
    command: str = ""

    @property
    def plain(self) -> str:
        """The text as it stands in the leaf."""
        return self.text


Piece = str | Output | Records


class Walk:
    """One walk over a leaf: what stays as it is, and the outputs in it that become shorter. `left` says why the last did not."""

    def __init__(self, compactor: Compactor, mask: Callable[[str], str], min_size: int, ratios: tuple[float, float]) -> None:
        self._compactor = compactor
        self._mask = mask
        self._min_size = min_size
        self._ratios = ratios
        self._texts = 0
        self.left = ""

    def pieces(self, text: str, command: str, exit_code: int | None) -> list[Piece]:
        """A leaf in pieces. Where a command is told, the text is what it printed, or that in an envelope; else JSON is one.

        An envelope stays JSON.
        """
        command = self._mask(command)
        if text.lstrip()[:1] in ("{", "["):
            try:
                envelope = msgspec.json.decode(text, type=msgspec.Raw)
                members = msgspec.json.decode(text)  # a Raw alone is not looked into
            except ValueError:
                pass
            else:
                if not command or _is_envelope(members):
                    return list(self._json(bytes(envelope).decode(), command, exit_code, _DEPTH))
        return [self._output(text, command, exit_code) or text]

    def _output(self, text: str, command: str, exit_code: int | None) -> Output | None:
        if _MEDIA.fullmatch(text):
            self.left = "media"
            return None
        report = self._compactor.compact(text, command, exit_code)
        self.left = report.left
        return None if report.left else Output(text, report, command)

    def _json(self, raw: str, command: str, exit_code: int | None, depth: int) -> Iterator[Piece]:
        """A JSON value in pieces: its long strings, or as a whole where it is long and none of them is."""
        if len(raw) < self._min_size:
            yield raw
            return
        if raw.startswith('"'):
            yield self._string(raw, msgspec.json.decode(raw, type=str), command, exit_code)
            return
        before = self._texts
        inner = list(self._members(raw, command, exit_code, depth)) if depth else [raw]
        has_texts = self._texts > before
        if has_texts and (not raw.startswith("[") or sum(map(_size, inner)) <= KEPT_CHARS):
            yield from inner  # each of its long texts was looked at by itself; what passed is not to go with the whole
            return
        kept = shortened(raw, self._ratios, self._mask)
        if kept is not None:
            self._texts += 1
            yield Records(raw, kept, command)
        elif has_texts:
            yield from inner
        else:
            yield self._string(raw, raw, command, exit_code)

    def _string(self, raw: str, text: str, command: str, exit_code: int | None) -> Piece:
        """A value, or the report of it as a JSON string. Unescaped, it may show credentials that it hid before."""
        self._texts += 1
        masked = text if text is raw else self._mask(text)
        output = self._output(masked, command, exit_code)
        if output is not None:
            return msgspec.structs.replace(output, in_json=True, is_json=text is raw)
        return raw if masked == text else msgspec.json.encode(masked).decode()

    def _members(self, raw: str, command: str, exit_code: int | None, depth: int) -> Iterator[Piece]:
        if raw.startswith("["):
            yield "["
            for number, item in enumerate(msgspec.json.decode(raw, type=list[msgspec.Raw])):
                yield "," if number else ""
                yield from self._json(bytes(item).decode(), command, exit_code, depth - 1)
            yield "]"
            return
        members = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        command, exit_code = self._run(members, command, exit_code)
        yield "{"
        for number, (name, value) in enumerate(members.items()):
            yield f"{',' if number else ''}{msgspec.json.encode(name).decode()}:"
            yield from self._json(bytes(value).decode(), command, exit_code, depth - 1)
        yield "}"

    def _run(self, members: dict[str, msgspec.Raw], command: str, exit_code: int | None) -> tuple[str, int | None]:
        """The command and its ending, as an envelope tells them."""
        told = next((_value(members[name]) for name in _COMMANDS if name in members), None)
        ended = next((_value(members[name]) for name in _ENDINGS if name in members), None)
        command = self._mask(told) if isinstance(told, str) else command
        return command, ended if isinstance(ended, int) and not isinstance(ended, bool) else exit_code


def _is_envelope(value: Any) -> bool:
    """Whether JSON tells of a command: its ending beside a text that it printed."""
    return isinstance(value, dict) and any(name in value for name in _ENDINGS) and any(name in value for name in _PRINTED)


def _size(piece: Piece) -> int:
    if isinstance(piece, str):
        return len(piece)
    return len(piece.report.text) if isinstance(piece, Output) else len(piece.shortened.first) + len(piece.shortened.rest)


def _value(raw: msgspec.Raw) -> Any:
    return msgspec.json.decode(raw)
