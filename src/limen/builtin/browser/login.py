"""A person's log-in: a window with a session's profile; what the site sets stays with that session."""

import os
from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio
import msgspec
from playwright.async_api import BrowserContext, Error

from limen.builtin.browser.browsers import Browsers
from limen.builtin.browser.chromium import has_display
from limen.builtin.browser.rules import VetNamed
from limen.core.context import CallContext
from limen.core.fault import Refusal

_LOOK_EVERY_S = 0.5


class LoggedIn(msgspec.Struct, frozen=True):
    """What a log-in has left: cookies of the host and of those below or above it, by number alone."""

    host: str
    cookies: int


async def log_in(
    browsers: Browsers, vet: VetNamed, url: str, session: str, opened: Callable[[], Awaitable[None]]
) -> LoggedIn | Refusal:
    """Open a window at an address and wait until the person closes it. `opened` is called once it is there.

    Codes: those of the gates, `browser.no_display`, `browser.no_chromium`, `browser.closed`. Raises ToolFault as `Browsers.tab`.
    """
    refusal = await vet(url, CallContext(session=session))
    if refusal is not None:
        return refusal
    if not has_display(os.environ):
        reason = "There is no display to open a window on."
        return Refusal("browser", "browser.no_display", reason, "Run this on a desktop, or with a display forwarded: ssh -X HOST")
    program = browsers.program()
    if isinstance(program, Refusal):
        return program
    async with browsers.for_person(session, program) as (context, tab):
        closed = anyio.Event()
        context.on("close", lambda _context: closed.set())
        seen = await tab.open(url)
        if isinstance(seen, Refusal):
            return seen
        await opened()
        return LoggedIn(_host(url), await _watched(context, closed, url))


async def _watched(context: BrowserContext, closed: anyio.Event, url: str) -> int:
    """Wait for the window's end, and count the cookies that an address would be sent at the last look."""
    count = 0
    while not closed.is_set() and context.pages:
        with suppress(Error):
            count = len(await context.cookies(url))
        with anyio.move_on_after(_LOOK_EVERY_S):
            await closed.wait()
    return count


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0]
