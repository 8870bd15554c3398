"""Pictures of web pages: a browser of its own for each, with an empty profile that is gone afterwards."""

import msgspec

from limen.builtin.browser.rules import BrowserMeans
from limen.builtin.browser.start import afresh, program_of
from limen.core.context import CallContext
from limen.core.fault import Refusal, ToolFault
from limen.core.ports import Shot
from limen.core.web import RawFile


class BrowserShooter:
    """Pictures pages by Chromium: nobody's cookies are sent, and none are kept."""

    def __init__(self, means: BrowserMeans) -> None:
        self._means = means

    async def shoot(self, url: str, page: int, context: CallContext, given: RawFile | None = None) -> Shot | Refusal:
        """What a window shows of a page. Codes: those of the gates, `browser.*`, `screenshot.no_page`."""
        if page != 1:
            reason = f"There is no page {page:,}: a web page is one."
            return Refusal("screenshot", "screenshot.no_page", reason, "Ask for page 1.", {"pages": 1})
        refusal = await self._means.judges.named(url, context) if given is None else None
        if refusal is not None:
            return refusal
        program = program_of(self._means.rules)
        if isinstance(program, Refusal):
            return program
        try:
            async with afresh(self._means, program) as tab:
                seen = await tab.open(url, given)
                shot = seen if isinstance(seen, Refusal) else await tab.screenshot()
        except ToolFault as fault:
            return Refusal("browser", fault.code, fault.reason, fault.mend)
        if isinstance(seen, Refusal) or isinstance(shot, Refusal):
            return shot
        return msgspec.structs.replace(shot, notices=(*_of_status(seen.status), *seen.notices))


def _of_status(status: int | None) -> tuple[str, ...]:
    """What a picture does not tell: that the page is the server's word on a failure."""
    return (f"The server answered with status {status}.",) if status is not None and status >= _FIRST_FAILURE else ()


_FIRST_FAILURE = 400
