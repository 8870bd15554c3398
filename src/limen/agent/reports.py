"""The shaper that makes a report of a long output and puts the whole on the shelf, inside the output's own envelope."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import anyio.to_thread
import msgspec

from limen.agent.call import withheld
from limen.core.fault import Fault
from limen.core.ledger import GateVerdict
from limen.core.message import Text
from limen.core.ports import Redactor, Shelf
from limen.core.tool import Part, ToolAnswer
from limen.evidence.compact import Compactor
from limen.evidence.report import Report
from limen.kit.log import failed_open, logger

EXCLUDED_TOOLS: frozenset[str] = frozenset({
    "browser_vision", "browser_snapshot", "image_generate", "video_generate", "video_analyze", "vision_analyze", "text_to_speech",
    "patch", "write_file", "evidence_inspect", "evidence_search", "evidence_status",
})  # fmt: skip
"""Tools whose outputs are media, or what the model asked to see as it is."""

# How an envelope names the command whose output it holds, and how that ended.
_COMMANDS = ("command", "cmd")
_ENDINGS = ("exit_code", "returncode", "exit_status", "exit")
# A file in letters: one run of them, or lines of a fixed length.
_MEDIA = re.compile(r"(?:data:[^,\s]{0,200},)?(?:[A-Za-z0-9+/_-]{60,}\s+)*[A-Za-z0-9+/_-]+={0,2}\s*")
_DEPTH = 32
# Commands whose last failures are remembered, over all sessions of a process.
_REMEMBERED = 512


class ReportRules(msgspec.Struct, frozen=True):
    """Which outputs become reports. `debug` logs why each did or did not."""

    enabled: bool = True
    min_size: int = 6_000
    excluded: frozenset[str] = EXCLUDED_TOOLS
    debug: bool = False


class _Output(msgspec.Struct, frozen=True):
    """A text that came out of something, masked, with the report of it; `in_json` where it stands as a string in JSON."""

    text: str
    report: Report
    command: str = ""
    in_json: bool = False


_Piece = str | _Output


class _UnmaskedError(Exception):
    """A text could not be checked for secrets."""


class Reports:
    """Makes reports of the long leaves of an answer. Whatever fails leaves a leaf as it is; only a failing mask withholds it.

    What failed when a command ran before is remembered as long as this lives.
    """

    def __init__(self, compactor: Compactor, shelf: Shelf, redactor: Redactor, rules: ReportRules | None = None) -> None:
        self._compactor = compactor
        self._shelf = shelf
        self._redactor = redactor
        self._rules = rules or ReportRules()
        self._failing: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()

    async def __call__(self, answer: ToolAnswer, *, session: str, tool: str, verbatim: bool) -> ToolAnswer:
        """The answer with reports in place of its long leaves. `verbatim` is what the tool declares of its output."""
        parts, evidence_id = [], answer.evidence_id
        for part in answer.parts:
            if isinstance(part.block, Text) and len(part.block.text) >= self._rules.min_size:
                part, kept = await self._leaf(part, part.block.text, answer, session, tool, verbatim)
                evidence_id = kept or evidence_id
            parts.append(part)
        return msgspec.structs.replace(answer, parts=tuple(parts), evidence_id=evidence_id)

    async def _leaf(
        self, part: Part, text: str, answer: ToolAnswer, session: str, tool: str, verbatim: bool
    ) -> tuple[Part, str | None]:
        left = self._passes(answer, tool, verbatim)
        if left:
            return self._left(part, left, tool), None
        walk = _Walk(self._compactor, self._masked, self._rules.min_size)
        try:
            pieces = await anyio.to_thread.run_sync(walk.pieces, text, self._masked(answer.command), answer.exit_code)
        except _UnmaskedError as error:
            return withheld(part, error), None
        except (RecursionError, MemoryError) as error:
            failed_open("compact.failed", error)
            return self._left(part, "failed", tool), None
        shown, ids = [], []
        for piece in pieces:
            said, kept = (piece, None) if isinstance(piece, str) else await self._kept(piece, session, tool, part.origin.source)
            shown.append(said)
            ids += [kept] if kept else []
        if not ids:
            reported = any(not isinstance(piece, str) for piece in pieces)
            return self._left(part, "failed" if reported else walk.left or "small", tool), None
        return self._reported(part, text, "".join(shown), ids[0], tool), ids[0]

    def _masked(self, text: str) -> str:
        try:
            return self._redactor.redact(text).text if text else text
        except Exception as error:  # whatever went wrong, an unmasked text must not pass
            raise _UnmaskedError(str(error)) from error

    def _passes(self, answer: ToolAnswer, tool: str, verbatim: bool) -> str:
        """Why an answer passes unchanged, empty where it may not."""
        if not self._rules.enabled:
            return "disabled"
        if tool in self._rules.excluded:
            return "excluded"
        if verbatim:
            return "verbatim"
        return "raw" if answer.raw else ""

    async def _kept(self, output: _Output, session: str, tool: str, source: str) -> tuple[str, str | None]:
        """What stands in the output's place, and the id of the whole; the output itself where nothing could keep it."""
        shown, kept = output.text, None
        try:
            kept = (await self._shelf.keep(output.text, session=session, tool=tool, source=output.command or source)).id
        except (Fault, OSError) as error:  # without the whole, a report would lose what it leaves out
            failed_open("compact.failed", error)
        if kept is not None:
            shown = output.report.kept_as(kept).since(self._before(session, output)).text
        return msgspec.json.encode(shown).decode() if output.in_json else shown, kept

    def _before(self, session: str, output: _Output) -> tuple[str, ...] | None:
        """What failed when the command ran last in this session, None where it did not; what fails now is remembered."""
        if not output.command:
            return None
        key = (session, output.command)
        before = self._failing.pop(key, None)
        self._failing[key] = output.report.names
        if len(self._failing) > _REMEMBERED:
            self._failing.popitem(last=False)
        return before

    def _left(self, part: Part, left: str, tool: str) -> Part:
        if self._rules.debug:
            logger.info("evidence: an output of %s stays as it is: %s", tool, left)
        return _treated(part, GateVerdict("compact", "allow", f"compact.{left}"))

    def _reported(self, part: Part, text: str, shown: str, evidence_id: str, tool: str) -> Part:
        if self._rules.debug:
            logger.info("evidence: %d characters of %s became %d: %s", len(text), tool, len(shown), evidence_id)
        treated = _treated(part, GateVerdict("compact", "changed", "compact.report"))
        treatment = treated.origin.treatment
        chars_in = len(text) if treatment.chars_in is None else treatment.chars_in
        treatment = msgspec.structs.replace(treatment, chars_in=chars_in, compacted=evidence_id)
        return Part(Text(shown), msgspec.structs.replace(part.origin, treatment=treatment))


