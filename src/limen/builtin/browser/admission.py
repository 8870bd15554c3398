"""Which hosts a browser's pages have asked for. What Chromium wants for itself never gets past the proxy."""

import anyio

from limen.builtin.browser.rules import Vet
from limen.core.fault import Refusal
from limen.net.url import parse

NOT_ASKED = "browser.not_asked"


class Admission:
    """A `Vet` for the proxy: a host passes once a page's request for it was judged, and by `judge` each time.

    The connection may come a moment before the word of the request does, so an unknown host is waited for, `wait_s` at most.
    """

    def __init__(self, judge: Vet, wait_s: float = 2.0) -> None:
        self._judge = judge
        self._wait_s = wait_s
        self._places: set[tuple[str, int]] = set()
        self._more = anyio.Event()

    def admit(self, url: str) -> None:
        """A page asks for this address, and may."""
        place = _place(url)
        if place is not None and place not in self._places:
            self._places.add(place)
            self._more.set()
            self._more = anyio.Event()

    async def __call__(self, url: str) -> Refusal | None:
        """Why this host may not be reached, or None. Code: `browser.not_asked`, beside those of `judge`."""
        place = _place(url)
        with anyio.move_on_after(self._wait_s):
            while place not in self._places:
                await self._more.wait()
        if place not in self._places:
            return Refusal("browser", NOT_ASKED, "No page has asked for this host.", "Open a page of it.")
        return await self._judge(url)


def _place(url: str) -> tuple[str, int] | None:
    parsed = parse(url)
    return None if isinstance(parsed, Refusal) else (parsed.host, parsed.port)
