"""`limen sessions`: the conversations of this home."""

import signal
import sys
from collections.abc import Sequence
from datetime import datetime
from shlex import quote

import click
import msgspec

from limen.agent.agent import new_session_key
from limen.core.fault import Refusal
from limen.core.session import Session
from limen.kit.text import clip
from limen.store.ports import Found
from limen.surfaces.cli.app import Cli, command, group
from limen.surfaces.cli.export import EXPORT_FORMATS, Export, export_texts, masked, publish, save
from limen.surfaces.cli.faults import DONE, Refused
from limen.surfaces.cli.figures import counted, lately, local_time
from limen.surfaces.cli.pick import known_session
from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.table import Column, show_table
from limen.surfaces.cli.transcript import ends_of, show_transcript, spoken

sessions = group("sessions", "List, read, search and remove conversations.", example="limen sessions list")

NO_SESSIONS = "No conversations yet. Start one: limen chat"
_TITLE_CHARS = 200
# With fewer columns the title is worth more than the route.
_ROOMY_COLUMNS = 90
# How long a deletion may take before another process could begin a turn on what is being deleted.
_DELETION_S = 30.0


@command(name="list", example="limen sessions list --limit 10", under=sessions)
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="How many.")
async def list_sessions(cli: Cli, limit: int) -> int:
    """List conversations, the latest first."""
    async with cli.runtime() as runtime:
        found = await runtime.sessions.list(limit + 1)
    more = len(found) > limit
    found = found[:limit]
    if cli.options.json:
        cli.screen.json([msgspec.to_builtins(session) for session in found])
    elif not found:
        cli.screen.note(NO_SESSIONS, "plain")
    else:
        show_sessions(cli.screen, found)
        if more:
            cli.screen.note(f"there are more: --limit {limit * 2}")
    return DONE


def show_sessions(screen: Screen, found: Sequence[Session], *, current: str | None = None) -> None:
    """Conversations as a table; the current one is marked. A pipe gets every column and whole moments."""
    at_terminal = screen.out_is_terminal
    columns = [
        *([Column("", style="accent")] if current is not None else []),
        Column("session", style="accent"),
        Column("changed", style="dim"),
        Column("turns", "right"),
        *([Column("route", gives_way=True, style="dim")] if not at_terminal or screen.width >= _ROOMY_COLUMNS else []),
        Column("title", gives_way=True),
    ]
    rows = []
    for session in found:
        row = {
            "": "•" if session.key == current else "",
            "session": session.key,
            "changed": lately(session.updated_at) if at_terminal else local_time(session.updated_at),
            "turns": str(session.turns),
            "route": session.route,
            "title": _titled(session),
        }
        rows.append([row[column.name] for column in columns])
    show_table(screen, columns, rows)


def _titled(session: Session) -> str:
    return f"fork · {session.title}" if session.parent is not None else session.title


@command(name="show", example="limen sessions show KEY", under=sessions)
@click.argument("key")
async def show_session(cli: Cli, key: str) -> int:
    """Read a conversation.

    The beginning or the end of a KEY is enough where it fits one conversation alone. `-v` shows the model's thoughts too.
    """
    async with cli.runtime() as runtime:
        session = await known_session(runtime.sessions, key)
        blocks = await runtime.sessions.blocks(session.key)
        sources = await runtime.sessions.sources(session.key)
        ends = ends_of(await runtime.sessions.events(session.key))
    talk = spoken(blocks)
    if cli.options.json:
        cli.screen.json(publish(Export(session, tuple(talk), tuple(sources))))
        return DONE
    show_transcript(cli.screen, talk, ends)
    if not talk:
        cli.screen.note("nothing was said in this conversation", "plain")
    fork = f" · fork of {session.parent}" if session.parent is not None else ""
    about = f"{counted(session.turns, 'turn')} · {counted(len(sources), 'source')} · changed {local_time(session.updated_at)}"
    cli.screen.note(f"{session.key} · {about}{fork}")
    return DONE


@command(name="search", example='limen sessions search "cancel task"', under=sessions)
@click.argument("words")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many hits.")
async def search_sessions(cli: Cli, words: str, limit: int) -> int:
    """Search what was said in all conversations."""
    if not words.strip():
        raise click.UsageError("There are no words to search for.")
    async with cli.runtime() as runtime:
        found = await runtime.sessions.search(words, limit)
    if cli.options.json:
        cli.screen.json([msgspec.to_builtins(hit) for hit in found])
        return DONE
    by_session: dict[str, list[Found]] = {}
    for hit in found:
        by_session.setdefault(hit.session, []).append(hit)
    for key, hits in by_session.items():
        cli.screen.write(key, "accent")
        cli.screen.line(f"  {clip(hits[0].title, max(cli.screen.width - len(key) - 3, 20))}", "bold")
        for hit in hits:
            cli.screen.line(f"  {hit.n} {hit.role} · {local_time(hit.at)}", "dim")
            cli.screen.paragraph(clip(hit.snippet, 300), "    ")
    if not found:
        cli.screen.note(f'"{clip(words, 60)}" was not said in any conversation', "plain")
    return DONE


