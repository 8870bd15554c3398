"""The numbers that answers cite pages and hits by, once a session numbers its sources at all."""

import msgspec

from limen.core.context import CallContext
from limen.core.web import Fetched, Hit


async def cited_page(entry: Fetched, context: CallContext) -> Fetched:
    """The page with its number; its text is noted as read, so that quotations can be checked against it."""
    if context.sources is None:
        return entry
    page = entry.page
    source = await context.sources.note(page.url, page.title or page.url, ref=entry.stored_path or "", read=True, text=page.text)
    return msgspec.structs.replace(entry, n=source.n)


async def cited_hit(hit: Hit, context: CallContext) -> Hit:
    """The hit with its number."""
    if context.sources is None:
        return hit
    source = await context.sources.note(hit.url, hit.title, ref=hit.ref)
    return msgspec.structs.replace(hit, n=source.n)
