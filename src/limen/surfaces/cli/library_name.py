"""`--library NAME`: which of the private libraries a command is about."""

from collections.abc import Mapping
from shlex import quote
from typing import TYPE_CHECKING

import click

from limen.core.fault import Refusal
from limen.surfaces.cli.faults import Refused

if TYPE_CHECKING:
    from limen.runtime import Runtime

_META = "limen.library"


def _choose(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        name = value.strip()
        if not name or len(name) > 64 or not name.isprintable() or "," in name or name == "manual":
            raise click.BadParameter("a library's name is 1 to 64 printable characters without a comma, other than 'manual'")
        context.meta[_META] = name


def library_option(help_text: str = "Another library than the default one.") -> click.Option:
    """A fresh option; it may stand before or behind a verb."""
    return click.Option(["--library"], metavar="NAME", expose_value=False, callback=_choose, help=help_text)


def chosen_library() -> str | None:
    """The library that this command line names."""
    name: str | None = click.get_current_context().meta.get(_META)
    return name


def searched_library() -> Mapping[str, str]:
    """The settings by which a search looks into the named library and into no other."""
    name = chosen_library()
    return {"library.search": name} if name is not None else {}


async def refuse_unknown_library(runtime: "Runtime") -> None:
    """Raise Refused where the named library has nothing that could be searched."""
    name = chosen_library()
    if name is None:
        return
    libraries = await runtime.library.libraries()
    if not libraries.get(name):
        others = ", ".join(repr(other) for other, count in libraries.items() if count)
        reason = f"the library {name!r} has no documents{f'; there is {others}' if others else ''}"
        raise Refused(Refusal("library", "library.empty", reason, f"limen library add --library {quote(name)} PATH"))
