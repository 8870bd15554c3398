"""A stored conversation as text: who said what, which tools ran, what came back."""

from collections.abc import Iterable, Iterator, Sequence

from limen.core.message import Image, Text, Thinking, ToolCall, ToolResult, text_of
from limen.core.session import Session
from limen.kit.clock import iso_utc
from limen.kit.text import clip
from limen.store.ports import StoredBlock
from limen.surfaces.cli.render import describe
from limen.surfaces.cli.screen import Screen

SPOKEN = frozenset({"user", "assistant", "tool", "summary"})
_RESULT_CHARS = 120


def spoken(blocks: Iterable[StoredBlock]) -> list[StoredBlock]:
    """The blocks that belong to the conversation: without prompt and tool schemas."""
    return [block for block in blocks if block.place in SPOKEN]


def show_transcript(screen: Screen, blocks: Sequence[StoredBlock]) -> None:
    """The conversation on the screen; results of tools only by their first words."""
    for stored in blocks:
        match stored.block:
            case Text(text) if stored.place == "user":
                screen.write("› ", "accent")
                screen.line(text, "bold")
            case Text(text):
                screen.line(text)
                screen.line()
            case ToolCall():
                screen.line(f"⟶ {describe(stored.block)}", "dim")
            case ToolResult(blocks=leaves, is_error=is_error):
                screen.line(f"  {'✗ ' if is_error else ''}{clip(text_of(leaves), _RESULT_CHARS)}", "dim")
            case Thinking(text):
                if screen.verbose:
                    screen.line(clip(text, 400), "dim")
            case Image(media_type=media_type, data=data):
                screen.line(f"[{media_type}, {len(data):,} bytes]", "dim")


def markdown(session: Session, blocks: Sequence[StoredBlock]) -> Iterator[str]:
    """The whole conversation as Markdown, results of tools in full."""
    yield f"# {session.title or session.key}\n"
    yield f"Conversation {session.key}, begun {iso_utc(session.created_at)}, {session.turns} turns.\n"
    for stored in blocks:
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


def _fenced(text: str) -> str:
    """A code block whose fence is longer than any run of backticks inside."""
    run = longest = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
