"""`evidence_inspect`, `evidence_search`, `evidence_status`: the rest of outputs of which the window got a part, to the letter."""

from typing import Annotated, Any

import msgspec

from limen.builtin.tools.read_file import MAX_LINES, fit
from limen.core.context import CallContext
from limen.core.evidence import Match
from limen.core.fault import ToolFault
from limen.core.ledger import Origin, Treatment, Trust
from limen.core.message import Text
from limen.core.ports import EvidenceDesk
from limen.core.tool import Part, ToolAnswer, ToolSpec
from limen.core.untrusted import Nonce, fence
from limen.kit.text import clip

EVIDENCE_TOOLSET = "evidence"
_LINES = 120
_MATCHES, _MOST_MATCHES = 10, 50
_AROUND, _LATEST = 1, 20
_LINE_CHARS = 600
# What a long line shows before the match.
_BEFORE_CHARS = 150
_ROOM_CHARS = 60_000
_ID = msgspec.Meta(description="ev_ id", min_length=1, max_length=80)
_ALIASES = {"evidence_id": "id", "start_line": "start", "end_line": "end"}


class InspectArguments(msgspec.Struct):
    """Which lines, both ends inclusive. A line that is longer than the room goes on from `start_char`."""

    id: Annotated[str, _ID]
    start: Annotated[int, msgspec.Meta(ge=1)] = 1
    end: Annotated[int, msgspec.Meta(ge=1)] | None = None
    start_char: Annotated[int, msgspec.Meta(ge=1)] = 1


class SearchArguments(msgspec.Struct):
    """What to look for: a phrase, whatever its case and spacing, else all of its words in a line; or a pattern of RE2."""

    query: Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)]
    id: Annotated[str, _ID] | None = None
    max_results: Annotated[int, msgspec.Meta(ge=1, le=_MOST_MATCHES)] = _MATCHES
    regex: bool = False


class StatusArguments(msgspec.Struct):
    """Nothing to say."""


class EvidenceInspect:
    """The tool. Lines come under their numbers in the stored output, unchanged inside the fence."""

    spec = ToolSpec(
        name="evidence_inspect",
        toolset=EVIDENCE_TOOLSET,
        description=f"Lines start to end of a kept output, exact; up to {MAX_LINES}. next_line says where to go on.",
        arguments=InspectArguments,
        effect="read",
        output="verbatim",
        limit_chars=_ROOM_CHARS,
        aliases=_ALIASES,
    )

    def __init__(self, desk: EvidenceDesk, nonce: Nonce) -> None:
        self._desk = desk
        self._nonce = nonce

    async def run(self, arguments: InspectArguments, context: CallContext) -> ToolAnswer:
        """The lines asked for, as far as they fit."""
        start = arguments.start
        wanted = start + _LINES - 1 if arguments.end is None else min(arguments.end, start + MAX_LINES - 1)
        if wanted < start:
            raise ToolFault("evidence.range", f"end {arguments.end} comes before start {start}.", "Ask with start <= end.")
        excerpt = await self._desk.show(arguments.id, start, wanted)
        if start > excerpt.total_lines:
            reason = f"{excerpt.id} has {excerpt.total_lines} lines."
            raise ToolFault("evidence.range", reason, f"Ask for a start of at most {excerpt.total_lines}.")
        lines = excerpt.text.split("\n")
        if arguments.start_char > len(lines[0]) + 1:
            reason = f"Line {start} of {excerpt.id} has {len(lines[0])} characters."
            raise ToolFault("evidence.range", reason, "Ask for an earlier start_char.")
        shown, count, next_char = fit(lines, 1, len(lines), arguments.start_char)
        end = start + count - 1
        after = end if next_char is not None else end + 1
        await context.progress(f"lines {start:,}–{end:,} of {excerpt.total_lines:,}", end, excerpt.total_lines)
        body = {
            "id": excerpt.id,
            "start": start,
            "end": end,
            "total_lines": excerpt.total_lines,
            "next_line": after if after <= excerpt.total_lines else None,
            **({"next_char": next_char} if next_char is not None else {}),
            "content": fence(shown, self._nonce(), excerpt.id),
        }
        return _answer(excerpt.id, body)


class EvidenceSearch:
    """The tool. Patterns are RE2's, so that none can make it slow."""

    spec = ToolSpec(
        name="evidence_search",
        toolset=EVIDENCE_TOOLSET,
        description="Find lines in kept outputs, with their numbers: a phrase, else its words; regex for RE2. Without id, all.",
        arguments=SearchArguments,
        effect="read",
        output="verbatim",
        limit_chars=_ROOM_CHARS,
        aliases={"evidence_id": "id", "pattern": "query", "phrase": "query", "limit": "max_results"},
    )

    def __init__(self, desk: EvidenceDesk, nonce: Nonce) -> None:
        self._desk = desk
        self._nonce = nonce

    async def run(self, arguments: SearchArguments, context: CallContext) -> ToolAnswer:
        """The first matches, those of the latest output first."""
        found = await self._desk.search(
            arguments.query,
            regex=arguments.regex,
            evidence_id=arguments.id,
            session=context.session,
            limit=arguments.max_results,
            around=_AROUND,
        )
        await context.progress(f"{len(found.matches)} lines", len(found.matches))
        body = {
            **({"matched": "words"} if found.by_words else {}),
            "more": found.more,
            "matches": [self._published(match) for match in found.matches],
        }
        return _answer(arguments.id or "evidence", body)

    def _published(self, match: Match) -> dict[str, Any]:
        numbered = zip(range(match.line - len(match.before), match.line), match.before, strict=True)
        following = enumerate(match.after, match.line + 1)
        rows = [*numbered, (match.line, match.text), *following]
        text = "\n".join(f"{number}: {_window(line, match.char if number == match.line else 1)}" for number, line in rows)
        place = {"char": match.char} if len(match.text) > _LINE_CHARS else {}
        return {"id": match.id, "line": match.line, **place, "text": fence(text, self._nonce(), match.id)}


class EvidenceStatus:
    """The tool. What the session's outputs came to, and which of them are kept."""

    spec = ToolSpec(
        name="evidence_status",
        toolset=EVIDENCE_TOOLSET,
        description="Kept outputs of this session, latest first, and what was shortened.",
        arguments=StatusArguments,
        effect="read",
        output="verbatim",
        limit_chars=_ROOM_CHARS,
    )

    def __init__(self, desk: EvidenceDesk, nonce: Nonce) -> None:
        self._desk = desk
        self._nonce = nonce

    async def run(self, _arguments: StatusArguments, context: CallContext) -> ToolAnswer:
        """The session's account and its latest outputs."""
        kept = await self._desk.latest(context.session, _LATEST)
        latest = [
            {"id": one.id, "lines": one.lines, "chars": one.chars, "tool": one.tool}
            | ({"source": fence(clip(one.source, _LINE_CHARS), self._nonce(), one.id)} if one.source else {})
            for one in kept
        ]
        return _answer("evidence", {"session": await self._desk.account(context.session), "latest": latest})


def _window(line: str, char: int) -> str:
    """A line as it stands; of a long one what is around a character."""
    if len(line) <= _LINE_CHARS:
        return line
    start = max(char - 1 - _BEFORE_CHARS, 0)
    shown = line[start : start + _LINE_CHARS]
    return f"{'…' if start else ''}{shown}{'…' if start + len(shown) < len(line) else ''}"


def _answer(source: str, body: dict[str, Any]) -> ToolAnswer:
    text = msgspec.json.encode(body).decode("utf-8")
    return ToolAnswer((Part(Text(text), Origin("evidence", source, Trust.TOOL, None, Treatment())),))
