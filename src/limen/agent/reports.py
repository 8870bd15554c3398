"""The shaper that makes a report of a long output and puts the whole on the shelf, inside the output's own envelope."""

from functools import partial

import anyio
import anyio.to_thread
import msgspec

from limen.agent.call import withheld
from limen.agent.outputs import Output, Piece, Records, Walk
from limen.core.evidence import Evidence
from limen.core.fault import Fault
from limen.core.ledger import GateVerdict
from limen.core.message import Text
from limen.core.ports import Redactor, Shelf
from limen.core.tool import Part, ToolAnswer
from limen.core.untrusted import fence, fence_nonce
from limen.evidence.compact import Compactor
from limen.evidence.report import ReadOn, by_tool
from limen.evidence.since import since
from limen.kit.log import failed_open, logger

EXCLUDED_TOOLS: frozenset[str] = frozenset({
    "browser_vision", "browser_snapshot", "image_generate", "video_generate", "video_analyze", "vision_analyze", "text_to_speech",
    "patch", "write_file", "evidence_inspect", "evidence_search", "evidence_status",
})  # fmt: skip
"""Tools whose outputs are media, or what the model asked to see as it is."""

# A longer output is not compared with the run before: that would have to be read again, as a whole.
_COMPARED_CHARS = 8_000_000
# How long the reading of an output may hold a turn: ten times what a megabyte takes on a slow machine, and a start.
_LEAST_S = 5.0
_S_PER_MEGABYTE = 2.5


class ReportRules(msgspec.Struct, frozen=True):
    """Which outputs become reports. Of the ratios of a shortened text to the whole, the second counts where the first fails.

    An output whose reading takes longer than `least_s`, and more for each megabyte, passes. `read_on` says what shows the rest.
    `debug` logs what became of each.
    """

    enabled: bool = True
    min_size: int = 6_000
    excluded: frozenset[str] = EXCLUDED_TOOLS
    ratios: tuple[float, float] = (0.55, 0.8)
    least_s: float = _LEAST_S
    read_on: ReadOn = by_tool
    debug: bool = False


class _UnmaskedError(Exception):
    """A text could not be checked for secrets."""