@command(name="export", example="limen sessions export KEY -o conversation.md\nlimen sessions export KEY --json", under=sessions)
@click.argument("key")
@click.option("--format", "form", type=click.Choice(EXPORT_FORMATS), help="markdown to read (default), json or jsonl to process.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write there, for your eyes only.")
@click.option("--unmasked", is_flag=True, help="Leave credentials that were typed as they were.")
async def export_session(cli: Cli, key: str, form: str | None, output: str | None, unmasked: bool) -> int:
    """Write a whole conversation to a file or to standard output.

    Markdown is for reading. JSON is complete: session, every block as it was admitted, sources and ledger. JSONL is the same,
    one record a line. Credentials are masked; how many were is said.
    """
    form = form or ("json" if cli.options.json else "markdown")
    async with cli.runtime() as runtime:
        session = await known_session(runtime.sessions, key)
        blocks = await runtime.sessions.blocks(session.key)
        sources = await runtime.sessions.sources(session.key)
        ends = ends_of(await runtime.sessions.events(session.key))
    export = Export(session, tuple(blocks), tuple(sources))
    export = export if unmasked else masked(export)
    texts = export_texts(form, export, ends)
    if output is None:
        for text in texts:
            cli.screen.write(text)
        cli.screen.document_written = True
    else:
        size = save(output, texts)
        cli.screen.note(f"{output}: {size:,} bytes", "plain")
    if export.masked:
        cli.screen.note(f"! {counted(export.masked, 'credential')} masked; --unmasked leaves them", "warn")
    return DONE


@command(name="fork", example="limen sessions fork KEY\nlimen sessions fork KEY --at TURN", under=sessions)
@click.argument("key")
@click.option("--at", "turn", metavar="TURN", help="The last turn that the copy has; `limen sessions show KEY` shows them.")
@click.option("--title", metavar="TITLE", help="A title of its own.")
async def fork_session(cli: Cli, key: str, turn: str | None, title: str | None) -> int:
    """Begin another conversation where one stands, or stood.

    The copy has everything up to there: messages, sources, ledger, evidence. The conversation itself stays as it is.
    """
    async with cli.runtime() as runtime:
        parent = await known_session(runtime.sessions, key)
        made = await runtime.sessions.fork(parent.key, new_session_key(datetime.now().astimezone()), at_turn=turn)
        if title is not None and title.strip():
            await runtime.sessions.rename(made.key, clip(title, _TITLE_CHARS))
            made = await known_session(runtime.sessions, made.key)
    if cli.options.json:
        cli.screen.json(made)
        return DONE
    cli.screen.line(made.key)
    cli.screen.note(f"a copy of {parent.key} with {counted(made.turns, 'turn')}", "plain")
    cli.screen.note(f"  go on: limen chat --session {quote(made.key)}")
    return DONE


@command(name="rename", example='limen sessions rename KEY "Cancelling tasks"', under=sessions)
@click.argument("key")
@click.argument("title")
async def rename_session(cli: Cli, key: str, title: str) -> int:
    """Give a conversation another title."""
    if not title.strip():
        raise click.UsageError("The title is empty.")
    async with cli.runtime() as runtime:
        session = await known_session(runtime.sessions, key)
        await runtime.sessions.rename(session.key, clip(title, _TITLE_CHARS))
        session = await known_session(runtime.sessions, session.key)
    if cli.options.json:
        cli.screen.json(session)
    else:
        cli.screen.note(f"{session.key}: {session.title}", "plain")
    return DONE


@command(name="delete", example="limen sessions delete KEY", under=sessions)
@click.argument("key")
@click.option("--yes", is_flag=True, help="Do not ask.")
async def delete_session(cli: Cli, key: str, yes: bool) -> int:
    """Forget a conversation with its ledger, sources and evidence, and what its browser keeps."""
    async with cli.runtime() as runtime:
        session = await known_session(runtime.sessions, key)
        if not yes:
            title = clip(session.title or "untitled", 40)
            confirm(f"Forget {session.key} ({title}, {counted(session.turns, 'turn')}) for good?")
        if not await runtime.sessions.claim(session.key, new_session_key(datetime.now().astimezone()), _DELETION_S):
            reason = f"A turn runs on session {session.key}."
            raise Refused(Refusal("lanes", "session.busy", reason, "Wait for it to end, or stop it, and delete it then."))
        await runtime.browsers.forget(session.key)  # first, so that what fails here can be tried again
        await runtime.sessions.delete(session.key)
    if cli.options.json:
        cli.screen.json({"deleted": session.key})
    else:
        cli.screen.note(f"{session.key} is forgotten", "plain")
    return DONE


def confirm(question: str) -> None:
    """Ask on the terminal; without one, or without a yes, the command ends here."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise click.UsageError("Nobody can be asked here; --yes goes ahead.")
    # An event loop takes Ctrl-C as a message to its tasks, and none of them runs while this waits for a key.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        agreed = click.confirm(question, err=True)
    finally:
        signal.signal(signal.SIGINT, handler)
    if not agreed:
        raise click.exceptions.Exit(DONE)
