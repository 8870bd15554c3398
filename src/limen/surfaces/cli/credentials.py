"""`limen credentials`: which keys a provider has, where each is kept, and how it is doing. No key is ever shown."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from limen.config.edit import change_list
from limen.config.paths import Home
from limen.config.secrets import Secrets, add_secret, forget_secret
from limen.core.fault import ConfigFault, Fault
from limen.core.provider import Provider
from limen.models.references import shown
from limen.surfaces.cli.app import Cli, command, group
from limen.surfaces.cli.faults import DONE
from limen.surfaces.cli.figures import counted
from limen.surfaces.cli.key_rows import KeyRow, key_rows, told
from limen.surfaces.cli.log_in import forget, log_in
from limen.surfaces.cli.new_key import ask_for_key, checked_reference, plausible, read_key
from limen.surfaces.cli.table import Column, show_table

if TYPE_CHECKING:
    from limen.runtime import Runtime

_LIST = (Column("provider"), Column("key", gives_way=True), Column("state", style="dim"))
_STATUS = (*_LIST, Column("mark", style="dim"), Column("used", "right", style="dim"))
_WHY = (Column("why"), Column("mend"))
# So many keys of one provider are told apart by a number behind the variable's name.
_MOST_KEYS = 1_000

credentials = group(
    "credentials",
    "Say where the keys of providers are kept.",
    example="limen credentials add openai\nlimen credentials add openai env:OPENAI_API_KEY_2\nlimen credentials status",
    default="list",
)


@command(
    name="add",
    example="limen credentials add openai\nlimen credentials add openai env:OPENAI_API_KEY_2\n"
    "limen credentials add anthropic 'cmd:pass show anthropic'\nlimen credentials add codex",
    under=credentials,
)
@click.argument("provider")
@click.argument("reference", required=False, metavar="[REFERENCE|-]")
async def add(cli: Cli, provider: str, reference: str | None) -> int:
    """Give a provider a key, or one more.

    REFERENCE says where the key is kept: env:NAME, file:PATH, cmd:COMMAND, keyring:SERVICE/NAME. Without one the key is asked
    for, not shown, and kept in the home's secrets file; with - it is read from standard input. For codex you log in with a code.
    """
    async with cli.runtime(say_problems=False) as runtime:
        known = _takes_keys(runtime, provider)
        if known.credential is not None and known.credential.startswith("oauth:") and reference in (None, known.credential):
            return await log_in(cli, runtime, known)
        section = _section(runtime, known)
    home = Home.resolve(cli.options.home, cli.options.profile, os.environ)
    kept = False
    if reference is None or reference.strip() == "-":
        key = plausible(ask_for_key(known.name) if reference is None else await read_key())
        reference, kept = _keep(home, known, key)
    else:
        reference = _from_here(checked_reference(reference, known.name))
    named = not _finds(known, reference) and reference not in known.references
    if named:
        change_list(home, f"providers.{section}.keys", add=[json.dumps([reference])])
    return await _told(cli, known.name, reference, kept or named)


@command(name="list", example="limen credentials list\nlimen credentials list openai", under=credentials)
@click.argument("provider", required=False)
async def list_keys(cli: Cli, provider: str | None) -> int:
    """List where keys are kept. No command is run and nobody is asked."""
    rows = await _rows(cli, provider, fetch=False)
    if cli.options.json:
        cli.screen.json([{name: row.published()[name] for name in ("provider", "reference", "state", "source")} for row in rows])
    elif rows:
        show_table(cli.screen, _LIST, [[row.provider, row.reference, told(row)] for row in rows])
    else:
        _none(cli)
    return DONE


@command(name="status", example="limen credentials status\nlimen credentials status openai", under=credentials)
@click.argument("provider", required=False)
async def status(cli: Cli, provider: str | None) -> int:
    """Look whether each key is there and how it is doing: until when it rests and why, and with the strategy `least_used` how
    many conversations were given to it."""
    rows = await _rows(cli, provider, fetch=True)
    if cli.options.json:
        cli.screen.json([row.published() for row in rows])
    elif rows:
        cells = [
            [row.provider, row.reference, told(row), row.fingerprint, "" if row.uses is None else f"{row.uses:,}"] for row in rows
        ]
        why = [(row.rests_because or row.reason, row.mend) for row in rows]
        if cli.screen.out_is_terminal:
            under = [[line for line in (reason, f"→ {mend}" if mend else "") if line] for reason, mend in why]
            show_table(cli.screen, _STATUS, cells, under)
        else:
            show_table(cli.screen, (*_STATUS, *_WHY), [[*cell, *said] for cell, said in zip(cells, why, strict=True)])
    else:
        _none(cli)
    return DONE


@command(name="remove", example="limen credentials remove openai env:OPENAI_API_KEY_2", under=credentials)
@click.argument("provider")
@click.argument("reference")
async def remove(cli: Cli, provider: str, reference: str) -> int:
    """Use a key no more. One that stands in the home's secrets file is removed from it, and a log-in is forgotten."""
    async with cli.runtime(say_problems=False) as runtime:
        known = runtime.models.routes.provider(provider)
        section = _section(runtime, known)
        others = {name for other in runtime.models.routes.providers if other.name != known.name for name in other.references}
        log_ins = runtime.models.keys.log_ins
    home = Home.resolve(cli.options.home, cli.options.profile, os.environ)
    reference = checked_reference(reference, known.name)
    edited = change_list(home, f"providers.{section}.keys", remove=[json.dumps([reference])])
    kind, _, name = reference.partition(":")
    gone = False
    if kind == "env" and reference not in others:
        gone = forget_secret(home, name)
    elif kind == "oauth" and name in log_ins.names:
        gone = await forget(log_ins.file(name))
    if not edited.changed and not gone:
        raise _not_removed(known, reference, Secrets.load(home, os.environ))
    if cli.options.json:
        cli.screen.json({"provider": known.name, "reference": reference, "removed": edited.changed, "forgotten": gone})
        return DONE
    what = "is forgotten" if gone else "is used no more; what it leads to is as it was"
    cli.screen.note(f"{known.name}: {shown(reference)} {what}", "plain")
    if kind == "env" and os.environ.get(name):
        cli.screen.note(f"! {name} is set in this shell as well: unset {name}", "warn")
    return DONE