class Reports:
    """Makes reports of the long leaves of an answer. Whatever fails leaves a leaf as it is; only a failing mask withholds it."""

    def __init__(self, compactor: Compactor, shelf: Shelf, redactor: Redactor, rules: ReportRules | None = None) -> None:
        self._compactor = compactor
        self._shelf = shelf
        self._redactor = redactor
        self._rules = rules or ReportRules()

    async def __call__(self, answer: ToolAnswer, *, session: str, tool: str, verbatim: bool) -> ToolAnswer:
        """The answer with reports in place of its long leaves. `verbatim` is what the tool declares of its output."""
        parts, evidence_id = [], answer.evidence_id
        for part in answer.parts:
            if isinstance(part.block, Text) and len(part.block.text) >= self._rules.min_size:
                part = await self._leaf(part, part.block.text, answer, session, tool, self._passes(part, answer, tool, verbatim))
                evidence_id = part.origin.treatment.compacted or evidence_id
            parts.append(part)
        return msgspec.structs.replace(answer, parts=tuple(parts), evidence_id=evidence_id)

    def _passes(self, part: Part, answer: ToolAnswer, tool: str, verbatim: bool) -> str:
        """Why a leaf passes unchanged, empty where it may not."""
        if not self._rules.enabled:
            return "disabled"
        if part.notice:
            return "notice"
        if tool in self._rules.excluded:
            return "excluded"
        if verbatim:
            return "verbatim"
        return "raw" if answer.raw else ""

    async def _leaf(self, part: Part, text: str, answer: ToolAnswer, session: str, tool: str, left: str) -> Part:
        if left:
            return self._left(part, left, tool)
        walk = Walk(self._compactor, self._masked, self._rules.min_size, self._rules.ratios)
        try:
            pieces = await self._in_time(partial(walk.pieces, text, answer.command, answer.exit_code), len(text))
            shown, kept = [], []
            for piece in pieces:
                said, evidence = await self._piece(piece, session, tool, part.origin.source)
                shown.append(said)
                kept += [evidence] if evidence else []
        except _UnmaskedError as error:
            return withheld(part, error)
        except TimeoutError:
            failed_open("compact.late", f"an output of {tool} with {len(text):,} characters took too long to read")
            return self._left(part, "late", tool)
        except Exception as error:  # noqa: BLE001 - a plug-in's hook: whatever an output does to who reads it, it passes
            failed_open("compact.failed", error)
            return self._left(part, "failed", tool)
        if not kept:
            reported = any(not isinstance(piece, str) for piece in pieces)
            return self._left(part, "failed" if reported else walk.left or "small", tool)
        return self._reported(part, text, "".join(shown), tuple(dict.fromkeys(kept)), _reader(pieces), tool)

    async def _in_time(self, work: "partial[list[Piece]]", chars: int) -> list[Piece]:
        """What a thread makes. Raises TimeoutError where it takes too long; the thread is then left to itself."""
        with anyio.fail_after(self._rules.least_s + _S_PER_MEGABYTE * chars / 1_000_000):
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)

    def _masked(self, text: str) -> str:
        try:
            return self._redactor.redact(text).text if text else text
        except Exception as error:  # whatever went wrong, an unmasked text must not pass
            raise _UnmaskedError(str(error)) from error

    async def _piece(self, piece: Piece, session: str, tool: str, source: str) -> tuple[str, str | None]:
        """What stands in a piece's place, and the id of the whole; the piece as it was where nothing could keep it."""
        if isinstance(piece, str):
            return piece, None
        try:
            before = await self._before(piece, session)
            kept = await self._shelf.keep(piece.text, session=session, tool=tool, source=piece.command or source)
        except (Fault, OSError) as error:  # without the whole, a report would lose what it leaves out
            failed_open("compact.failed", error)
            return piece.plain, None
        if isinstance(piece, Records):
            return piece.shortened.kept_as(kept.id, self._rules.read_on), kept.id
        report = piece.report.kept_as(kept.id, self._rules.read_on)
        if before is not None:
            report = report.beside(await self._changed(piece, before))
        shown = report.text
        if (nonce := fence_nonce(piece.text)) is not None:  # lines of a stranger must not stand outside of any fence
            shown = fence(shown, nonce, source)
        return msgspec.json.encode(shown).decode() if piece.in_json else shown, kept.id

    async def _before(self, piece: Output | Records, session: str) -> Evidence | None:
        """What the session kept of the same command before."""
        if not piece.command or isinstance(piece, Records) or len(piece.text) > _COMPARED_CHARS:
            return None
        before = await self._shelf.latest(session, piece.command)
        return before if before is not None and before.chars <= _COMPARED_CHARS else None

    async def _changed(self, output: Output, before: Evidence) -> str:
        """What is different from the run before; nothing where that cannot be said."""
        try:
            text = (await self._shelf.show(before.id)).text
            return await anyio.to_thread.run_sync(self._since, output, text, before.id)
        except (Fault, OSError) as error:
            failed_open("compact.unread", error)
            return ""

    def _since(self, output: Output, text: str, evidence_id: str) -> str:
        then = self._compactor.compact(text, output.command)
        return since(output.report, output.text, then, text, evidence_id)

    def _left(self, part: Part, left: str, tool: str) -> Part:
        if self._rules.debug:
            logger.info("evidence: an output of %s stays as it is: %s", tool, left)
        return part.treated(part.origin.treatment.judged(GateVerdict("compact", "allow", f"compact.{left}")))

    def _reported(self, part: Part, text: str, shown: str, kept: tuple[str, ...], reader: str, tool: str) -> Part:
        if self._rules.debug:
            logger.info("evidence: %d characters of %s became %d: %s", len(text), tool, len(shown), ", ".join(kept))
        before = part.origin.treatment
        treatment = before.judged(
            GateVerdict("compact", "changed", "compact.report"),
            chars_in=len(text) if before.chars_in is None else before.chars_in,
            compacted=kept[0],
            more_compacted=kept[1:],
            extractor=reader,
        )
        return part.treated(treatment, shown)


def _reader(pieces: list[Piece]) -> str:
    """Who read the first output that became shorter."""
    first = next(piece for piece in pieces if not isinstance(piece, str))
    return "records" if isinstance(first, Records) else first.report.kind
