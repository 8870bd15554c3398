"""Shaper: what strangers wrote enters between marks that only this call knows."""

import msgspec

from limen.core.untrusted import Nonce, fence
from limen.core.web import Fetched, Hit


def wrap_page(entry: Fetched, nonce: Nonce) -> Fetched:
    """The entry with its content fenced and its title on one line."""
    content = fence(entry.content, nonce(), entry.page.url)
    return msgspec.structs.replace(entry, content=content)


def wrap_hit(hit: Hit, nonce: Nonce) -> Hit:
    """The hit with its snippet fenced."""
    return msgspec.structs.replace(hit, snippet=fence(hit.snippet, nonce(), hit.url)) if hit.snippet else hit