def _takes_keys(runtime: "Runtime", name: str) -> Provider:
    """A provider that a key can be given. Raises ConfigFault for a name nobody has, Fault `credentials.no_home`."""
    provider = runtime.models.routes.provider(name)
    if provider.wire == "embedded":
        raise Fault("credentials.no_home", f"{provider.name} answers without a network and takes no key", "limen model list")
    section = _section(runtime, provider)
    setting = runtime.loaded.config.providers.get(section)
    if not provider.hosts and (setting is None or setting.endpoint is None):
        url = provider.endpoint or "URL"
        reason = f"a key for {provider.name} would belong nowhere: keys go only to endpoints that are named for them"
        raise Fault("credentials.no_home", reason, f"limen config set providers.{section}.endpoint {url}")
    return provider


def _section(runtime: "Runtime", provider: Provider) -> str:
    """What the provider is called under `providers`: as the settings have it, else by its letters, since dots part keys there."""
    routes = runtime.models.routes
    written = (name for name in runtime.loaded.config.providers if routes.provider(name).name == provider.name)
    return next(written, "".join(char for char in provider.name if char.isalnum() or char in "_-"))


def _keep(home: Home, provider: Provider, key: str) -> tuple[str, bool]:
    """The reference of a key in the home's secrets file, and whether it is new there: one that the provider has already is not
    kept a second time, as nobody would be asked with it who has refused it before."""
    secrets = Secrets.load(home, os.environ)
    wrong = next((problem for problem in secrets.problems if problem.level == "error"), None)
    if wrong is not None:
        raise ConfigFault(wrong.code, wrong.text, wrong.mend, wrong.place)
    has = [reference for reference in provider.references if reference.startswith("env:")]
    same = next((reference for reference in has if secrets.get(reference.removeprefix("env:")) == key), None)
    if same is not None:
        return same, False
    letters = "".join(char if char.isalnum() else "_" for char in provider.name).upper()
    stem = next(iter(provider.variables), f"{letters}_API_KEY")
    # Beside a key that the provider finds by itself, another under one of its own names would take its place.
    has_own = any(secrets.get(variable) for variable in provider.variables)
    names = [*([] if has_own else [stem]), *(f"{stem}_{number}" for number in range(2, _MOST_KEYS))]
    name = add_secret(home, names, key, os.environ)
    if name is None:
        raise Fault(
            "credentials.too_many", f"{provider.name} has {_MOST_KEYS:,} keys already", f"limen credentials list {provider.name}"
        )
    return f"env:{name}", True


