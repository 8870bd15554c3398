"""The `Reader` port: small texts are read in a thread, large ones and other files in a worker process, within a time limit."""

import anyio
import anyio.to_thread
import msgspec

from limen.core.fault import ToolFault
from limen.core.web import Page, PageFormat
from limen.kit.process import Worker, WorkerCrashed, WorkerFailed, WorkerOutOfMemory, WorkerTimedOut
from limen.reading.document import read
from limen.reading.media import binary_type, is_pdf

# A page of this size takes about 10 ms, during which the event loop stands still; a child's start takes ten times that.
INLINE_LIMIT_BYTES = 256_000
# The worker's own limit is what the largest pages and texts need. A PDF of 350 pages takes 65 MB, and few bytes of one can
# unpack to gigabytes: it gets six times that, and four times its size for itself on its way through.
_PDF_LIMIT_BYTES = 384 << 20
_PDF_SHARE = 4


class Failed(msgspec.Struct, frozen=True):
    """A ToolFault on its way between processes: exceptions with several arguments do not survive pickling."""

    code: str
    reason: str
    mend: str


def read_or_fail(data: bytes | str, url: str, content_type: str | None, page_format: PageFormat) -> Page | Failed:
    """`read`, with its fault as a value; runs in the worker's child."""
    try:
        return read(data, url, content_type, page_format)
    except ToolFault as fault:
        return Failed(fault.code, fault.reason, fault.mend)


class WorkerReader:
    """Reads documents away from the event loop.

    Raises ToolFault `reading.*` only: those of `read`, `reading.timeout` after `timeout_s`, `reading.memory` and
    `reading.crashed` where a document was too much for its process.
    """

    def __init__(self, worker: Worker, *, timeout_s: float = 20.0, inline_limit_bytes: int = INLINE_LIMIT_BYTES) -> None:
        self._worker = worker
        self._timeout_s = timeout_s
        self._inline_limit_bytes = inline_limit_bytes

    async def read(
        self, data: bytes | str, *, url: str = "", content_type: str | None = None, page_format: PageFormat = "markdown"
    ) -> Page:
        """Turn a document into Markdown; see `limen.reading.document.read`."""
        if is_small(data, url, content_type, self._inline_limit_bytes):
            return await self._inline(data, url, content_type, page_format)
        of_pdf = isinstance(data, bytes) and is_pdf(data, content_type)
        limit_bytes = _PDF_LIMIT_BYTES + _PDF_SHARE * len(data) if of_pdf else 0
        try:
            outcome = await self._worker.run(
                read_or_fail, data, url, content_type, page_format, timeout_s=self._timeout_s, memory_limit_bytes=limit_bytes
            )
        except WorkerTimedOut as error:
            raise self._timeout(len(data)) from error
        except (MemoryError, WorkerOutOfMemory) as error:
            raise _beyond(len(data), "reading.memory", "needed more memory than a reader may use") from error
        except WorkerCrashed as error:
            raise _beyond(len(data), "reading.crashed", f"ended its reader's process (status {error.status})") from error
        except WorkerFailed as error:
            raise _beyond(len(data), "reading.crashed", f"broke its reader: {error}") from error
        if isinstance(outcome, Failed):
            raise ToolFault(outcome.code, outcome.reason, outcome.mend)
        return outcome

    async def _inline(self, data: bytes | str, url: str, content_type: str | None, page_format: PageFormat) -> Page:
        try:
            with anyio.fail_after(self._timeout_s):
                return await anyio.to_thread.run_sync(read, data, url, content_type, page_format, abandon_on_cancel=True)
        except TimeoutError as error:
            raise self._timeout(len(data)) from error

    def _timeout(self, size: int) -> ToolFault:
        return _beyond(size, "reading.timeout", f"took longer than {self._timeout_s:g} s to read")


def is_small(data: bytes | str, url: str, content_type: str | None, limit_bytes: int = INLINE_LIMIT_BYTES) -> bool:
    """Whether this is a text that takes no process of its own; what is none is unpacked, or read by native code."""
    if len(data) > limit_bytes:
        return False
    return isinstance(data, str) or not (is_pdf(data, content_type) or binary_type(data, content_type, url))


def _beyond(size: int, code: str, what: str) -> ToolFault:
    return ToolFault(code, f"this document of {size:,} bytes {what}", "read a part of it, or another page on the subject")
