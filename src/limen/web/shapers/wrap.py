"""Shaper: what strangers wrote enters between marks that only this call knows."""

import msgspec

from limen.core.untrusted import Nonce, defuse, fence
from limen.core.web import Fetched, Hit, Unread
from limen.web.search_call import LIBRARY


def wrap_page(entry: Fetched, nonce: Nonce) -> Fetched:
    """The entry with its content fenced and what heads it unable to pass for a fence."""
    said = {name: defuse(getattr(entry.page, name)) for name in ("title", "author", "published")}
    page = msgspec.structs.replace(entry.page, **said)
    return msgspec.structs.replace(entry, content=fence(entry.content, nonce(), entry.page.url), page=page)


def without_told_text(entry: Unread) -> Unread:
    """The entry without what a wall or an error page said: the reason is ours, that text is a stranger's."""
    detail = {name: one for name, one in entry.refusal.detail.items() if name != "text"}
    return msgspec.structs.replace(entry, refusal=msgspec.structs.replace(entry.refusal, detail=detail))


def wrap_hit(hit: Hit, nonce: Nonce) -> Hit:
    """The hit with its snippet fenced and its title unable to pass for a fence. A person's own documents are only defused."""
    if hit.site == LIBRARY:
        return msgspec.structs.replace(hit, title=defuse(hit.title), snippet=defuse(hit.snippet))
    snippet = fence(hit.snippet, nonce(), hit.url) if hit.snippet else ""
    return msgspec.structs.replace(hit, title=defuse(hit.title), snippet=snippet)
