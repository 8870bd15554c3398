"""`limen sessions`: the conversations of this home."""

import signal
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click
import msgspec

from limen.core.fault import Fault
from limen.core.ledger import LedgerLine
from limen.core.session import Session, Source
from limen.kit.atomic import write_private
from limen.kit.text import clip
from limen.store.ports import StoredBlock
from limen.surfaces.cli.app import Cli, command, group
from limen.surfaces.cli.faults import DONE
from limen.surfaces.cli.pick import known_session
from limen.surfaces.cli.table import Column, show_table
from limen.surfaces.cli.transcript import markdown, show_transcript, spoken

sessions = group("sessions", "List, read, search and remove conversations.", example="limen sessions list")

SESSION_COLUMNS = (
    Column("session"),
    Column("changed", style="dim"),
    Column("turns", "right"),
    Column("route", style="dim"),
    Column("title", gives_way=True),
)


@command(name="list", example="limen sessions list --limit 10", under=sessions)
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="How many.")
async def list_sessions(cli: Cli, limit: int) -> int:
    """List conversations, the latest first."""
    async with cli.runtime() as runtime:
        found = await runtime.sessions.list(limit)
    if cli.options.json:
        cli.screen.json([msgspec.to_builtins(session) for session in found])
    elif not found:
        cli.screen.note('no conversation yet: limen ask "…"', "plain")
    else:
        show_table(cli.screen, SESSION_COLUMNS, [session_row(session) for session in found])
    return DONE


def session_row(session: Session) -> list[str]:
    """A conversation under SESSION_COLUMNS."""
    return [session.key, local_time(session.updated_at), str(session.turns), session.route, session.title]


@command(name="show", example="limen sessions show KEY", under=sessions)
@click.argument("key")
async def show_session(cli: Cli, key: str) -> int:
    """Read a conversation."""
    async with cli.runtime() as runtime:
        session = await known_session(runtime.sessions, key)
        blocks = spoken(await runtime.sessions.blocks(key))
        sources = await runtime.sessions.sources(key)
    if cli.options.json:
        cli.screen.json(_published(session, blocks, sources))
    else:
        show_transcript(cli.screen, blocks)
        cli.screen.note(f"{session.turns} turns · {len(sources)} sources · changed {local_time(session.updated_at)}")
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
    for hit in found:
        cli.screen.write(f"{hit.session} ", "accent")
        cli.screen.line(f"{hit.n} {hit.role} · {local_time(hit.at)} · {clip(hit.title, 60)}", "dim")
        cli.screen.line(f"  {clip(hit.snippet, 300)}")
    if not found:
        cli.screen.note(f'"{words}" was not said in any conversation', "plain")
    return DONE


@command(name="export", example="limen sessions export KEY -o conversation.md", under=sessions)
@click.argument("key")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write there, mode 0600.")
async def export_session(cli: Cli, key: str, output: Path | None) -> int:
    """Write a whole conversation as Markdown, or as JSON with its ledger."""
    async with cli.runtime() as runtime:
        session = await known_session(runtime.sessions, key)
        blocks = await runtime.sessions.blocks(key)
        sources = await runtime.sessions.sources(key)
    if cli.options.json:
        document = _published(session, blocks, sources)
        if output is None:
            cli.screen.json(document)
            return DONE
        text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
    else:
        text = "\n".join(markdown(session, spoken(blocks)))
    if output is None:
        cli.screen.write(text)
    else:
        _save(output, text)
        cli.screen.note(f"{output}: {len(text):,} characters", "plain")
    return DONE


def _save(output: Path, text: str) -> None:
    try:
        write_private(output, text.encode("utf-8", "replace"))
    except OSError as error:
        raise Fault("export.unwritable", f"{output} cannot be written: {error.strerror or error}", "-o FILE elsewhere") from error


@command(name="rename", example='limen sessions rename KEY "Cancelling tasks"', under=sessions)
@click.argument("key")
@click.argument("title")
async def rename_session(cli: Cli, key: str, title: str) -> int:
    """Give a conversation another title."""
    async with cli.runtime() as runtime:
        await known_session(runtime.sessions, key)
        await runtime.sessions.rename(key, title.strip())
        session = await known_session(runtime.sessions, key)
    if cli.options.json:
        cli.screen.json(session)
    else:
        cli.screen.note(f"{key}: {session.title}", "plain")
    return DONE


@command(name="delete", example="limen sessions delete KEY", under=sessions)
@click.argument("key")
@click.option("--yes", is_flag=True, help="Do not ask.")
async def delete_session(cli: Cli, key: str, yes: bool) -> int:
    """Forget a conversation with its ledger, sources and evidence."""
    async with cli.runtime() as runtime:
        session = await known_session(runtime.sessions, key)
        if not yes:
            confirm(f"Forget {key} ({clip(session.title or 'untitled', 40)}, {session.turns} turns) for good?")
        await runtime.sessions.delete(key)
    if cli.options.json:
        cli.screen.json({"deleted": key})
    else:
        cli.screen.note(f"{key} is forgotten", "plain")
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


def local_time(unix_s: float) -> str:
    """A moment in the reader's own time zone."""
    return datetime.fromtimestamp(unix_s).astimezone().strftime("%Y-%m-%d %H:%M")


def _published(session: Session, blocks: Sequence[StoredBlock], sources: Sequence[Source]) -> dict[str, object]:
    return {
        "session": msgspec.to_builtins(session),
        "messages": [
            {"place": stored.place, "message": stored.message, "first": stored.first, "block": msgspec.to_builtins(stored.block)}
            for stored in blocks
        ],
        "sources": [msgspec.to_builtins(source) for source in sources],
        "ledger": [msgspec.to_builtins(LedgerLine.of(entry)) for stored in blocks for entry in stored.entries],
    }
