"""The `Renderer` port by Chromium: a browser of its own for each page, with an empty profile that is gone afterwards."""

import anyio

from limen.builtin.browser.rules import BrowserMeans
from limen.builtin.browser.start import afresh, program_of
from limen.core.context import CallContext
from limen.core.fault import Refusal, ToolFault
from limen.core.ports import Rendered
from limen.core.web import RawFile

# Each is a few hundred megabytes and a core for a second or two.
_AT_ONCE = 2


class PageRenderer:
    """Draws pages, a few at a time. `limit_chars` is how much of a page's markup is taken."""

    def __init__(self, means: BrowserMeans, limit_chars: int) -> None:
        self._means = means
        self._limit_chars = limit_chars
        self._places = anyio.CapacityLimiter(_AT_ONCE)

    async def render(self, given: RawFile, context: CallContext) -> Rendered | Refusal:
        """Codes: those of the gates, `browser.*`; `browser.timeout` once it takes longer than any page may in a browser."""
        program = program_of(self._means.rules)
        if isinstance(program, Refusal):
            return program
        async with self._places:
            await context.progress("running the page's scripts in a browser")
            try:
                with anyio.fail_after(self._means.rules.timeout_s):
                    async with afresh(self._means, program) as tab:
                        return await tab.render(given, self._limit_chars)
            except ToolFault as fault:
                return Refusal("browser", fault.code, fault.reason, fault.mend)
            except TimeoutError:
                reason = f"The page's scripts were not done after {self._means.rules.timeout_s:g} s."
                return Refusal("browser", "browser.timeout", reason, "limen config set browser.timeout_s 60")