def _treated(part: Part, verdict: GateVerdict) -> Part:
    before = part.origin.treatment
    treatment = msgspec.structs.replace(before, gates=(*before.gates, verdict))
    return Part(part.block, msgspec.structs.replace(part.origin, treatment=treatment))


class _Walk:
    """One walk over a leaf: what stays as it is, and the outputs in it that become reports. `left` says why the last did not."""

    def __init__(self, compactor: Compactor, mask: Callable[[str], str], min_size: int) -> None:
        self._compactor = compactor
        self._mask = mask
        self._min_size = min_size
        self._texts = 0
        self.left = ""

    def pieces(self, text: str, command: str, exit_code: int | None) -> list[_Piece]:
        """A leaf in pieces. Where a command is told, the text is what it printed; else JSON is an envelope, and stays JSON."""
        if not command and text.lstrip()[:1] in ("{", "["):
            try:
                envelope = msgspec.json.decode(text, type=msgspec.Raw)
                msgspec.json.decode(text)  # a Raw alone is not looked into
            except ValueError:
                pass
            else:
                return list(self._json(bytes(envelope).decode(), "", None, _DEPTH))
        return [self._output(text, command, exit_code) or text]

    def _output(self, text: str, command: str, exit_code: int | None) -> _Output | None:
        if _MEDIA.fullmatch(text):
            self.left = "media"
            return None
        report = self._compactor.compact(text, command, exit_code)
        self.left = report.left
        return None if report.left else _Output(text, report, command)

    def _json(self, raw: str, command: str, exit_code: int | None, depth: int) -> Iterator[_Piece]:
        """A JSON value in pieces: its long strings, or as a whole where it is long and none of them is."""
        if len(raw) < self._min_size:
            yield raw
            return
        if raw.startswith('"'):
            yield self._string(raw, msgspec.json.decode(raw, type=str), command, exit_code)
            return
        before = self._texts
        inner = list(self._members(raw, command, exit_code, depth)) if depth else [raw]
        if self._texts > before:  # each of its long texts was looked at by itself; what passed is not to go with the whole
            yield from inner
        else:
            yield self._string(raw, raw, command, exit_code)

    def _string(self, raw: str, text: str, command: str, exit_code: int | None) -> _Piece:
        """A value, or the report of it as a JSON string. Unescaped, it may show credentials that it hid before."""
        self._texts += 1
        masked = text if text is raw else self._mask(text)
        output = self._output(masked, command, exit_code)
        if output is not None:
            return msgspec.structs.replace(output, in_json=True)
        return raw if masked == text else msgspec.json.encode(masked).decode()

    def _members(self, raw: str, command: str, exit_code: int | None, depth: int) -> Iterator[_Piece]:
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


def _value(raw: msgspec.Raw) -> Any:
    return msgspec.json.decode(raw)