def _from_here(reference: str) -> str:
    """A file's reference as the shell that it was typed in means it: from the folder there, not from the home."""
    kind, _, rest = reference.partition(":")
    return f"file:{Path.cwd() / rest}" if kind == "file" and not rest.startswith("~") else reference


def _finds(provider: Provider, reference: str) -> bool:
    """Whether the provider looks there without being told."""
    return reference in [f"env:{name}" for name in provider.variables[:1]]


async def _told(cli: Cli, name: str, reference: str, added: bool) -> int:
    """Say what the provider has now, as a fresh look at the settings finds it."""
    async with cli.runtime() as runtime:
        provider = runtime.models.routes.provider(name)
        # What has to be run is run now, so that a slip is seen by whoever made it.
        rows = await key_rows(runtime, provider, fetch=reference.startswith(("cmd:", "keyring:")))
        strategy = runtime.models.strategies.get(provider.name, "least_used")
    row = next((row for row in rows if row.reference == reference), None)
    state = row.state if row is not None else "missing"
    if cli.options.json:
        cli.screen.json({"provider": name, "reference": reference, "added": added, "state": state, "keys": len(rows)})
        return DONE
    if not added:
        cli.screen.note(f"it was there already: {shown(reference)}", "plain")
    cli.screen.note(f"{name} has {counted(len(rows), 'key')}: {', '.join(shown(row.reference) for row in rows)}", "plain")
    if len(rows) > 1:
        cli.screen.note(f"which one is used: {strategy} (providers.{name}.key_strategy)")
    if state == "missing" or row is None:
        cli.screen.note(f"! nothing stands at {shown(reference)} yet", "warn")
    elif row.reason:
        cli.screen.note(f"! {row.reason}", "warn")
        if row.mend:
            cli.screen.note(f"  → {row.mend}")
    cli.screen.note(f"  look at it: limen credentials status {name}")
    return DONE


async def _rows(cli: Cli, provider: str | None, *, fetch: bool) -> list[KeyRow]:
    """The keys of one provider, or of all that have one or were given a reference."""
    async with cli.runtime() as runtime:
        routes = runtime.models.routes
        if provider is not None:
            return await key_rows(runtime, routes.provider(provider), fetch=fetch)
        configured = {routes.provider(name).name for name, setting in runtime.loaded.config.providers.items()
                      if setting.keys or setting.api_key_env}  # fmt: skip
        rows: list[KeyRow] = []
        for known in routes.providers:
            found = await key_rows(runtime, known, fetch=fetch)
            if known.name in configured or any(row.state != "missing" for row in found):
                rows += found
        return rows


def _none(cli: Cli) -> None:
    cli.screen.note("no key is set", "plain")
    cli.screen.note("  → limen credentials add PROVIDER")


def _not_removed(provider: Provider, reference: str, secrets: Secrets) -> Fault:
    kind, _, name = reference.partition(":")
    if kind == "env" and secrets.source(name) == "environment":
        return Fault("credentials.unknown", f"{name} is set in the environment, not by Limen", f"unset {name}")
    has = ", ".join(shown(one) for one in provider.references) or "none"
    reason = f"{provider.name} has no key {shown(reference)} that could be removed; it has {has}"
    return Fault("credentials.unknown", reason, f"limen credentials list {provider.name}")
