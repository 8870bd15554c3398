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
    """What to read, from character `start_char` of line `start_line` on. `path` also takes a reference or an evidence id."""

    path: Annotated[str, msgspec.Meta(description="file, lib: reference or ev_ id", min_length=1, max_length=4_096)]
    start_line: Annotated[int, msgspec.Meta(ge=1)] = 1
    start_char: Annotated[int, msgspec.Meta(ge=1)] = 1
    lines: Annotated[int, msgspec.Meta(ge=1, le=MAX_LINES)] = 120


class ReadFile:
    """The tool. A document's text comes fenced, whoever brought it; what is left out is named by its next line."""

    spec = ToolSpec(
        name="read_file",
        toolset="files",
        description=(
            f"Read up to {MAX_LINES} lines of a library document, evidence or workspace file. "
            "Where it was cut, next_line says where to go on, and next_char where in that line."
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
        _refuse_past_end(opened.ref, lines, arguments)
        shown, end, next_char = fit(lines, arguments.start_line, arguments.lines, arguments.start_char)
        await context.progress(f"lines {arguments.start_line:,}–{end:,} of {len(lines):,}", end, len(lines))
        after = end if next_char is not None else end + 1
        body = {
            "n": await cite(opened, context, shown, arguments.start_line),
            "ref": opened.ref,
            "path": arguments.path,
            "title": opened.title,
            "url": opened.url,
            "start_line": arguments.start_line,
            **({"start_char": arguments.start_char} if arguments.start_char > 1 else {}),
            "end_line": end,
            "total_lines": len(lines),
            "next_line": after if after <= len(lines) else None,
            **({"next_char": next_char} if next_char is not None else {}),
            "content": fence(shown, self._nonce(), opened.url),
        }
        whole = len(shown) == len(opened.text)
        return ToolAnswer((leaf(opened, body, None if whole else Cut(len(shown), 0)),))


def _refuse_past_end(ref: str, lines: list[str], arguments: ReadFileArguments) -> None:
    if arguments.start_line > len(lines):
        raise ToolFault("read_file.past_end", f"{ref} has {len(lines)} lines.", "Ask for an earlier line.")
    chars = len(lines[arguments.start_line - 1])
    if arguments.start_char > chars + 1:
        reason = f"Line {arguments.start_line} of {ref} has {chars} characters."
        raise ToolFault("read_file.past_end", reason, "Ask for an earlier character.")


def fit(lines: list[str], start: int, count: int, char: int = 1) -> tuple[str, int, int | None]:
    """Lines from `start` on, the first of them from `char`: at most `count` and MAX_CHARS.

    Also the last line's number, and where in that line to go on, None when it is shown to its end: only a first line that is too
    long for all of the room is cut.
    """
    first = lines[start - 1][char - 1 :]
    if len(first) > MAX_CHARS:
        return first[:MAX_CHARS], start, char + MAX_CHARS
    taken = [first]
    room = MAX_CHARS - len(first) - 1
    for line in lines[start : start - 1 + count]:
        if len(line) + 1 > room:
            break
        taken.append(line)
        room -= len(line) + 1
    return "\n".join(taken), start - 1 + len(taken), None
