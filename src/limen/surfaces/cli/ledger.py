"""`limen ledger`: every block that entered a context, where it came from and what was done to it."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from limen.core.fault import Fault
from limen.core.ledger import LedgerEntry, LedgerLine
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.pick import known_session, latest_session
from limen.surfaces.cli.prompt_cache import find_uses, show_uses
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
# A pipe has room for what a terminal shows beneath a row.
_FOR_PIPES = (Column("why"), Column("whole"))
# Gates whose work stands in fields of its own.
_SAID_OTHERWISE = frozenset({"compact", "redact", "cache", "shelve"})
_NO_REPORT = ("compact.failed", "compact.late")


@command(example="limen ledger --last")
@click.argument("what", metavar="[SESSION|TURN]", required=False)
@click.option("--last", is_flag=True, help="Only what the last request to the model was made of, in its order.")
async def ledger(cli: Cli, what: str | None, last: bool) -> None:
    """Show every block that entered the context.

    Without an argument, of the conversation that changed last. A turn may be given by its first six characters. Under a block
    that is a part of something stands why it is there, how much of it, and what shows the whole; with -v under every block that
    a call brought in.
    """
    async with cli.runtime() as runtime:
        found = await find_entries(runtime, what, last=last)
        uses = await find_uses(runtime.sessions, found.session, turn=found.turn, last=last)
    if cli.options.json:
        cli.screen.json([LedgerLine.of(entry) for entry in found.entries])
    else:
        show_ledger(cli.screen, found.entries)
        show_uses(cli.screen, uses)


class Entries(NamedTuple):
    """Entries of a session; `turn` is how the id of their turn begins, empty where they are of all turns."""

    entries: Sequence[LedgerEntry]
    session: str
    turn: str = ""


async def find_entries(runtime: "Runtime", what: str | None, *, last: bool) -> Entries:
    """The entries of a session or turn, of the latest session when nothing is named; or those of a session's last request."""
    store = runtime.sessions
    if what is None:
        what = (await latest_session(store)).key
    elif await store.get(what) is None:
        if (session := await store.find_turn(what)) is not None:
            entries = [entry for entry in await store.ledger(session) if entry.turn.startswith(what)]
            return Entries(entries, session, what)
        if what.startswith("t_"):
            raise Fault("turn.unknown", f"there is no turn {what!r}", "limen ledger")
        what = (await known_session(store, what)).key
    return Entries(await runtime.last_request(what) if last else await store.ledger(what), what)


def show_ledger(screen: Screen, entries: Sequence[LedgerEntry]) -> None:
    """Entries as a table, with a sum under it. At a terminal a lone turn is named in the sum, not in every row.

    Under a row stands why the block is there, how much of it, and where the rest is; without `-v` only where it is a part.
    """
    if not entries:
        screen.note("nothing has entered a context there", "plain")
        return
    turns = {entry.turn for entry in entries}
    lone = screen.out_is_terminal and len(turns) == 1
    columns = [column for column in _COLUMNS if not (lone and column.name == "turn")]
    asking = _asking(entries)
    rows = [dict(zip(_COLUMNS, _row(entry), strict=True)) for entry in entries]
    cells = [[row[column] for column in columns] for row in rows]
    if screen.out_is_terminal:
        told = [_treatment(entry) != "" or screen.verbose for entry in entries]
        under = [_details(entry, asking.get(entry.n)) if tell else [] for entry, tell in zip(entries, told, strict=True)]
        show_table(screen, columns, cells, under)
    else:
        more = [[_why(entry, asking.get(entry.n)), _whole(entry)] for entry in entries]
        show_table(screen, [*columns, *_FOR_PIPES], [row + rest for row, rest in zip(cells, more, strict=True)])
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
    """What was done to a block, in a few words."""
    treatment = entry.treatment
    parts = [
        f"{verdict.gate} {verdict.verdict}" + (f" {verdict.code}" if verdict.code else "")
        for verdict in treatment.gates
        if verdict.verdict not in ("allow", "miss") and verdict.gate not in _SAID_OTHERWISE
    ]
    if treatment.cut is not None:
        parts.append(f"cut to {_share(treatment.cut.head + treatment.cut.tail, entry.chars_in)}")
    elif treatment.compacted:
        parts.append(f"report, {_share(entry.chars_out, entry.chars_in)}")
    parts += [f"no report: {verdict.code}" for verdict in treatment.gates if verdict.code in _NO_REPORT]
    if treatment.redacted:
        parts.append(f"{treatment.redacted} masked")
    if treatment.cached:
        parts.append(f"cached {treatment.age_s:.0f} s ago")
    if treatment.rescued_from:
        parts.append(f"instead of {treatment.rescued_from}")
    if treatment.stored_path and treatment.cut is None:
        parts.append(f"from {treatment.stored_path}" if treatment.chars_in else "kept whole")
    return ", ".join(parts)


def _share(part: int, whole: int) -> str:
    percent = 100 * part / whole if whole else 0.0
    return f"{percent:.0f} %" if percent >= 1 or not part else "less than 1 %"


def _why(entry: LedgerEntry, asked_by: int | None) -> str:
    """What brought a block in: the call, and the entry in which the model asked for it."""
    if entry.parent is None:
        return ""
    return f"by the call {entry.parent}" + (f", which entry {asked_by} asked for" if asked_by is not None else "")


def _whole(entry: LedgerEntry) -> str:
    """The command that shows the whole of which the block is a part; empty where the block is the whole."""
    treatment = entry.treatment
    if treatment.compacted:
        return "; ".join(f"limen evidence show {each}" for each in (treatment.compacted, *treatment.more_compacted))
    return f"limen open {shlex.quote(treatment.stored_path)}" if treatment.stored_path else ""


def _details(entry: LedgerEntry, asked_by: int | None) -> list[str]:
    """Why a block that something was done to is there, how much of it, and where the rest is."""
    why, whole, cut = _why(entry, asked_by), _whole(entry), entry.treatment.cut
    passed = [verdict.gate for verdict in entry.treatment.gates if verdict.verdict == "allow"]
    lines = [f"why    {why}"] if why else []
    if passed:
        lines.append(f"gates  passed {', '.join(passed)}")
    if cut is not None:
        ends = f"the first {cut.head:,} and the last {cut.tail:,}" if cut.tail else f"{cut.head:,}"
        lines.append(f"part   {ends} of {entry.chars_in:,} characters")
    elif entry.treatment.compacted:
        by = f" by the extractor {entry.treatment.extractor}" if entry.treatment.extractor else ""
        lines.append(f"part   a report{by}: {entry.chars_out:,} of {entry.chars_in:,} characters")
    if whole:
        lines.append(f"whole  {whole}")
    return lines


def _asking(entries: Sequence[LedgerEntry]) -> dict[int, int]:
    """For each entry that a call brought in, the model's entry before it, which made that call."""
    asking: dict[int, int] = {}
    latest: int | None = None
    for entry in entries:
        if entry.kind == "model":
            latest = entry.n
        elif entry.parent is not None and latest is not None:
            asking[entry.n] = latest
    return asking
