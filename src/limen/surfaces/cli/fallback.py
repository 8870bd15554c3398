"""`limen fallback`: the routes that answer when the first one cannot, in their order, and how each of them is doing."""

import os
from typing import TYPE_CHECKING, Any, get_args

import click
import msgspec

from limen.config.edit_chain import CHAIN, OLDER, add_entry, clear_entries, no_entry, remove_entry
from limen.config.fallback_entry import FallbackEntry, entry_of, spelled_out
from limen.config.paths import Home
from limen.core.fault import ConfigFault
from limen.core.route import CUSTOM, Route, WireName
from limen.kit.clock import iso_utc
from limen.models.chain import same_backend
from limen.models.resolve import ANY_MODEL
from limen.surfaces.cli.app import Cli, command, group
from limen.surfaces.cli.chain import ChainRow, chain_rows
from limen.surfaces.cli.faults import DONE
from limen.surfaces.cli.options import RouteName
from limen.surfaces.cli.screen import rows_of
from limen.surfaces.cli.table import Column, show_table

if TYPE_CHECKING:
    from limen.runtime import Runtime

_COLUMNS = (Column("", "right", style="dim"), Column("route", gives_way=True), Column("state"))
_WIRES = [wire for wire in get_args(WireName) if wire != "embedded"]
# As far as the lines beneath a row are indented, with one column to spare.
_UNDER = 7

fallback = group(
    "fallback",
    "Choose who answers when the first route cannot.",
    example="limen fallback add openrouter/openai/gpt-5-mini\nlimen fallback list",
    default="list",
)


@command(name="list", example="limen fallback list", under=fallback)
async def list_routes(cli: Cli) -> int:
    """List the other routes in their order, and how each of them is doing. None of them is asked."""
    async with cli.runtime(say_problems=False) as runtime:
        rows = await chain_rows(runtime)
        first = runtime.models.configured
    if cli.options.json:
        cli.screen.json({"first": first.name if first is not None else None, "routes": [row.published() for row in rows]})
        return DONE
    name = first.name if first is not None else "the first route"
    if not rows:
        cli.screen.note(f"no other route: when {name} cannot answer, nothing does", "plain")
        cli.screen.note("  → limen fallback add PROVIDER/MODEL")
        return DONE
    cli.screen.note(f"when {name} cannot answer, these are asked in their order:")
    _show(cli, rows)
    if any(row.at.startswith(OLDER) for row in rows):
        cli.screen.note(f"`{OLDER}` is an older name; limen fallback add ROUTE moves what stands there to `{CHAIN}`")
    return DONE


@command(
    name="add",
    example="limen fallback add openrouter/openai/gpt-5-mini\n"
    "limen fallback add http://127.0.0.1:8080/v1#qwen --at 1\n"
    "limen fallback add custom/qwen --base-url https://llm.example/v1 --key env:LLM_KEY",
    under=fallback,
)
@click.argument("route", type=RouteName())
@click.option("--base-url", metavar="URL", help="Where it is, in place of its provider's own endpoint.")
@click.option("--key", metavar="REF", help="Where its key is kept, such as env:NAME or file:PATH; never the key itself.")
@click.option("--wire", type=click.Choice(_WIRES), help="The protocol that it speaks.")
@click.option("--window", type=int, metavar="TOKENS", help="The size of its context window.")
@click.option("--at", type=click.IntRange(1), metavar="N", help="Its place in the order, from 1; else it is the last.")
async def add(
    cli: Cli, route: str, base_url: str | None, key: str | None, wire: str | None, window: int | None, at: int | None
) -> int:
    """Let ROUTE answer when those before it cannot: provider/model, or the URL of an endpoint with #model."""
    wanted = _entry(route, {"base_url": base_url, "key": key, "wire": wire, "window": window})
    async with cli.runtime(say_problems=False) as runtime:
        made = _made(runtime, wanted)
        state = runtime.models.key_state(made)
    provider = made.provider if "/" not in made.provider else wanted.provider
    entry = msgspec.structs.replace(wanted, provider=provider, model=made.model or ANY_MODEL)
    edited = add_entry(_home(cli), entry, at=at)
    number = edited.value.index(entry.written()) + 1
    if cli.options.json:
        shape = {
            "route": entry.route,
            "number": number,
            "key": state.state if made.references else "none needed",
            "file": str(edited.file),
        }
        cli.screen.json(shape)
        return DONE
    cli.screen.note(f"{entry.route} is number {number} of {len(edited.value)}", "plain")
    if state.state != "set":
        cli.screen.note(f"! {state.reason}", "warn")
        cli.screen.note(f"  → {state.mend}")
    cli.screen.note(f"  try it: limen model test {made.typed}")
    return DONE


