"""`limen model costs`: what models were asked for and what that cost, by day and route."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any

import click
import msgspec

from limen.models.spending import dollars
from limen.store.ports import Spent
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.faults import DONE
from limen.surfaces.cli.figures import counted
from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.table import Column, show_table

_COLUMNS = (
    Column("day", style="dim"), Column("route", gives_way=True), Column("asked", "right"), Column("in", "right"),
    Column("cached", "right", style="dim"), Column("out", "right"), Column("cost", "right", style="accent"),
)  # fmt: skip
# From so many tokens on, people are told thousands.
_MANY = 10_000


@command(name="costs", example="limen model costs\nlimen model costs --days 30")
@click.option(
    "--days", metavar="N", type=click.IntRange(1, 36_500), default=7, show_default=True, help="So many, today among them."
)
async def costs(cli: Cli, days: int) -> int:
    """Show what models have cost, by day and route: requests, tokens in and out, US dollars. Small jobs count too."""
    today = datetime.now().astimezone().date()
    since = (today - timedelta(days=min(days, today.toordinal()) - 1)).isoformat()
    async with cli.runtime() as runtime:
        rows = await runtime.spend.spent(since)
        limit_usd = runtime.loaded.config.limits.cost_usd_per_day
    today_usd = sum((row.cost_usd for row in rows if row.day == today.isoformat()), 0.0)
    if cli.options.json:
        cli.screen.json(_shape(rows, since, today_usd, limit_usd))
        return DONE
    if rows:
        show_table(cli.screen, _COLUMNS, _cells(rows, for_people=cli.screen.out_is_terminal))
        _sum_up(cli.screen, rows)
    else:
        span = "today" if days == 1 else f"in the last {counted(days, 'day')}"
        cli.screen.note(f"No model was asked {span}. What one costs will stand here.", "plain")
    if limit_usd is not None:
        cli.screen.note(f"Today {dollars(today_usd)} of the {dollars(limit_usd)} that a day may cost", "plain")
    return DONE


def _cells(rows: Sequence[Spent], *, for_people: bool) -> list[list[str]]:
    """A line for each row. For people figures are short, a day is named once, and its sum stands below where it has several."""
    lines: list[list[str]] = []
    for day, group in groupby(rows, key=lambda row: row.day):
        of_day = list(group)
        named = date.fromisoformat(day).strftime("%d %b") if for_people else day
        lines.extend([named if at == 0 or not for_people else "", *_figures(row, for_people)] for at, row in enumerate(of_day))
        if for_people and len(of_day) > 1:
            lines.append(["", *_figures(_total(of_day, "together"), for_people)])
    return lines


def _figures(row: Spent, for_people: bool) -> list[str]:
    cached = f"{row.cached_tokens / row.input_tokens:.0%}" if row.cached_tokens and row.input_tokens else ""
    read, written = (
        f"{tokens // 1_000:,}k" if for_people and tokens >= _MANY else f"{tokens:,}"
        for tokens in (row.input_tokens, row.output_tokens)
    )
    return [row.route, f"{row.requests:,}", read, cached, written, _cost(row)]


def _cost(row: Spent) -> str:
    if not row.unpriced:
        return dollars(row.cost_usd) if row.cost_usd else "free"
    return f"{dollars(row.cost_usd)} + ?" if row.cost_usd else "unknown"


def _total(rows: Sequence[Spent], route: str) -> Spent:
    return Spent(
        "",
        route,
        sum(row.requests for row in rows),
        sum(row.input_tokens for row in rows),
        sum(row.cached_tokens for row in rows),
        sum(row.output_tokens for row in rows),
        sum((row.cost_usd for row in rows), 0.0),
        sum(row.unpriced for row in rows),
    )


def _sum_up(screen: Screen, rows: Sequence[Spent]) -> None:
    total = _total(rows, "")
    days = counted(len({row.day for row in rows}), "day")
    screen.note(f"{dollars(total.cost_usd)} for {counted(total.requests, 'request')} on {days}", "bold")
    if total.unpriced:
        screen.note(f"! no price is known for {total.unpriced:,} of them, so they stand in no sum", "warn")


def _shape(rows: Sequence[Spent], since: str, today_usd: float, limit_usd: float | None) -> dict[str, Any]:
    total = msgspec.to_builtins(_total(rows, ""))
    return {
        "since": since,
        "rows": [msgspec.to_builtins(row) for row in rows],
        "total": {name: value for name, value in total.items() if name not in ("day", "route")},
        "today_usd": today_usd,
        "limit_usd_per_day": limit_usd,
    }
