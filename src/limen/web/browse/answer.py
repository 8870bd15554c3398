"""Between a tool's call and whoever browses: the request that a call means, the answer that entries make."""

from collections.abc import Sequence

import msgspec

from limen.core.browse import BrowseEntry, BrowseRequest, BrowseSettings, Command, ResponseLength
from limen.core.context import CallContext
from limen.core.message import Text
from limen.core.tool import Part, ToolAnswer

# Text with line numbers and addresses has fewer characters to a token than prose.
CHARS_PER_TOKEN = 3


def request_of(
    commands: Sequence[Command], length: ResponseLength, settings: BrowseSettings, context: CallContext
) -> BrowseRequest:
    """Commands with the circumstances that whoever carries them out is told."""
    return BrowseRequest(
        session=context.session,
        commands=tuple(commands),
        response_length=length,
        said=context.said(),
        settings=settings,
        output_tokens=context.room_chars // CHARS_PER_TOKEN,
    )


def answer_of(entries: Sequence[BrowseEntry]) -> ToolAnswer:
    """The JSON document `{"results": […]}`, cut into leaves at the entries' borders; joined by newlines they are valid JSON.

    It is an error only where every entry is.
    """
    parts: list[Part] = []
    for index, entry in enumerate(entries):
        head = '{"results": [' if index == 0 else ""
        tail = "]}" if index == len(entries) - 1 else ","
        parts.append(Part(Text(head + msgspec.json.encode(entry.body).decode() + tail), entry.origin))
        if entry.picture is not None:
            parts.append(Part(entry.picture, entry.origin))
    refusals = [entry.refusal for entry in entries if entry.refusal is not None]
    failed = bool(entries) and len(refusals) == len(entries)
    return ToolAnswer(tuple(parts), is_error=failed, refusal=refusals[0] if refusals else None)
