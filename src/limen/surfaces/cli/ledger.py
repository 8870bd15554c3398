"""`limen ledger`: every block that entered a context, where it came from and what was done to it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from limen.core.fault import Fault
from limen.core.ledger import LedgerEntry, LedgerLine
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.pick import known_session, latest_session
from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.table import Column, show_table

if TYPE_CHECKING:
    from limen.runtime import Runtime

_COLUMNS = (
    Column("n", "right", style="dim"),
    Column("turn", style="dim"),
    Column("kind"),
    Column("source", gives_way=True),
    Column("trust"),
    Column("in", "right"),
    Column("out", "right"),
    Column("tokens", "right"),
    Column("what was done", gives_way=True),
)
# Gates whose work stands in fields of its own.
_SAID_OTHERWISE = frozenset({"compact", "redact", "cache"})


@command(example="limen ledger --last")
@click.argument("what", metavar="[SESSION|TURN]", required=False)
@click.option("--last", is_flag=True, help="Only what the last request to the model was made of, in its order.")
async def ledger(cli: Cli, what: str | None, last: bool) -> None:
    """Show every block that entered the context.

    Without an argument, of the conversation that changed last. A turn may be given by its first six characters.
    """
    async with cli.runtime() as runtime:
        entries = await find_entries(runtime, what, last=last)
    if cli.options.json:
        cli.screen.json([LedgerLine.of(entry) for entry in entries])
    else:
        show_ledger(cli.screen, entries)


async def find_entries(runtime: "Runtime", what: str | None, *, last: bool) -> Sequence[LedgerEntry]:
    """The entries of a session or turn, of the latest session when nothing is named; or those of a session's last request."""
    store = runtime.sessions
    if what is None:
        what = (await latest_session(store)).key
    elif await store.get(what) is None:
        if (session := await store.find_turn(what)) is not None:
            return [entry for entry in await store.ledger(session) if entry.turn.startswith(what)]
        if what.startswith("t_"):
            raise Fault("turn.unknown", f"there is no turn {what!r}", "limen ledger")
        what = (await known_session(store, what)).key
    return await runtime.last_request(what) if last else await store.ledger(what)


def show_ledger(screen: Screen, entries: Sequence[LedgerEntry]) -> None:
    """Entries as a table, with a sum under it. At a terminal a lone turn is named in the sum, not in every row."""
    if not entries:
        screen.note("nothing has entered a context there", "plain")
        return
    turns = {entry.turn for entry in entries}
    lone = screen.out_is_terminal and len(turns) == 1
    columns = [column for column in _COLUMNS if not (lone and column.name == "turn")]
    rows = [dict(zip(_COLUMNS, _row(entry), strict=True)) for entry in entries]
    show_table(screen, columns, [[row[column] for column in columns] for row in rows])
    tokens = sum(entry.tokens_out for entry in entries)
    came_in = sum(entry.chars_in for entry in entries)
    went_on = sum(entry.chars_out for entry in entries)
    named = f"turn {turns.pop()} · " if lone else ""
    screen.note(f"{named}{len(entries)} blocks · {came_in:,} characters in, {went_on:,} out · {tokens:,} tokens")


def _row(entry: LedgerEntry) -> list[str]:
    return [
        str(entry.n or ""),
        entry.turn[:8],
        entry.kind,
        entry.source,
        entry.trust.value,
        f"{entry.chars_in:,}",
        f"{entry.chars_out:,}",
        f"{entry.tokens_out:,}",
        _treatment(entry),
    ]


def _treatment(entry: LedgerEntry) -> str:
    treatment = entry.treatment
    parts = [
        f"{verdict.gate} {verdict.verdict}" + (f" {verdict.code}" if verdict.code else "")
        for verdict in treatment.gates
        if verdict.verdict not in ("allow", "miss") and verdict.gate not in _SAID_OTHERWISE
    ]
    if treatment.cut is not None:
        parts.append(f"kept {treatment.cut.head:,} + {treatment.cut.tail:,}" if treatment.cut.tail else "cut")
    if treatment.redacted:
        parts.append(f"{treatment.redacted} masked")
    if treatment.compacted:
        parts.append(f"→ {treatment.compacted}")
    if treatment.cached:
        parts.append(f"cached {treatment.age_s:.0f} s ago")
    if treatment.rescued_from:
        parts.append(f"instead of {treatment.rescued_from}")
    if treatment.stored_path:
        parts.append(f"→ {treatment.stored_path}")
    return ", ".join(parts)
