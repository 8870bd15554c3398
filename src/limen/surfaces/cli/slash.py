"""What can be said to a chat instead of to the model: `/help` and its kin."""

import re
from collections.abc import Awaitable, Callable
from difflib import get_close_matches

import msgspec

from limen.kit.text import clip, number_lines
from limen.surfaces.cli.account import account
from limen.surfaces.cli.conversation import Conversation
from limen.surfaces.cli.ledger import find_entries, show_ledger
from limen.surfaces.cli.pick import known_session
from limen.surfaces.cli.sessions import SESSION_COLUMNS, session_row
from limen.surfaces.cli.table import Column, show_table
from limen.surfaces.cli.transcript import show_transcript, spoken

_COMMAND = re.compile(r"/([a-z]+)(?:\s+(.*))?\Z", re.DOTALL)
_SHOWN_LINES = 40
_RECENT_BLOCKS = 6


class Slash(msgspec.Struct, frozen=True):
    """One command: what it takes, what it does, and the function that does it."""

    takes: str
    summary: str
    run: Callable[[Conversation, str], Awaitable[None]]


async def dispatch(conversation: Conversation, line: str) -> bool:
    """Run a line that is a command; False when it is none and belongs to the model."""
    match = _COMMAND.match(line.strip())
    if match is None:
        return False
    name, rest = match[1], (match[2] or "").strip()
    name = _ALIASES.get(name, name)
    if name in SLASHES:
        await SLASHES[name].run(conversation, rest)
        return True
    near = get_close_matches(name, SLASHES, n=1)
    mend = f"did you mean /{near[0]}?" if near else "/help lists what there is"
    conversation.screen.note(f"! there is no /{name}; {mend}", "warn")
    return True


async def _help(conversation: Conversation, _rest: str) -> None:
    screen = conversation.screen
    width = max(len(f"/{name} {slash.takes}") for name, slash in SLASHES.items())
    for name, slash in SLASHES.items():
        screen.say(f"  {f'/{name} {slash.takes}':<{width}}  ", "accent", end="")
        screen.say(slash.summary)
    screen.say("  Alt-Enter or \\ at a line's end: one more line. Enter while an answer comes: add to it.", "dim")
    screen.say("  Ctrl-C stops an answer, twice leaves. Ctrl-D leaves.", "dim")


async def _new(conversation: Conversation, _rest: str) -> None:
    conversation.session = None
    conversation.screen.note("a new conversation begins with your next line")


async def _stop(conversation: Conversation, _rest: str) -> None:
    if conversation.running:
        conversation.stop()
    else:
        conversation.screen.note("nothing is running")


async def _steer(conversation: Conversation, rest: str) -> None:
    if not rest:
        conversation.screen.note("! /steer TEXT", "warn")
    elif conversation.running:
        conversation.add(rest)
    else:
        conversation.screen.note("nothing is running; just type it")


async def _queue(conversation: Conversation, rest: str) -> None:
    if rest and not conversation.running:
        conversation.screen.note("nothing is running; just type it")
        return
    if rest:
        conversation.queued.append(rest)
    for position, text in enumerate(conversation.queued, 1):
        conversation.screen.note(f"{position}. {clip(text, 100)}", "plain")
    if not conversation.queued:
        conversation.screen.note("nothing is queued")


async def _ledger(conversation: Conversation, rest: str) -> None:
    if conversation.session is None:
        conversation.screen.note("nothing has entered a context yet")
        return
    entries = await find_entries(conversation.runtime, conversation.session, last=rest != "all")
    show_ledger(conversation.screen, entries)


async def _model(conversation: Conversation, rest: str) -> None:
    if rest:
        conversation.model = rest
    route = conversation.model or conversation.runtime.loaded.config.model.route
    conversation.screen.note(f"the next turn asks {route}", "plain")


async def _evidence(conversation: Conversation, rest: str) -> None:
    screen, shelf = conversation.screen, conversation.runtime.evidence
    if rest:
        excerpt = await shelf.show(rest, 1, _SHOWN_LINES)
        if excerpt is None:
            screen.note(f"! nothing is kept under {rest}", "warn")
            return
        screen.line(number_lines(excerpt.text, excerpt.start))
        if excerpt.end < excerpt.total_lines:
            screen.note(f"… {excerpt.total_lines:,} lines; limen evidence show {rest}")
        return
    kept = await shelf.list(session=conversation.session, limit=20) if conversation.session else ()
    if not kept:
        screen.note("nothing was cut in this conversation")
        return
    columns = (Column("id"), Column("tool"), Column("lines", "right"), Column("source", gives_way=True))
    show_table(screen, columns, [[each.id, each.tool, f"{each.lines:,}", each.source] for each in kept])


async def _status(conversation: Conversation, _rest: str) -> None:
    screen = conversation.screen
    screen.note(f"conversation  {conversation.session or 'not begun'}", "plain")
    screen.note(f"model         {conversation.model or conversation.runtime.loaded.config.model.route}", "plain")
    screen.note(f"home          {conversation.runtime.home.path}", "plain")
    state = "answering" if conversation.running else "idle"
    screen.note(f"now           {state}, {len(conversation.queued)} queued", "plain")
    if conversation.latest is not None:
        screen.note(f"last turn     {account(conversation.latest, screen.width - 14)}", "plain")


async def _sessions(conversation: Conversation, _rest: str) -> None:
    found = await conversation.runtime.sessions.list(10)
    if found:
        show_table(conversation.screen, SESSION_COLUMNS, [session_row(session) for session in found])
    else:
        conversation.screen.note("no conversation yet")


async def _session(conversation: Conversation, rest: str) -> None:
    if not rest:
        conversation.screen.note("! /session KEY", "warn")
        return
    session = await known_session(conversation.runtime.sessions, rest)
    conversation.session = session.key
    blocks = spoken(await conversation.runtime.sessions.blocks(session.key))
    show_transcript(conversation.screen, blocks[-_RECENT_BLOCKS:])
    conversation.screen.note(f"{session.key} · {session.turns} turns · {clip(session.title, 60)}")


async def _quit(conversation: Conversation, _rest: str) -> None:
    conversation.leaving = True


SLASHES: dict[str, Slash] = {
    "help": Slash("", "show this", _help),
    "new": Slash("", "begin a new conversation", _new),
    "stop": Slash("", "stop the answer that comes; what was said is kept", _stop),
    "steer": Slash("TEXT", "add to the turn that runs", _steer),
    "queue": Slash("[TEXT]", "ask this after the turn that runs; alone: what waits", _queue),
    "model": Slash("[ROUTE]", "who answers from the next turn on", _model),
    "ledger": Slash("[all]", "what the last request was made of; all: everything that entered", _ledger),
    "evidence": Slash("[ID]", "whole outputs that were kept", _evidence),
    "status": Slash("", "where this conversation stands", _status),
    "sessions": Slash("", "the latest conversations", _sessions),
    "session": Slash("KEY", "go on with another conversation", _session),
    "quit": Slash("", "leave", _quit),
}
_ALIASES = {"exit": "quit", "q": "quit", "h": "help", "evid": "evidence"}
