"""How a domain search may look at a site's own index: through the same gates as a page, and only where that is allowed."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import msgspec

from limen.core.fault import Refusal

if TYPE_CHECKING:
    from limen.net.fetch import Fetch

FetchIndex = Callable[[str, int], "Awaitable[Fetch | Refusal]"]
"""Fetches an address, of at most so many bytes, past all gates; redirects are judged like the first address."""


def _closed() -> Refusal | None:
    return Refusal("resolve", "web.mode", "No site may be looked at here.", "limen config set web.mode live")


class Sites(msgspec.Struct, frozen=True):
    """What `docs-sitemap` works with: `fetch`, the documentation sites that are `known`, and why none may be asked (`closed`)."""

    fetch: FetchIndex | None = None
    known: frozenset[str] = frozenset()
    closed: Callable[[], Refusal | None] = _closed
