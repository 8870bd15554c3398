"""`limen click`: what a numbered link of a page leads to."""

import click

from limen.core.fault import Refusal
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.browsing import call_of, session_option, tell_view
from limen.surfaces.cli.faults import DONE, Refused


@command(name="click", example="limen click turn0view0 3")
@click.argument("ref", metavar="REF|URL")
@click.argument("number", metavar="N", type=click.IntRange(min=1))
@session_option
async def click_link(cli: Cli, ref: str, number: int, session: str | None) -> int:
    """Follow a numbered link of a page.

    `limen open` shows the numbers. A pipe gets the text alone.
    """
    async with cli.runtime() as runtime:
        context = await call_of(cli, runtime, session, ref)
        view = await runtime.browser.click(ref, number, context)
        if isinstance(view, Refusal):
            raise Refused(view)
        view = await runtime.browser.handles.of_view(view, context)
    tell_view(cli, view, 1, view.ref.name or view.ref.url)
    return DONE
