"""`read_file`: lines of a document, a kept output or a file, under the number that the answer cites."""

from typing import Annotated

import msgspec

from limen.builtin.tools.opened import cite, leaf
from limen.core.context import CallContext
from limen.core.fault import ToolFault
from limen.core.ledger import Cut
from limen.core.ports import Opener
from limen.core.tool import ToolAnswer, ToolSpec
from limen.core.untrusted import Nonce, fence

MAX_LINES = 400
MAX_CHARS = 15_000


class ReadFileArguments(msgspec.Struct):
    """What to read. `path` also takes a reference from a search or an evidence id."""

    path: Annotated[str, msgspec.Meta(description="file, lib: reference or ev_ id", min_length=1, max_length=4_096)]
    start_line: Annotated[int, msgspec.Meta(ge=1)] = 1
    lines: Annotated[int, msgspec.Meta(ge=1, le=MAX_LINES)] = 120


class ReadFile:
    """The tool. A document's text comes fenced, whoever brought it; what is left out is named by its next line."""

    spec = ToolSpec(
        name="read_file",
        toolset="files",
        description=(
            f"Read up to {MAX_LINES} lines of a library document, evidence or workspace file. "
            "Where it was cut, next_line says where to go on."
        ),
        arguments=ReadFileArguments,
        effect="read",
        output="verbatim",
        limit_chars=3 * MAX_CHARS,
    )

    def __init__(self, opener: Opener, nonce: Nonce) -> None:
        self._opener = opener
        self._nonce = nonce

    async def run(self, arguments: ReadFileArguments, context: CallContext) -> ToolAnswer:
        """The lines asked for, as far as they fit."""
        opened = await self._opener.open(arguments.path, context)
        lines = opened.text.split("\n")
        if arguments.start_line > len(lines):
            raise ToolFault("read_file.past_end", f"{opened.ref} has {len(lines)} lines.", "Ask for an earlier line.")
        shown, end = fit(lines, arguments.start_line, arguments.lines)
        await context.progress(f"lines {arguments.start_line:,}–{end:,} of {len(lines):,}", end, len(lines))
        body = {
            "n": await cite(opened, context, shown, arguments.start_line),
            "ref": opened.ref,
            "path": arguments.path,
            "title": opened.title,
            "url": opened.url,
            "start_line": arguments.start_line,
            "end_line": end,
            "total_lines": len(lines),
            "next_line": end + 1 if end < len(lines) else None,
            "content": fence(shown, self._nonce(), opened.url),
        }
        whole = arguments.start_line == 1 and end == len(lines)
        return ToolAnswer((leaf(opened, body, None if whole else Cut(len(shown), 0)),))


def fit(lines: list[str], start: int, count: int) -> tuple[str, int]:
    """Lines from `start` on, at most `count` and MAX_CHARS; with the last line's number. A first line that is too long is cut."""
    taken: list[str] = []
    room = MAX_CHARS
    for line in lines[start - 1 : start - 1 + count]:
        if taken and len(line) + 1 > room:
            break
        taken.append(line[:room])
        room -= len(line) + 1
    return "\n".join(taken), start - 1 + len(taken)
