"""`limen evidence`: whole outputs of which a window got only a part."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from limen.core.evidence import EvidenceAccount, ShelfAccount
from limen.core.fault import Fault
from limen.evidence.account import shelf_account
from limen.kit.clock import wall_s
from limen.kit.text import clip, number_lines, writable
from limen.surfaces.cli.app import Cli, command, group
from limen.surfaces.cli.batch_lines import STANDARD_INPUT
from limen.surfaces.cli.evidence_report import masked_spool, reported, shape
from limen.surfaces.cli.faults import DONE
from limen.surfaces.cli.figures import counted, local_time, size
from limen.surfaces.cli.follow import stopped_at_once
from limen.surfaces.cli.pick import known_session
from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.sessions import confirm
from limen.surfaces.cli.table import Column, show_table

if TYPE_CHECKING:
    from limen.runtime import Runtime

evidence = group("evidence", "Look into whole outputs that were kept.", example="limen evidence status")

_DAY_S = 86_400.0
_ALL = 1_000_000
_LATEST = 5
_LINE_CHARS = 300
_LEAST_CHARS = 20
_COLUMNS = (Column("id", style="accent"), Column("lines", "right"), Column("tool"), Column("source", gives_way=True))
_NOTHING = shelf_account((), (), EvidenceAccount(0, 0, 0, 0))


@command(name="status", example="limen evidence status", under=evidence)
@click.option("--session", metavar="KEY", help="Of that conversation instead of the latest.")
async def show_status(cli: Cli, session: str | None) -> int:
    """Say what was cut, what is kept, and how much that saved."""
    async with cli.runtime() as runtime:
        keys = [each.key for each in await runtime.sessions.list(_ALL)]
        key = (await known_session(runtime.sessions, session)).key if session else next(iter(keys), None)
        of_session = await _account(runtime, [key], key) if key else _NOTHING
        of_all = await _account(runtime, keys, None)
        latest = await runtime.evidence.list(session=key, limit=_LATEST)
    if cli.options.json:
        cli.screen.json({"session": of_session, "profile": of_all})
        return DONE
    if key is None and not of_all.records:
        cli.screen.note("Nothing yet: no conversation has begun, and nothing is kept.", "plain")
        return DONE
    if key is not None:
        _show_account(cli.screen, "This conversation" if session else "Latest conversation", key, of_session)
    _show_account(cli.screen, "All conversations", "", of_all)
    if latest:
        cli.screen.line("Latest texts" if key is None else f"Latest texts of {key}", "bold")
        show_table(cli.screen, _COLUMNS, [[each.id, f"{each.lines:,}", each.tool, each.source] for each in latest])
        cli.screen.note(f"limen evidence show {latest[0].id}")
    return DONE


async def _account(runtime: "Runtime", keys: Sequence[str], session: str | None) -> ShelfAccount:
    entries = [entry for key in keys for entry in await runtime.sessions.ledger(key)]
    kept = await runtime.evidence.list(session=session, limit=_ALL)
    return shelf_account(entries, kept, await runtime.evidence.account(session=session))


def _show_account(screen: Screen, title: str, key: str, account: ShelfAccount) -> None:
    oldest = f", the oldest of {local_time(account.oldest)}" if account.oldest is not None else ""
    kept = f"{counted(account.records, 'text')} in {size(account.store_bytes)}{oldest}" if account.records else "nothing"
    cut = f"{account.compacted:,} of {counted(account.seen, 'output')} of tools" if account.seen else "nothing; no tool has run"
    share = f" ({account.chars_saved / account.chars_in:.0%})" if account.chars_in else ""
    rows = {
        "kept": kept,
        "cut": cut,
        "saved": f"{account.tokens_saved:,} of {account.tokens_in:,} tokens{share}" if account.compacted else "",
        "masked": counted(account.redactions, "credential") if account.redactions else "",
        "failed": f"{counted(account.failures, 'output')}: no report could be made, or the whole not be kept"
        if account.failures
        else "",
    }
    screen.write(title, "bold")
    screen.line(f"  {key}" if key else "", "accent")
    for label, text in rows.items():
        if text:
            screen.write(f"  {label:<8}", "dim")
            screen.line(text)


@command(name="show", example="limen evidence show ev_0123456789ab 100 140", under=evidence)
@click.argument("evidence_id", metavar="ID")
@click.argument("start", type=click.IntRange(min=1), default=1)
@click.argument("end", type=click.IntRange(min=1), required=False)
async def show_evidence(cli: Cli, evidence_id: str, start: int, end: int | None) -> int:
    """Show a kept text, whole or from line START to line END."""
    if end is not None and end < start:
        raise click.UsageError(f"END ({end}) comes before START ({start}).")
    async with cli.runtime() as runtime:
        excerpt = await runtime.evidence.show(evidence_id, start, end)
    if excerpt is None:
        raise unknown(evidence_id)
    if start > excerpt.total_lines:
        raise click.UsageError(f"{evidence_id} has {counted(excerpt.total_lines, 'line')}; START ({start:,}) lies behind them.")
    if cli.options.json:
        cli.screen.json(excerpt)
    elif cli.screen.out_is_terminal:
        cli.screen.line(number_lines(excerpt.text, excerpt.start))
        cli.screen.note(f"lines {excerpt.start:,} to {excerpt.end:,} of {excerpt.total_lines:,}")
    else:
        cli.screen.line(excerpt.text)
    return DONE


@command(name="search", example='limen evidence search "Traceback"', under=evidence)
@click.argument("phrase")
@click.option("--id", "evidence_id", metavar="ID", help="Only in that text.")
@click.option("--session", metavar="KEY", help="Only in that conversation.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many lines.")
async def search_evidence(cli: Cli, phrase: str, evidence_id: str | None, session: str | None, limit: int) -> int:
    """Find lines that hold a phrase in kept texts."""
    if not phrase.strip():
        raise click.UsageError("The phrase is empty.")
    async with cli.runtime() as runtime:
        if evidence_id is not None and await runtime.evidence.get(evidence_id) is None:
            raise unknown(evidence_id)
        key = (await known_session(runtime.sessions, session)).key if session is not None else None
        found = await runtime.evidence.find(phrase, evidence_id=evidence_id, session=key, limit=limit)
    if cli.options.json:
        cli.screen.json({"phrase": phrase, "matches": msgspec.to_builtins(list(found))})
        return DONE
    for match in found:
        place = f"{match.id}:{match.line}  "
        room = max(cli.screen.width - len(place) - 1, _LEAST_CHARS) if cli.screen.out_is_terminal else _LINE_CHARS
        cli.screen.write(place, "accent")
        cli.screen.line(around(match.text, phrase, room))
    if not found:
        cli.screen.note(f'"{clip(phrase, 60)}" stands in no kept text', "plain")
    elif len(found) == limit:
        cli.screen.note(f"there may be more: --limit {limit * 2}")
    return DONE


def around(line: str, phrase: str, room_chars: int) -> str:
    """A line on one row, cut so that the phrase is in it."""
    flat = " ".join(line.split())
    at = flat.casefold().find(" ".join(phrase.split()).casefold())
    if len(flat) <= room_chars or at < room_chars - len(phrase):
        return clip(flat, room_chars)
    return clip("…" + flat[max(at - room_chars // 3, 0) :], room_chars)


def unknown(evidence_id: str) -> Fault:
    """The fault for an id that names no kept text."""
    mend = "limen evidence status names the latest, limen evidence search PHRASE finds others"
    return Fault("evidence.unknown", f"nothing is kept under {clip(evidence_id, 40)}", mend)


@command(name="filter", example='pytest -q 2>&1 | limen evidence filter --command "pytest -q" --exit 1', under=evidence)
@click.argument("file", metavar="[FILE]", required=False, type=click.Path(allow_dash=True, path_type=Path))
@click.option("--command", "run", metavar="COMMAND", default="", help="What made the output, as it was typed.")
@click.option("--exit", "exit_code", metavar="N", type=int, help="The exit status that it ended with.")
async def filter_output(cli: Cli, file: Path | None, run: str, exit_code: int | None) -> int:
    """Make a short report of a long output, and keep the whole.

    Without FILE, or with `-`, standard input is read. Credentials are masked first. What is short, or would not become much
    shorter, is printed as it is.
    """
    table = cli.options.load("limen.kit.redact:SecretTable")()
    masked = partial(cli.options.load("limen.kit.masked_stream:masked_pieces"), table=table)
    bar = cli.options.load("limen.surfaces.cli.bar:reading_bar")
    with stopped_at_once(), bar(cli.screen) as told:
        source = file or STANDARD_INPUT
        size = source.stat().st_size if source.is_file() else 0
        spool = masked_spool(source, masked, lambda done: told(done >> 20, max(size, done) >> 20, "MB"))
    compactor = cli.options.load("limen.wiring.compacting:compactor_of")()
    with spool:
        async with cli.runtime() as runtime:
            made = await reported(runtime.shelf, compactor, spool, run, exit_code)
        if cli.options.json:
            cli.screen.json(shape(made, spool))
        elif made.left:
            for piece in spool.pieces():
                cli.screen.raw(piece.encode("utf-8", "surrogateescape"))
        else:
            cli.screen.line(writable(made.text))
    return DONE


@command(name="purge", example="limen evidence purge --days 7", under=evidence)
@click.option("--days", type=click.FloatRange(min=0), help="Drop what is older than that.")
@click.option("--all", "everything", is_flag=True, help="Drop everything; asks first.")
@click.option("--yes", is_flag=True, help="Do not ask.")
async def purge_evidence(cli: Cli, days: float | None, everything: bool, yes: bool) -> int:
    """Drop kept texts by the retention rules of the configuration, or by a rule given here."""
    if days is not None and everything:
        raise click.UsageError("--days and --all exclude each other.")
    async with cli.runtime() as runtime:
        rules = runtime.loaded.config.evidence
        if everything:
            if not yes:
                account = await runtime.evidence.account()
                confirm(f"Drop all that is kept ({counted(account.records, 'text')}, {size(account.store_bytes)}) for good?")
            gone = await runtime.evidence.purge(older_than_s=-1.0, keep_bytes=0)
        else:
            age_s = (rules.retention_days if days is None else days) * _DAY_S
            gone = await runtime.evidence.purge(older_than_s=age_s, keep_bytes=rules.max_bytes)
    if cli.options.json:
        cli.screen.json({"purged": gone, "at": wall_s()})
    else:
        cli.screen.note(f"{counted(gone, 'text')} dropped", "plain")
    return DONE
