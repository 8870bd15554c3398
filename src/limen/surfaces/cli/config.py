"""`limen config`: read, change, check and explain the settings of a home."""

import os
import re
from typing import Any

import click
import msgspec

from limen.config.check import check as check_config
from limen.config.edit import Edited, change_list, set_value, unset_value
from limen.config.explain import Explanation, explain
from limen.config.keys import KEYS, find, is_section
from limen.config.layer import merge, nest
from limen.config.load import Loaded, load
from limen.config.paths import Home
from limen.config.problem import Problem
from limen.config.schema import Config
from limen.config.secrets import Secrets
from limen.config.value import show_value
from limen.core.fault import ConfigFault
from limen.net.policy import AddressPolicy
from limen.surfaces.cli.app import Cli, command, group
from limen.surfaces.cli.faults import DONE, FAILED
from limen.surfaces.cli.screen import Screen, Style
from limen.surfaces.cli.table import Column, show_table

config = group("config", "Read, change, check and explain settings.", example="limen config set web.max_urls 8")

_MARKS: dict[str, tuple[str, Style]] = {"error": ("✗ ", "bad"), "warning": ("! ", "warn"), "notice": ("· ", "dim")}
# A plug-in may keep a key among its settings; a list of all settings is no place to show it.
_SECRET = re.compile(r"(?i)(?:^|_)(?:key|token|secret|password|passwd|credentials?)$")
_HIDDEN = "••••"


@command(name="get", example="limen config get web.mode", under=config)
@click.argument("key")
async def get(cli: Cli, key: str) -> int:
    """Print the value that holds, of a key or a whole section."""
    loaded = _load(cli)
    values = merge(loaded.layers)
    if is_section(key):
        inner = {name: value for name, value in values.items() if name.startswith(f"{key}.")}
        if cli.options.json:
            cli.screen.json(nest({name.removeprefix(f"{key}."): value for name, value in inner.items()}))
        else:
            for name, value in inner.items():
                cli.screen.line(f"{name} = {show_value(value)}")
        return DONE
    value = explain(loaded, key).value
    if cli.options.json:
        cli.screen.json(value)
    else:
        cli.screen.line(show_value(value))
    return DONE


@command(
    name="set",
    example="limen config set web.max_urls 8\nlimen config set security.allow_private_hosts wiki.lan,10.1.0.0/16\n"
    "limen config set security.allow_private_hosts --add printer.lan",
    under=config,
)
@click.argument("key")
@click.argument("value", required=False)
@click.option("--add", multiple=True, metavar="VALUE", help="Put VALUE into the list that KEY is; may be given more than once.")
@click.option("--remove", multiple=True, metavar="VALUE", help="Take VALUE out of that list; may be given more than once.")
async def set_key(cli: Cli, key: str, value: str | None, add: tuple[str, ...], remove: tuple[str, ...]) -> int:
    """Write a setting into the settings file; comments stay.

    VALUE replaces what stood there. A list is words between commas, or JSON or YAML in brackets.
    """
    if add or remove:
        if value is not None:
            raise click.UsageError("VALUE replaces the whole list; --add and --remove change it. Give one or the other.")
        return _report(cli, change_list(_home(cli), key, add=add, remove=remove))
    if value is None:
        key, separator, value = key.partition("=")
        if not separator:
            raise click.UsageError("VALUE is missing: limen config set KEY VALUE")
    return _report(cli, set_value(_home(cli), key, value), replaced=True)


@command(name="unset", example="limen config unset web.max_urls", under=config)
@click.argument("key")
async def unset_key(cli: Cli, key: str) -> int:
    """Take a setting out of the settings file, so that its default holds again."""
    return _report(cli, unset_value(_home(cli), key))


