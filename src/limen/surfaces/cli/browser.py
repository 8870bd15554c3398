"""`limen browser`: what a person does in a session's browser, and what is left of it."""

from typing import TYPE_CHECKING

import click
import msgspec

from limen.core.fault import Refusal
from limen.surfaces.cli.app import Cli, command, group
from limen.surfaces.cli.faults import DONE, Refused
from limen.surfaces.cli.figures import counted
from limen.surfaces.cli.options import SessionKey

if TYPE_CHECKING:
    from limen.runtime import Runtime

browser = group("browser", "Log in for a session, and log out.", example="limen browser login shop.example --session KEY")

_SESSION = click.option(
    "--session", type=SessionKey(), metavar="KEY", help="Whose browser it is [default: the latest conversation's]."
)


@command(example="limen browser login shop.example\nlimen browser login shop.example --session KEY", under=browser)
@click.argument("host", metavar="HOST|URL")
@_SESSION
async def login(cli: Cli, host: str, session: str | None) -> int:
    """Log in at a site, in a window of the session's own browser.

    A window opens; log in there and close it. What the site sets stays with this session alone: no other one, no other program
    and no request outside of its browser carries it.
    """
    url = host if "://" in host else f"https://{host}/"
    async with cli.runtime() as runtime:
        key = session if session is not None else await _latest(runtime)

        async def opened() -> None:
            cli.screen.note(f"a window is open for the conversation {key}: log in at {url}, then close it", "plain")

        done = await runtime.browsers.log_in(url, key, opened)
    if isinstance(done, Refusal):
        raise Refused(done)
    if cli.options.json:
        cli.screen.json({"session": key, **msgspec.to_builtins(done)})
    else:
        cli.screen.note(f"{counted(done.cookies, 'cookie')} of {done.host} kept for the conversation {key}", "plain")
    return DONE


@command(example="limen browser forget --session KEY", under=browser)
@_SESSION
async def forget(cli: Cli, session: str | None) -> int:
    """Remove all that a session's browser keeps: cookies, log-ins, history."""
    async with cli.runtime() as runtime:
        key = session if session is not None else await _latest(runtime)
        gone = await runtime.browsers.forget(key)
    if cli.options.json:
        cli.screen.json({"session": key, "forgotten": gone})
    else:
        said = "the browser has forgotten" if gone else "there is nothing that a browser keeps of"
        cli.screen.note(f"{said} the conversation {key}", "plain")
    return DONE


async def _latest(runtime: "Runtime") -> str:
    """The latest conversation's key."""
    found = await runtime.sessions.list(1)
    if not found:
        raise click.UsageError("There is no conversation yet; name the one that is to keep the log-in: --session KEY.")
    return found[0].key
