"""`limen open`: the text behind a reference, the same one that a model is given."""

import click

from limen.core.fault import Refusal
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.browsing import call_of, session_option, tell_view
from limen.surfaces.cli.faults import DONE, Refused
from limen.surfaces.cli.library_name import library_option, searched_library


@command(name="open", example="limen open lib:12 --line 40\nlimen open turn0search1")
@click.argument("ref", metavar="REF|URL")
@click.option("--line", type=click.IntRange(min=1), help="Where to start [default: where a hit stands, else 1].")
@click.option("--char", type=click.IntRange(min=1), default=1, help="Where in that line to start [default: 1].")
@session_option
async def open_document(cli: Cli, ref: str, line: int | None, char: int, session: str | None) -> int:
    """Show a document behind a reference, by lines.

    A reference is what `limen search` prints, an evidence id, a file, or a page read before; `#anchor` behind it is where to
    start. A pipe gets the text alone, without line numbers.
    """
    async with cli.runtime(searched_library()) as runtime:
        context = await call_of(cli, runtime, session, ref)
        view = await runtime.browser.view(ref, context)
        if isinstance(view, Refusal):
            raise Refused(view)
        view = await runtime.browser.handles.of_view(view, context)
    tell_view(cli, view, line or view.ref.line or 1, ref, char)
    return DONE


open_document.params.append(library_option("In that library of yours."))
