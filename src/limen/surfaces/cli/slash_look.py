"""The chat's commands that look inside: where it stands, what the model has before it, what was kept."""

from collections.abc import Sequence

import msgspec

from limen.agent.live import live_blocks
from limen.core.event import TurnStarted
from limen.core.evidence import Evidence
from limen.core.fault import Fault
from limen.core.message import ToolCall
from limen.kit.text import clip, number_lines
from limen.store.ports import StoredBlock
from limen.surfaces.cli.account import account, provider_account
from limen.surfaces.cli.conversation import Conversation, waiting
from limen.surfaces.cli.figures import counted
from limen.surfaces.cli.ledger import find_entries, show_ledger
from limen.surfaces.cli.prompt_cache import find_uses, show_uses
from limen.surfaces.cli.table import Column, show_table

_SHOWN_LINES = 40
_LISTED = 20
_BAR_CELLS = 20
_LABEL_CELLS = 12
_EVIDENCE = (Column("id", style="accent"), Column("lines", "right"), Column("tool"), Column("source", gives_way=True))
_PARTS = (Column("part"), Column("blocks", "right"), Column("tokens", "right"), Column("share", style="accent"))
_LABELS = {
    "identity": "identity and guidance",
    "context_file": "context files",
    "tools": "tools",
    "user": "what you said",
    "steering": "what you said",
    "summary": "what was folded",
    "model": "answers",
    "call": "tool calls",
    "tool": "tool results",
    "web": "pages and hits",
    "evidence": "evidence",
}


async def status(conversation: Conversation, _rest: str) -> None:
    """Say where the conversation stands."""
    screen, runtime = conversation.screen, conversation.runtime
    key = conversation.session
    stored = await runtime.sessions.get(key) if key is not None else None
    about = [counted(stored.turns, "turn"), clip(stored.title, 60)] if stored is not None else []
    rows = {
        "conversation": " · ".join([key or "new, with your next line", *about]),
        "fork of": stored.parent or "" if stored is not None else "",
        "model": conversation.route + conversation.stood_in,
        "now": _state(conversation),
        "home": str(runtime.home.path),
        "last turn": account(conversation.latest, screen.width - _LABEL_CELLS - 3) if conversation.latest is not None else "",
        "": provider_account(conversation.latest) if conversation.latest is not None else "",
    }
    for label, text in rows.items():
        if text:
            screen.write(f"{label:<{_LABEL_CELLS}}", "dim")
            screen.hanging(text, _LABEL_CELLS + 2)


def _state(conversation: Conversation) -> str:
    parts = ["answering" if conversation.running else "waiting for you"]
    if conversation.paused:
        parts.append("paused")
    if conversation.queued:
        parts.append(waiting(len(conversation.queued)))
    return " · ".join(parts)


class Part(msgspec.Struct):
    """One kind of content in the window."""

    label: str
    blocks: int = 0
    tokens: int = 0


def parts_of(live: Sequence[StoredBlock]) -> list[Part]:
    """What a window is made of, by kind, in the order in which each kind comes first."""
    parts: dict[str, Part] = {}
    for stored in live:
        for entry in stored.entries:
            kind = "call" if isinstance(stored.block, ToolCall) else entry.kind
            label = _LABELS.get(kind, kind.replace("_", " "))
            part = parts.setdefault(label, Part(label))
            part.blocks += 1
            part.tokens += entry.tokens_out
    return list(parts.values())


async def context(conversation: Conversation, _rest: str) -> None:
    """Show what the next request begins with, by part, against the model's window."""
    screen, runtime, key = conversation.screen, conversation.runtime, conversation.session
    parts = parts_of(await live_blocks(runtime.sessions, key)) if key is not None else []
    if key is None or not parts:
        screen.note("nothing yet: identity, guidance and tools enter with your first line", "plain")
        return
    total = sum(part.tokens for part in parts)
    rows = [[part.label, f"{part.blocks:,}", f"{part.tokens:,}", _bar(part.tokens, total)] for part in parts]
    show_table(screen, _PARTS, rows)
    screen.note(await _room(conversation, key, total))


async def _room(conversation: Conversation, key: str, total: int) -> str:
    """How full the window is of the route that answered last."""
    started = await conversation.runtime.sessions.latest_event(key, "turn_started")
    if not isinstance(started, TurnStarted):
        return f"{total:,} tokens"
    window = started.route.window_tokens
    fold = int(window * conversation.runtime.loaded.config.context.fold_at)
    share = f"{total:,} of {window:,} tokens ({total / window:.0%})"
    return f"{share} of {started.route.name}; the oldest messages are folded from {fold:,} on"


def _bar(tokens: int, total: int) -> str:
    cells = max(round(_BAR_CELLS * tokens / total), 1) if tokens and total else 0
    return "━" * cells


async def ledger(conversation: Conversation, rest: str) -> None:
    """Show the blocks of the last request, or all that ever entered."""
    if rest not in ("", "all"):
        raise Fault("chat.usage", f"/ledger takes `all` or nothing, not {clip(rest, 40)!r}", "/ledger all")
    key = conversation.session
    if key is None or await conversation.runtime.sessions.get(key) is None:
        conversation.screen.note("nothing has entered a context yet", "plain")
        return
    found = await find_entries(conversation.runtime, key, last=not rest)
    show_ledger(conversation.screen, found.entries)
    show_uses(conversation.screen, await find_uses(conversation.runtime.sessions, key, last=not rest))


async def evidence(conversation: Conversation, rest: str) -> None:
    """List what was kept of this conversation, or show one text of it."""
    screen = conversation.screen
    if rest:
        await _show_evidence(conversation, rest)
        return
    kept = await _kept(conversation)
    if kept:
        show_table(screen, _EVIDENCE, [[each.id, f"{each.lines:,}", each.tool, each.source] for each in kept])
        screen.note("/evidence ID shows one")
    else:
        screen.note("nothing was kept: no tool's output had to be cut in this conversation", "plain")


async def _show_evidence(conversation: Conversation, rest: str) -> None:
    evidence_id, *numbers = rest.split()
    if len(numbers) > 2 or not all(number.isdecimal() for number in numbers):
        raise Fault("chat.usage", "/evidence takes an id, and from which line to which", "/evidence ID 40 80")
    start = int(numbers[0]) if numbers else 1
    end = int(numbers[1]) if len(numbers) > 1 else start + _SHOWN_LINES - 1
    excerpt = await conversation.runtime.evidence.show(evidence_id, start, end)
    if excerpt is None:
        raise Fault("evidence.unknown", f"nothing is kept under {clip(evidence_id, 40)}", "/evidence lists what is")
    screen = conversation.screen
    if excerpt.end >= excerpt.start:
        screen.line(number_lines(excerpt.text, excerpt.start))
    rest_of_it = f"; on: /evidence {evidence_id} {excerpt.end + 1}" if excerpt.end < excerpt.total_lines else ""
    screen.note(f"lines {excerpt.start:,} to {excerpt.end:,} of {excerpt.total_lines:,}{rest_of_it}")


async def _kept(conversation: Conversation) -> Sequence[Evidence]:
    if conversation.session is None:
        return []
    return await conversation.runtime.evidence.list(session=conversation.session, limit=_LISTED)


async def evidence_choices(conversation: Conversation, typed: str) -> Sequence[tuple[str, str]]:
    """What was kept of this conversation, by id."""
    return [(each.id, f"{each.tool} {clip(each.source, 50)}") for each in await _kept(conversation) if each.id.startswith(typed)]
