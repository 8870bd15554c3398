"""Pictures of web pages: a browser of its own for each, with an empty profile that is gone afterwards."""

import secrets
import shutil

import anyio
import anyio.to_thread

from limen.builtin.browser.browsers import Browsers
from limen.builtin.browser.rules import VetNamed
from limen.core.context import CallContext
from limen.core.fault import Refusal, ToolFault
from limen.core.ports import Shot
from limen.kit.log import failed_open


class BrowserShooter:
    """The `Screenshooter` port by Chromium: nobody's cookies are sent, and none are kept."""

    def __init__(self, browsers: Browsers, vet: VetNamed) -> None:
        self._browsers = browsers
        self._vet = vet

    async def shoot(self, url: str, page: int, context: CallContext) -> Shot | Refusal:
        """What a window shows of a page. Codes: those of the gates, `browser.*`, `screenshot.no_page`."""
        if page != 1:
            reason = f"There is no page {page:,}: a web page is one."
            return Refusal("screenshot", "screenshot.no_page", reason, "Ask for page 1.", {"pages": 1})
        refusal = await self._vet(url, context)
        if refusal is not None:
            return refusal
        program = self._browsers.program()
        if isinstance(program, Refusal):
            return program
        profile = self._browsers.profile(f"picture {secrets.token_hex(8)}")
        try:
            async with self._browsers.started(profile, program) as (_context, tab):
                seen = await tab.open(url)
                return seen if isinstance(seen, Refusal) else await tab.screenshot()
        except ToolFault as fault:
            return Refusal("browser", fault.code, fault.reason, fault.mend)
        finally:
            with anyio.CancelScope(shield=True):
                try:
                    await anyio.to_thread.run_sync(shutil.rmtree, profile)
                except OSError as error:
                    failed_open("browser.profile_left", error)
