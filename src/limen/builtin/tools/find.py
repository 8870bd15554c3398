"""`find`: the lines of a document, evidence or file that hold a phrase, with the lines around them."""

from typing import Annotated, Any

import msgspec

from limen.builtin.tools.opened import cite, leaf
from limen.core.context import CallContext
from limen.core.ledger import Cut
from limen.core.ports import Opened, Opener
from limen.core.tool import ToolAnswer, ToolSpec
from limen.core.untrusted import Nonce, fence
from limen.kit.found_lines import MAX_MATCHES, FoundLine, as_they_stand, find_lines


class FindArguments(msgspec.Struct):
    """What to look for, and in what."""

    ref: Annotated[str, msgspec.Meta(description="file, lib: reference or ev_ id", min_length=1, max_length=4_096)]
    pattern: Annotated[str, msgspec.Meta(description="words; case is ignored", min_length=1, max_length=1_000)]


class Find:
    """The tool. The phrase is plain text, not a pattern language, so that nothing can make it slow."""

    spec = ToolSpec(
        name="find",
        toolset="files",
        description=f"Find a phrase in a library document, evidence or file: up to {MAX_MATCHES} lines with their numbers.",
        arguments=FindArguments,
        effect="read",
        output="verbatim",
        limit_chars=60_000,
    )

    def __init__(self, opener: Opener, nonce: Nonce) -> None:
        self._opener = opener
        self._nonce = nonce

    async def run(self, arguments: FindArguments, context: CallContext) -> ToolAnswer:
        """The first matches in order, and how many there are in all."""
        opened = await self._opener.open(arguments.ref, context)
        lines = opened.text.split("\n")
        matches, total = find_lines(lines, arguments.pattern)
        await context.progress(f"{total or 'no'} {'line' if total == 1 else 'lines'}", total)
        stand, first = as_they_stand(lines, matches)
        shown = "\n".join(f"{match.before}\n{match.text}\n{match.after}" for match in matches)
        body = {
            "n": await cite(opened, context, "\n".join(stand), first) if matches else None,
            "ref": opened.ref,
            "title": opened.title,
            "url": opened.url,
            "total": total,
            "matches": [self._published(match, opened) for match in matches],
        }
        return ToolAnswer((leaf(opened, body, Cut(len(shown), 0)),))

    def _published(self, match: FoundLine, opened: Opened) -> dict[str, Any]:
        fields = msgspec.structs.asdict(match)
        fenced = ("text", "before", "after")
        fields.update({name: fence(fields[name], self._nonce(), opened.url) for name in fenced if fields[name]})
        return fields
