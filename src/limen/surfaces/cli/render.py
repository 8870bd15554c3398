"""A turn as a person sees it: events in, lines out. It knows the event stream and nothing else of a turn."""

import json
from typing import Any

from limen.core.event import (
    ApprovalAsked,
    BlockAdmitted,
    Event,
    Folded,
    Lagged,
    Notice,
    Refused,
    ReplyDelta,
    ReplyFinished,
    ReplyRestarted,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from limen.core.fault import Refusal
from limen.core.message import ToolCall
from limen.kit.text import clip
from limen.surfaces.cli.faults import REFUSED, status_of_refusal
from limen.surfaces.cli.figures import counted
from limen.surfaces.cli.prose import Prose
from limen.surfaces.cli.screen import Screen

_ARGUMENT_CHARS = 60
# A call that took less is not worth a figure.
_NOTABLE_S = 0.5
_WHY_FOLDED = {"room": "it was full", "loading": "it does not hold the whole conversation"}


class TurnView:
    """Shows one turn. `streaming` is whether the reply's text goes to the screen as it comes."""

    def __init__(self, screen: Screen, *, streaming: bool) -> None:
        self._screen = screen
        self._streaming = streaming
        self._calls: dict[str, ToolCall] = {}
        self._progress: dict[str, str] = {}
        self._open_call: str | None = None
        self._shown_calls: set[str] = set()
        self._prose = Prose(screen.width - 1)
        self._held: Refusal | None = None
        self._told: set[tuple[str, str]] = set()

    def show(self, event: Event) -> None:
        """Show one event."""
        if self._streaming and not isinstance(event, ReplyDelta):
            self._screen.write(self._prose.flush())
        held, self._held = self._held, None
        if held is not None and not _tells(event, held):
            self._refusal(held)
        match event:
            case ReplyDelta(text, thinking):
                self._reply(text, thinking=thinking)
            case ToolStarted() | ToolProgress() | ToolFinished():
                self._tool(event)
            case TurnEnded():
                self._screen.fresh_line()
            case TurnStarted(route=route):
                self._detail(f"{route.name}: {route.because}" if route.because else route.name)
            case BlockAdmitted(entry):
                self._detail(f"+ {entry.n} {entry.kind} {clip(entry.source, 60)} {entry.tokens_out:,} tokens")
            case ReplyFinished():
                self._end_reply()
            case _:
                self._aside(event)

    def _aside(self, event: Event) -> None:
        if isinstance(event, Refused):
            self._held = event.refusal  # the end of its call, or of the turn, may tell it
            return
        self._break()
        if self._screen.out_is_terminal:
            self._screen.fresh_line()  # a reply that broke off has left a row open, perhaps on this very stream
        match event:
            case ReplyRestarted(because, route):
                self._prose = Prose(self._screen.width - 1)  # what was shown is void, and so is how it was written
                self._screen.note(f"↻ starting over with {route.name}: {because}", "warn")
            case Folded():
                why = f": {_WHY_FOLDED.get(event.because, event.because)}" if event.because else ""
                size = f" ({event.tokens:,} tokens)" if event.tokens else ""
                messages = counted(event.messages, "earlier message")
                self._screen.note(f"↻ {messages}{size} left the window{why}", "warn")
            case Notice(code, text, mend):
                self._screen.note("! ", "warn", end="")
                self._screen.note(f"{text} [{code}]", "plain")
                if mend:
                    self._screen.note(f"  → {mend}", "plain")
            case Lagged(missed):
                self._screen.note(f"… {missed:,} events were not shown")
            case ApprovalAsked(call, question):
                self._screen.note(f"? {call.name}: {question}", "warn")
            case _:
                raise AssertionError(f"no way to show {event!r}")

    def _reply(self, text: str, *, thinking: bool) -> None:
        if thinking:
            if self._screen.verbose:
                self._screen.note(text, end="")
        elif self._streaming:
            self._break()
            self._prose.resize(self._screen.width - 1)
            if self._screen.at_row_start:
                self._prose.break_row()
            self._screen.write(self._prose.feed(text))
            self._screen.flush()  # a pipe's reader waits for it too

    def _end_reply(self) -> None:
        """Part a reply from the next one of its turn; a call that follows has a row of its own anyway."""
        if self._streaming:
            self._screen.fresh_line()

    def _detail(self, text: str) -> None:
        if self._screen.verbose:
            self._break()
            self._screen.note(text)

    def _tool(self, event: ToolStarted | ToolProgress | ToolFinished) -> None:
        match event:
            case ToolStarted(call):
                self._calls[call.call_id] = call
                if self._open_call is None and self._screen.err_is_terminal and not self._screen.quiet:
                    self._screen.note(f"⟶ {describe(call)}", end="")
                    self._open_call = call.call_id
                    self._shown_calls.add(call.call_id)
            case ToolProgress(call_id, text):
                self._progress[call_id] = text
            case ToolFinished(call_id):
                self._finished(event)
                self._progress.pop(call_id, None)

    def _finished(self, event: ToolFinished) -> None:
        parts = [self._progress.get(event.call_id, "")]
        parts.append(_how_it_went(event))
        parts.append(f"shortened, whole: {event.evidence_id}" if event.evidence_id else "")
        parts.append(f"{event.took_s:.1f} s" if event.took_s >= _NOTABLE_S else "")
        outcome = "".join(f" · {part}" for part in parts if part)
        if self._open_call == event.call_id:
            self._screen.note(outcome)
            self._open_call = None
        elif outcome or event.call_id not in self._shown_calls:
            self._break()
            call = self._calls.get(event.call_id)
            self._screen.note(f"⟶ {describe(call) if call else event.name}{outcome}")
        if event.refusal is not None:
            self._refusal(event.refusal)

    def _refusal(self, refusal: Refusal) -> None:
        if (refusal.code, refusal.reason) in self._told:
            return
        self._told.add((refusal.code, refusal.reason))
        self._break()
        self._screen.note("  ✗ ", "bad", end="")
        self._screen.note(f"{refusal.reason} [{refusal.code}]", "plain")
        if refusal.mend:
            self._screen.note(f"  → {refusal.mend}", "plain")

    def _break(self) -> None:
        """End the line of a call that is still running, so that something else can be said."""
        if self._open_call is not None:
            self._screen.fresh_line()
            self._open_call = None


def _tells(event: Event, refusal: Refusal) -> bool:
    """Whether an event that is about to be shown tells of a refusal itself."""
    if isinstance(event, ToolFinished):
        return event.refusal == refusal
    return isinstance(event, TurnEnded) and event.code == refusal.code


def _how_it_went(event: ToolFinished) -> str:
    if event.refusal is None:
        return "failed" if event.is_error else ""
    word = "refused" if status_of_refusal(event.refusal) == REFUSED else "failed"
    return word if event.is_error else f"{word} in part"


def describe(call: ToolCall) -> str:
    """A call in a few words: its name and what it was given."""
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        return f"{call.name} {clip(call.arguments, _ARGUMENT_CHARS)}"
    if not isinstance(arguments, dict):
        return f"{call.name} {clip(call.arguments, _ARGUMENT_CHARS)}"
    named = [_named(name, value) for name, value in arguments.items() if isinstance(value, str | list) and value]
    line = next((value for name, value in arguments.items() if "line" in name and isinstance(value, int)), None)
    shown = " ".join(named[:2]) + (f":{line}" if line is not None and line > 1 else "")
    return f"{call.name} {clip(shown, _ARGUMENT_CHARS)}".rstrip()


def _named(name: str, value: Any) -> str:
    """An argument by its value; one that is a list of commands by its name too."""
    commands = isinstance(value, list) and isinstance(value[0], dict)
    return f"{name} {_shown(value)}" if commands else _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(_shown(inner) for inner in value.values() if isinstance(inner, str | int))
    if isinstance(value, list):
        more = f" +{len(value) - 1}" if len(value) > 1 else ""
        return f"{_shown(value[0])}{more}" if value else ""
    if isinstance(value, str):
        return f'"{value}"' if " " in value else value
    return json.dumps(value, ensure_ascii=False)