@command(name="remove", example="limen fallback remove 2\nlimen fallback remove openrouter/openai/gpt-5-mini", under=fallback)
@click.argument("route", metavar="ROUTE|N")
async def remove(cli: Cli, route: str) -> int:
    """Take a route out of the order, by its name or its number in the list."""
    async with cli.runtime(say_problems=False) as runtime:
        rows = await chain_rows(runtime)
        row = _found(rows, route.strip(), runtime)
    edited = remove_entry(_home(cli), row.at)
    if cli.options.json:
        cli.screen.json({"removed": row.route or row.at, "number": row.number, "file": str(edited.file)})
    else:
        cli.screen.note(f"{row.route or row.at} is asked no more", "plain")
    return DONE


@command(name="clear", example="limen fallback clear", under=fallback)
async def clear(cli: Cli) -> int:
    """Take all other routes out of the settings file."""
    edited = clear_entries(_home(cli))
    gone = len(edited.was or ())
    if cli.options.json:
        cli.screen.json({"removed": gone, "file": str(edited.file)})
    else:
        cli.screen.note(f"{gone} routes are asked no more" if gone != 1 else "one route is asked no more", "plain")
    return DONE


def _home(cli: Cli) -> Home:
    return Home.resolve(cli.options.home, cli.options.profile, os.environ)


def _entry(route: str, options: dict[str, Any]) -> FallbackEntry:
    """What was typed as an entry. A provider alone means the model that it or its server offers."""
    fields = spelled_out(route)
    fields["model"] = fields["model"] or ANY_MODEL
    try:
        return entry_of({**fields, **{name: value for name, value in options.items() if value is not None}})
    except ConfigFault as fault:
        mend = "put the key into the secrets file as NAME=…, then: --key env:NAME" if "in_clear" in fault.code else fault.mend
        raise ConfigFault(fault.code, f"the route {fault.reason}", mend, fault.place) from fault


def _made(runtime: "Runtime", entry: FallbackEntry) -> Route:
    """The route of a new entry. Raises ConfigFault where it cannot be, or would only be passed over."""
    made = runtime.models.routes.entry(entry)
    first = runtime.models.configured
    if first is not None and same_backend(made, first):
        reason = f"{made.name} answers first anyway"
        raise ConfigFault("fallback.is_first", reason, "name another route, or change the first: limen model list")
    twin = next((other for other in runtime.models.chain if same_backend(made, other)), None)
    if twin is not None:
        reason = f"{made.name} stands there already, as `{twin.because}`"
        raise ConfigFault("fallback.duplicate", reason, "limen fallback list")
    return made


def _found(rows: list[ChainRow], said: str, runtime: "Runtime") -> ChainRow:
    """The row of a number, a place, a route, or of what was typed to add it. Raises ConfigFault `fallback.unknown` or
    `fallback.ambiguous`."""
    rows = (
        [row for row in rows if said in (str(row.number), row.at)]
        or [row for row in rows if row.route == said]
        or [row for row in rows if row.at in _places_of(said, runtime)]
    )
    if not rows:
        raise no_entry(said)
    if len(rows) > 1:
        numbers = ", ".join(str(row.number) for row in rows)
        raise ConfigFault("fallback.ambiguous", f"{said} is number {numbers}", f"limen fallback remove {rows[-1].number}")
    return rows[0]


def _places_of(said: str, runtime: "Runtime") -> set[str]:
    """The places of the entries that end at the model which `said` names, however it is spelt; none where it names nothing."""
    try:
        wanted = runtime.models.routes.route(said)
    except ConfigFault:
        return set()
    return {route.because for route in runtime.models.chain if same_backend(route, wanted)}


def _show(cli: Cli, rows: list[ChainRow]) -> None:
    shown = [[str(row.number), _name(row), _state(row)] for row in rows]
    if cli.screen.out_is_terminal:
        show_table(cli.screen, _COLUMNS, shown, [_beneath(row, cli.screen.width - _UNDER) for row in rows])
    else:
        wide = [[*cells, row.reason, row.mend] for cells, row in zip(shown, rows, strict=True)]
        show_table(cli.screen, (*_COLUMNS, Column("why"), Column("mend")), wide)


def _name(row: ChainRow) -> str:
    """What a row is called; of a server without a name of its own, where it is."""
    if row.endpoint and row.route.startswith(f"{CUSTOM}/"):
        return f"{row.route} at {row.endpoint}"
    return row.route or row.at


def _state(row: ChainRow) -> str:
    return f"resting until {iso_utc(row.until)}" if row.until else row.state


def _beneath(row: ChainRow, room: int) -> list[str]:
    return [*(rows_of(row.reason, room) if row.reason else ()), *(rows_of(f"→ {row.mend}", room) if row.mend else ())]