@command(name="list", example="limen config list --changed", under=config)
@click.option("--changed", is_flag=True, help="Only what somebody has set.")
async def list_keys(cli: Cli, changed: bool) -> int:
    """List every setting with its value and who set it."""
    loaded = _load(cli)
    rows = [explain(loaded, name) for name in merge(loaded.layers)]
    rows = [row for row in rows if row.source != "default" or not changed]
    if cli.options.json:
        cli.screen.json([
            {"key": row.key, "value": _masked(row.value), "source": row.source, "place": row.place} for row in rows
        ])  # fmt: skip
    else:
        columns = (Column("key"), Column("value", gives_way=True), Column("set by", style="dim"))
        show_table(cli.screen, columns, [[row.key, show_value(_masked(row.value)), row.place or row.source] for row in rows])
    _warn(cli.screen, loaded.problems)
    return DONE


@command(name="check", example="limen config check", under=config)
async def check(cli: Cli) -> int:
    """Say what is wrong with the settings, and how to mend it."""
    home = _home(cli)
    loaded = load(home, os.environ)
    backends = cli.options.load("limen.wiring.backends:check_backends")(home, os.environ, loaded)
    chain = cli.options.load("limen.wiring.chain:check_chain")(loaded)
    problems = (*check_config(loaded, Secrets.load(home, os.environ)), *_unreadable_hosts(loaded), *backends, *chain)
    failed = any(problem.level == "error" for problem in problems)
    if cli.options.json:
        cli.screen.json({"ok": not failed, "file": str(home.config_file), "problems": problems})
        return FAILED if failed else DONE
    for problem in problems:
        _show_problem(cli.screen, problem)
    if not problems:
        exists = home.config_file.exists()
        cli.screen.note(f"nothing is wrong with {home.config_file}" if exists else "no settings file: the defaults hold", "good")
    return FAILED if failed else DONE


@command(name="path", example="limen config path", under=config)
async def path(cli: Cli) -> int:
    """Print where the settings file is."""
    home = _home(cli)
    if cli.options.json:
        cli.screen.json(
            {
                "home": str(home.path),
                "profile": home.profile,
                "config": str(home.config_file),
                "secrets": str(home.secrets_file),
                "database": str(home.database),
                "exists": home.config_file.is_file(),
            }
        )
    else:
        cli.screen.line(str(home.config_file))
    return DONE


@command(name="schema", example="limen config schema --json", under=config)
async def schema(cli: Cli) -> int:
    """List every setting there is; with --json, as a JSON schema."""
    if cli.options.json:
        cli.screen.json(msgspec.json.schema(Config))
        return DONE
    columns = (Column("key"), Column("takes", gives_way=True), Column("default", style="dim"), Column("meaning", gives_way=True))
    rows = [
        [key.name.replace("*", "NAME"), key.expects, show_value(key.default), key.description]
        for key in KEYS.values()
        if key.name != "plugins"
    ]
    show_table(cli.screen, columns, rows)
    return DONE


@command(name="explain", example="limen config explain web.search_backend", under=config)
@click.argument("key")
async def explain_key(cli: Cli, key: str) -> int:
    """Say which value of a setting holds, who set it, and what that overrides."""
    if is_section(key) and find(key) is None:
        raise ConfigFault("config.unknown_key", f"`{key}` is a section of settings", f"limen config get {key}", place=key)
    explanation = explain(_load(cli), key)
    if cli.options.json:
        cli.screen.json(explanation)
    else:
        _show_explanation(cli.screen, explanation)
    return DONE


def _home(cli: Cli) -> Home:
    return Home.resolve(cli.options.home, cli.options.profile, os.environ)


def _load(cli: Cli) -> Loaded:
    return load(_home(cli), os.environ)


