"""`limen find`: where a phrase stands in one document."""

import click
import msgspec

from limen.core.fault import Refusal
from limen.kit.text import clip
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.faults import DONE, Refused
from limen.surfaces.cli.figures import counted
from limen.surfaces.cli.unquoted import TakesText

_LINE_CHARS = 400


@command(example='limen find lib:12 "CancelledError"', cls=TakesText)
@click.argument("ref", metavar="REF|URL")
@click.argument("pattern")
async def find(cli: Cli, ref: str, pattern: str) -> int:
    """Find a phrase in a document."""
    if not pattern.strip():
        raise click.UsageError("The pattern is empty.")
    async with cli.runtime() as runtime:
        matches = await runtime.find_in(ref, pattern)
    if isinstance(matches, Refusal):
        raise Refused(matches)
    if cli.options.json:
        cli.screen.json({"ref": ref, "pattern": pattern, "matches": msgspec.to_builtins(list(matches))})
        return DONE
    width = len(str(max((match.line for match in matches), default=1)))
    for match in matches:
        cli.screen.write(f"{match.line:>{width}}  ", "accent")
        cli.screen.line(clip(match.text, _LINE_CHARS))
    if matches:
        cli.screen.note(f"{counted(len(matches), 'line')} · limen open {ref} --line {matches[0].line}")
    else:
        cli.screen.note(f'"{pattern}" does not stand in {ref}', "plain")
    return DONE
