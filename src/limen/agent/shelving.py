"""The shaper `compact`: the whole of a result that is too long for its room goes to the shelf, its head and tail stay."""

from collections.abc import Sequence

import msgspec

from limen.core.fault import Fault
from limen.core.ledger import Cut, GateVerdict
from limen.core.message import Text
from limen.core.ports import Shelf
from limen.core.tool import Part, ToolAnswer, read_on
from limen.kit.log import failed_open
from limen.kit.shares import shares
from limen.kit.text import cut_middle
from limen.kit.tokens import CountTokens

# A leaf keeps at least so much, or it would say nothing; only a result of very many leaves can pass its limit by this.
_LEAST_CHARS = 500
# What a cut leaf's own line, which says where the rest is, may take of its room.
_NOTE_CHARS = 200


class Room(msgspec.Struct, frozen=True):
    """What one result may take of the window. Of the two limits the tighter one holds."""

    chars: int
    tokens: int


class Shelve:
    """Cuts the long leaves of an answer; short ones beside them stay whole. `session` and `tool` say whose the text was."""

    def __init__(self, shelf: Shelf, count: CountTokens) -> None:
        self._shelf = shelf
        self._count = count

    async def __call__(self, answer: ToolAnswer, room: Room, *, session: str, tool: str) -> ToolAnswer:
        texts = [part.block.text if isinstance(part.block, Text) else "" for part in answer.parts]
        limits = shares([len(text) for text in texts], self._chars(texts, room))
        evidence_id = answer.evidence_id
        parts = []
        for part, text, limit in zip(answer.parts, texts, limits, strict=True):
            if len(text) > max(limit, _LEAST_CHARS):
                part, evidence_id = await self._cut(part, text, max(limit, _LEAST_CHARS), session, tool)
            parts.append(part)
        return msgspec.structs.replace(answer, parts=tuple(parts), evidence_id=evidence_id)

    def _chars(self, texts: Sequence[str], room: Room) -> int:
        """The room in characters. Scripts differ widely in how many of them make a token, so it is these texts' own measure."""
        size = sum(map(len, texts))
        if size <= room.chars and size * 4 <= room.tokens:  # no character has more than four tokens, one for each of its bytes
            return room.chars
        tokens = sum(map(self._count, texts))
        return room.chars if tokens <= room.tokens else min(room.chars, size * room.tokens // tokens)

    async def _cut(self, part: Part, text: str, limit_chars: int, session: str, tool: str) -> tuple[Part, str | None]:
        cut = cut_middle(text, limit_chars - _NOTE_CHARS)
        assert cut is not None
        try:
            kept = (await self._shelf.keep(text, session=session, tool=tool, source=part.origin.source)).id
            where = f"the whole is {kept}: {read_on(kept, *cut.gap_start)}"
        except Fault as fault:
            # A full disk must not put into the window what has no room there; what is lost is said.
            failed_open("compact.failed", fault)
            kept, where = None, "the whole could not be kept"
        left_out = len(text) - len(cut.head) - len(cut.tail)
        before = part.origin.treatment
        treatment = before.judged(
            GateVerdict("compact", "changed", "compact.cut"),
            chars_in=len(text) if before.chars_in is None else before.chars_in,
            cut=Cut(len(cut.head), len(cut.tail)),
            compacted=kept,
        )
        note = f"\n[{left_out} of {len(text)} characters are left out here; {where}]\n"
        return part.treated(treatment, cut.head + note + cut.tail), kept