def _report(cli: Cli, edited: Edited, *, replaced: bool = False) -> int:
    """Say what an edit did, and whether the new value holds. `replaced`: a whole new value was given."""
    loaded = _load(cli)
    known = find(edited.key) is not None or edited.key.startswith("plugins.")
    now = explain(loaded, edited.key) if known else None
    if cli.options.json:
        cli.screen.json(
            {
                "key": edited.key,
                "value": edited.value,
                "was": edited.was,
                "changed": edited.changed,
                "file": str(edited.file),
                "effective": now.value if now is not None else None,
                "source": now.source if now is not None else None,
            }
        )
    elif now is not None:
        _say_change(cli.screen, edited, now, replaced=replaced)
    if now is not None and now.source in ("environment", "flag"):
        cli.screen.note(f"! {now.place} overrides the settings file: unset {now.place}", "warn")
    if now is not None and now.ignored:
        _warn(cli.screen, now.problems)
    if edited.key.startswith("web."):
        backends = cli.options.load("limen.wiring.backends:check_backends")(_home(cli), os.environ, loaded)
        _warn(cli.screen, tuple(problem for problem in backends if problem.place == edited.key))
    return DONE


def _say_change(screen: Screen, edited: Edited, now: Explanation, *, replaced: bool) -> None:
    """The value that holds now, the one before, and what a replaced list has lost."""
    secret = _SECRET.search(edited.key.rpartition(".")[2]) is not None
    value, was = (_HIDDEN if secret else _told(_masked(each)) for each in (now.value, edited.was))
    before = f"was {was}" if edited.was is not None else f"was {_told(now.default)}, the default"
    if edited.was is None and find(edited.key) is None:
        before = "new"
    screen.note(f"{edited.key} = {value} " + (f"({before})" if edited.changed else "(as before)"), "plain")
    if replaced and isinstance(edited.was, list) and isinstance(edited.value, list):
        gone = [entry for entry in edited.was if entry not in edited.value]
        if gone:
            screen.note(f"! no longer in it: {', '.join(map(str, gone))}; --add keeps what a list holds", "warn")


def _unreadable_hosts(loaded: Loaded) -> list[Problem]:
    """What the network's own rules cannot read of the security section."""
    security = loaded.config.security
    try:
        AddressPolicy(security.allow_private_hosts, security.fake_ip_ranges)
    except ConfigFault as fault:
        return [Problem("error", fault.code, fault.reason, fault.mend, fault.place, fault.place)]
    return []


def _show_explanation(screen: Screen, explanation: Explanation) -> None:
    screen.line(f"{explanation.key} = {_told(explanation.value)}", "bold")
    by = explanation.source + (f" ({explanation.place})" if explanation.place else "")
    rows = [("set by", by)]
    rows += [
        ("overrides", f"{said.layer}: {_told(said.value)}" + (f" ({said.place})" if said.place else ""))
        for said in explanation.overridden
    ]
    rows += [("ignored", place) for place in explanation.ignored]
    rows += [("default", _told(explanation.default)), ("takes", explanation.expects)]
    if explanation.variable:
        rows.append(("variable", explanation.variable))
    for label, text in rows:
        screen.line(f"  {label:<10} {text}")
    if explanation.description:
        screen.line(f"  {explanation.description}")
    _warn(screen, explanation.problems)


def _told(value: Any) -> str:
    """A value within a line, where an empty text would not be seen."""
    return show_value(value) or '""'


def _warn(screen: Screen, problems: tuple[Problem, ...]) -> None:
    """Problems on stderr."""
    for problem in problems:
        mark, style = _MARKS[problem.level]
        screen.note(f"{mark}{problem.text} [{problem.code}]", style)
        if problem.mend:
            screen.note(f"  → {problem.mend}")


def _show_problem(screen: Screen, problem: Problem) -> None:
    """A problem as data."""
    mark, style = _MARKS[problem.level]
    screen.write(mark, style)
    place = f"{problem.place}: " if problem.place and problem.place not in problem.text else ""
    screen.line(f"{place}{problem.text} [{problem.code}]")
    if problem.mend:
        screen.line(screen.offered(f"  → {problem.mend}"))


def _masked(value: Any) -> Any:
    """A plug-in's settings without what is named like a secret."""
    if not isinstance(value, dict):
        return value
    return {name: _HIDDEN if _SECRET.search(name) else _masked(inner) for name, inner in value.items()}
