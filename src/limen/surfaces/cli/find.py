"""`limen find`: where a phrase stands in one document."""

import click

from limen.core.fault import Refusal
from limen.core.tool import open_on
from limen.kit.text import clip
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.browsing import call_of, session_option
from limen.surfaces.cli.faults import DONE, Refused
from limen.surfaces.cli.figures import counted
from limen.surfaces.cli.unquoted import TakesText

_LINE_CHARS = 400


@command(example='limen find lib:12 "CancelledError"', cls=TakesText)
@click.argument("ref", metavar="REF|URL")
@click.argument("pattern")
@session_option
async def find(cli: Cli, ref: str, pattern: str, session: str | None) -> int:
    """Find a phrase in a document."""
    if not pattern.strip():
        raise click.UsageError("The pattern is empty.")
    async with cli.runtime() as runtime:
        context = await call_of(cli, runtime, session, ref)
        found = await runtime.browser.find(ref, pattern, context)
        if isinstance(found, Refusal):
            raise Refused(found)
        view = await runtime.browser.handles.of_view(found.view, context)
    handle = view.ref.name or ref
    if cli.options.json:
        matches = [{"id": view.ref.opens or ref, "line": line.line, "text": line.text} for line in found.lines]
        cli.screen.json({"ref": ref, "ref_id": view.ref.name, "pattern": pattern, "total": found.total, "matches": matches})
        return DONE
    width = len(str(max((line.line for line in found.lines), default=1)))
    for line in found.lines:
        cli.screen.write(f"{line.line:>{width}}  ", "accent")
        cli.screen.line(clip(line.text, _LINE_CHARS))
    if found.lines:
        shown = (
            counted(found.total, "line") if found.total == len(found.lines) else f"{len(found.lines)} of {found.total:,} lines"
        )
        cli.screen.note(f"{shown} · {open_on(handle, found.lines[0].line)}")
    else:
        cli.screen.note(f'"{pattern}" does not stand in {ref}', "plain")
    return DONE
