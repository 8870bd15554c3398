"""How a library reads the web: pages as anybody reads them, bytes past the same gates, and with regard for who serves them."""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

import msgspec

from limen.core.fault import Refusal
from limen.core.web import Held, Page, Validators
from limen.web.download import Downloaded


class WebPage(msgspec.Struct, frozen=True):
    """A page with what its server recognises it by, and where its address has moved for good."""

    page: Page
    validators: Validators = Validators()
    moved_to: str = ""


class CrawlRules(msgspec.Struct, frozen=True):
    """What one source may cost, where a person does not say otherwise.

    `delay_s` lies between two requests to a host, of which `connections` are under way at a time. `first_wait_s` is for a host
    that is busy and does not say for how long; each further wait is twice the one before.
    """

    delay_s: float = 0.5
    connections: int = 2
    most_pages: int = 2_000
    most_depth: int = 8
    most_bytes: int = 1_000_000_000
    first_wait_s: float = 5.0


# Reads one page; the one that is held, where the server says that it has not changed.
ReadPage = Callable[[str, Held | None], Awaitable[WebPage | Refusal]]
# Fetches bytes: the address, how many at most, and headers to send.
Get = Callable[[str, int, Mapping[str, str]], Awaitable[Downloaded | Refusal]]


class Outside(NamedTuple):
    """Where a library has the web from."""

    page: ReadPage
    get: Get
    rules: CrawlRules = CrawlRules()
