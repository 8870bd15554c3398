"""`limen.read`: a document in a process of its own where it is large or no text, for callers without an event loop of ours."""

from anyio.from_thread import start_blocking_portal

from limen.core.web import Page, PageFormat
from limen.kit.process import Worker
from limen.reading import document
from limen.reading.reader import WorkerReader, is_small


def read(data: bytes | str, url: str = "", content_type: str | None = None, page_format: PageFormat = "markdown") -> Page:
    """Turn a document into Markdown, as `limen.reading.read` does, whatever its bytes do to who reads them.

    A small text is read here. Anything else is read in a process that is started for it, may use a limited time and memory,
    and costs 0.2 s; safe inside a running event loop, which waits. To read many files that one trusts, `limen.reading.read`
    does it in this process. Raises ToolFault `reading.*`, of which `reading.timeout`, `reading.memory` and `reading.crashed`
    say that a document was too much.
    """
    if is_small(data, url, content_type):
        return document.read(data, url, content_type, page_format)

    async def in_worker() -> Page:
        async with Worker() as worker:
            return await WorkerReader(worker).read(data, url=url, content_type=content_type, page_format=page_format)

    with start_blocking_portal() as portal:
        return portal.call(in_worker)
