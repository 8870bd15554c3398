"""A stored conversation as text: who said what, which tools ran, what came back."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from limen.core.event import TurnEnded
from limen.core.message import Image, Text, Thinking, ToolCall, ToolResult, text_of
from limen.core.session import Session
from limen.core.untrusted import unfence
from limen.kit.clock import iso_utc
from limen.kit.text import clip
from limen.store.ports import StoredBlock, StoredEvent
from limen.surfaces.cli.figures import counted
from limen.surfaces.cli.prose import Prose
from limen.surfaces.cli.render import describe
from limen.surfaces.cli.screen import Screen

SPOKEN = frozenset({"user", "assistant", "tool", "summary"})
_RESULT_CHARS = 120
_THOUGHT_CHARS = 400
# As much of a turn's id as finds it again.
TURN_CHARS = 8
_MARK = "› "


class _Problem(msgspec.Struct, frozen=True):
    """What a tool's failed result says of itself."""

    code: str
    reason: str


class _Failed(msgspec.Struct, frozen=True):
    error: _Problem


def spoken(blocks: Iterable[StoredBlock]) -> list[StoredBlock]:
    """The blocks that belong to the conversation: without prompt and tool schemas."""
    return [block for block in blocks if block.place in SPOKEN]


def ends_of(events: Iterable[StoredEvent]) -> dict[str, TurnEnded]:
    """How turns ended that did not end with an answer, by turn."""
    ended = {stored.turn: stored.event for stored in events if isinstance(stored.event, TurnEnded)}
    return {turn: event for turn, event in ended.items() if event.reason != "answered"}


def said(text: str, *, rows: int | None = None, columns: int = 100) -> list[str]:
    """What a person said, line by line behind a mark; with `rows` about so many, and then how much more there was."""
    lines = text.split("\n")
    shown = lines if rows is None else [_clipped(line, rows * columns) for line in lines[:rows]]
    marked = [(_MARK if index == 0 else " " * len(_MARK)) + line for index, line in enumerate(shown)]
    return [*marked, f"  … {len(lines) - len(shown):,} more lines"] if len(shown) < len(lines) else marked


def _clipped(line: str, limit_chars: int) -> str:
    return line if len(line) <= limit_chars else f"{line[:limit_chars]}… ({len(line):,} characters)"


def show_transcript(screen: Screen, blocks: Sequence[StoredBlock], ends: Mapping[str, TurnEnded]) -> None:
    """The conversation on the screen; results of tools only by their first words. `ends` says which turns broke off, and how."""
    for index, stored in enumerate(blocks):
        turn = stored.entries[0].turn
        starts = index == 0 or blocks[index - 1].entries[0].turn != turn
        if starts and index:
            screen.line()
        _show_block(screen, stored, turn if starts else "")
        if turn in ends and (index + 1 == len(blocks) or blocks[index + 1].entries[0].turn != turn):
            _show_end(screen, ends[turn])


def _show_block(screen: Screen, stored: StoredBlock, turn: str) -> None:
    match stored.block:
        case Text(text) if stored.place == "user":
            first, *rest = said(text)
            screen.write(first, "bold")
            screen.line(f"  {turn[:TURN_CHARS]}" if turn and screen.out_is_terminal else "", "dim")
            for line in rest:
                screen.line(line, "bold")
        case Text(text) if stored.place == "summary":
            screen.paragraph(text)
        case Text(text):
            screen.line(_wrapped(screen, text))
        case ToolCall():
            screen.line(f"⟶ {describe(stored.block)}", "dim")
        case ToolResult(is_error=is_error):
            room = min(screen.width - 6, _RESULT_CHARS) if screen.out_is_terminal else _RESULT_CHARS
            screen.line(f"  {'✗ ' if is_error else ''}{clip(_result(stored.block), room)}", "dim")
        case Thinking(text):
            if screen.verbose:
                screen.line(clip(text, _THOUGHT_CHARS), "dim")
        case Image(media_type=media_type, data=data):
            screen.line(f"[{media_type}, {len(data):,} bytes]", "dim")


def _show_end(screen: Screen, end: TurnEnded) -> None:
    said = "interrupted" if end.reason == "interrupted" else " ".join(end.text.split()) or end.reason
    code = f" [{end.code}]" if end.code and end.reason != "interrupted" else ""
    screen.line(f"✗ {said}{code}", "warn")


def _wrapped(screen: Screen, text: str) -> str:
    """An answer as it looked when it came."""
    if not screen.out_is_terminal:
        return text
    prose = Prose(screen.width - 1)
    return prose.feed(text.rstrip()) + prose.flush()


def _result(block: ToolResult) -> str:
    """What a tool said, in its own words; of a failure its reason."""
    text = text_of(block.blocks)
    if not block.is_error:
        return unfence(text)
    try:
        error = msgspec.json.decode(text, type=_Failed).error
    except (msgspec.DecodeError, UnicodeError):
        return text
    return f"{error.reason} [{error.code}]"


def markdown(session: Session, blocks: Sequence[StoredBlock], ends: Mapping[str, TurnEnded]) -> Iterator[str]:
    """The whole conversation as Markdown, results of tools in full."""
    fork = f", forked from {session.parent}" if session.parent else ""
    yield f"# {' '.join(session.title.split()) or session.key}\n"
    yield f"Conversation {session.key}, begun {iso_utc(session.created_at)}, {counted(session.turns, 'turn')}{fork}.\n"
    for index, stored in enumerate(blocks):
        match stored.block:
            case Text(text):
                yield f"## {stored.place.capitalize()}\n\n{text}\n"
            case ToolCall(call_id, name, arguments):
                yield f"### Call {name} ({call_id})\n\n{_fenced(arguments)}\n"
            case ToolResult(call_id, leaves, is_error):
                yield f"### {'Failed result' if is_error else 'Result'} ({call_id})\n\n{_fenced(text_of(leaves))}\n"
            case Thinking(text):
                yield f"### Thinking\n\n{_fenced(text)}\n"
            case Image(media_type=media_type, data=data):
                yield f"[{media_type}, {len(data):,} bytes]\n"
        turn = stored.entries[0].turn
        if turn in ends and (index + 1 == len(blocks) or blocks[index + 1].entries[0].turn != turn):
            yield f"*{ends[turn].text or ends[turn].reason}*\n"


def _fenced(text: str) -> str:
    """A code block whose fence is longer than any run of backticks inside."""
    run = longest = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
