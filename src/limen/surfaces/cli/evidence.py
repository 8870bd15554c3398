"""`limen evidence`: whole outputs of which a window got only a part."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import msgspec

from limen.core.evidence import Evidence
from limen.core.fault import Fault
from limen.core.ledger import LedgerEntry
from limen.kit.clock import wall_s
from limen.kit.text import clip, number_lines
from limen.surfaces.cli.app import Cli, command, group
from limen.surfaces.cli.faults import DONE
from limen.surfaces.cli.pick import known_session
from limen.surfaces.cli.sessions import confirm, local_time

if TYPE_CHECKING:
    from limen.runtime import Runtime

evidence = group("evidence", "Look into whole outputs that were kept.", example="limen evidence status")

_DAY_S = 86_400.0
_ALL = 1_000_000
_TOOL_KINDS = frozenset({"tool", "web", "evidence"})


@command(name="status", example="limen evidence status", under=evidence)
@click.option("--session", metavar="KEY", help="Of that conversation instead of the latest.")
async def show_status(cli: Cli, session: str | None) -> int:
    """Say what was cut, what is kept, and how much that saved."""
    async with cli.runtime() as runtime:
        keys = [each.key for each in await runtime.sessions.list(_ALL)]
        key = (await known_session(runtime.sessions, session)).key if session else next(iter(keys), None)
        status = {
            "session": await _account(runtime, [key] if key else [], key),
            "profile": await _account(runtime, keys, None),
        }
    if cli.options.json:
        cli.screen.json(status)
        return DONE
    for name, figures in (("session", status["session"]), ("profile", status["profile"])):
        label = f"{name} {key}" if name == "session" and key else name
        oldest = f" · oldest {local_time(figures['oldest'])}" if figures["oldest"] else ""
        cli.screen.line(label, "bold")
        cli.screen.line(f"  kept    {figures['records']:,} texts, {figures['store_chars']:,} characters{oldest}")
        cli.screen.line(f"  cut     {figures['compacted']:,} of {figures['seen']:,} outputs")
        cli.screen.line(f"  saved   {figures['chars_saved']:,} of {figures['chars_in']:,} characters")
        cli.screen.line(f"  masked  {figures['redactions']:,} secrets")
    return DONE


async def _account(runtime: "Runtime", keys: Sequence[str], session: str | None) -> dict[str, Any]:
    entries: list[LedgerEntry] = []
    for key in keys:
        entries.extend(entry for entry in await runtime.sessions.ledger(key) if entry.kind in _TOOL_KINDS)
    kept = await runtime.evidence.list(session=session, limit=_ALL) if keys or session is None else ()
    return _figures(entries, kept)


def _figures(entries: Sequence[LedgerEntry], kept: Sequence[Evidence]) -> dict[str, Any]:
    """The published shape. Tokens of what was left out were never counted, so `tokens_in` and `tokens_saved` are null."""
    compacted = [entry for entry in entries if entry.treatment.compacted is not None]
    came_in = sum(entry.chars_in for entry in compacted)
    went_on = sum(entry.chars_out for entry in compacted)
    return {
        "seen": len(entries),
        "compacted": len(compacted),
        "left": {},
        "chars_in": came_in,
        "chars_out": went_on,
        "chars_saved": came_in - went_on,
        "tokens_in": None,
        "tokens_out": sum(entry.tokens_out for entry in compacted),
        "tokens_saved": None,
        "records": len(kept),
        "store_chars": sum(record.chars for record in kept),
        "oldest": min((record.created_at for record in kept), default=None),
        "redactions": sum(entry.treatment.redacted for entry in entries),
        "failures": 0,
    }


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
        raise Fault("evidence.unknown", f"nothing is kept under {evidence_id}", "limen evidence search PHRASE")
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
            raise Fault("evidence.unknown", f"nothing is kept under {evidence_id}", "limen evidence search PHRASE")
        found = await runtime.evidence.find(phrase, evidence_id=evidence_id, session=session, limit=limit)
    if cli.options.json:
        cli.screen.json({"phrase": phrase, "matches": msgspec.to_builtins(list(found))})
        return DONE
    for match in found:
        cli.screen.write(f"{match.id}:{match.line}  ", "accent")
        cli.screen.line(clip(match.text, 300))
    if not found:
        cli.screen.note(f'"{phrase}" stands in no kept text', "plain")
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
                confirm("Drop every kept text of this home for good?")
            gone = await runtime.evidence.purge(older_than_s=-1.0, keep_bytes=0)
        else:
            age_s = (rules.retention_days if days is None else days) * _DAY_S
            gone = await runtime.evidence.purge(older_than_s=age_s, keep_bytes=rules.max_bytes)
    if cli.options.json:
        cli.screen.json({"purged": gone, "at": wall_s()})
    else:
        cli.screen.note(f"{gone:,} texts dropped", "plain")
    return DONE
