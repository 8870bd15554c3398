"""What every command can be told: where the state is, how much to say, whether to print JSON."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

Load = Callable[[str], Any]

_KEY_CHARS = 200


def _nothing(dotted: str) -> Any:
    raise LookupError(f"nothing was wired in to load {dotted}")


class CliOptions(msgspec.Struct, frozen=True):
    """What every command can be told, found in click's `ctx.obj`. `load` gives the attribute behind a dotted name.

    `verbosity` is -1 for `-q`, 0, or the number of `-v`.
    """

    home: Path | None = None
    profile: str | None = None
    json: bool = False
    verbosity: int = 0
    load: Load = _nothing


def _option(field: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(context: click.Context, _parameter: click.Parameter, value: Any) -> None:
        if value is not None and context.obj is not None:
            context.obj = msgspec.structs.replace(context.obj, **{field: value})

    return keep


def _add_verbosity(context: click.Context, parameter: click.Parameter, value: int) -> None:
    if value and context.obj is not None:
        louder = context.obj.verbosity + value if parameter.name == "verbose" else -1
        context.obj = msgspec.structs.replace(context.obj, verbosity=louder)


class _HomePath(click.Path):
    """A folder; an empty name, such as that of an unset variable, names none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("it names no folder", param, ctx)
        return super().convert(value, param, ctx)


class SessionKey(click.ParamType[str]):
    """A conversation's key: one line of text that a person can read and type. An unset variable names none."""

    name = "key"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        key = str(value)
        if not key.strip() or not key.isprintable() or len(key) > _KEY_CHARS:
            self.fail(f"a conversation's key is 1 to {_KEY_CHARS} printable characters, not only blanks", param, ctx)
        return key


class RouteName(click.ParamType[str]):
    """A route as people write it; an empty text, such as an unset variable, names none."""

    name = "route"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not str(value).strip():
            self.fail("it names no route", param, ctx)
        return str(value).strip()


def shared_options(*, json: bool) -> list[click.Option]:
    """Fresh options that keep what they are given in `ctx.obj`; `--json` only where `json`."""
    home = _HomePath(file_okay=False, path_type=Path)
    options = [
        click.Option(
            ["--home"], type=home, metavar="DIR", expose_value=False, callback=_option("home"),
            help="Where Limen keeps its state (also LIMEN_HOME).",
        ),
        click.Option(
            ["--profile"], metavar="NAME", expose_value=False, callback=_option("profile"),
            help="A named home within it (also LIMEN_PROFILE).",
        ),
        click.Option(["-v", "--verbose"], count=True, expose_value=False, callback=_add_verbosity, help="Say more."),
        click.Option(
            ["-q", "--quiet"], is_flag=True, expose_value=False, callback=_add_verbosity, help="Say only what went wrong."
        ),
    ]  # fmt: skip
    if json:
        options.insert(
            0,
            click.Option(
                ["--json"], is_flag=True, flag_value=True, default=None, expose_value=False, callback=_option("json"),
                help="Print one JSON document.",
            ),
        )  # fmt: skip
    return options
