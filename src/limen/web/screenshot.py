"""Pictures of pages: PDFs are fetched past the gates and drawn here, everything else wants a browser."""

from pathlib import Path
from typing import Protocol

import anyio.to_thread
import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict
from limen.core.ports import Library, Painter, Picture, Shot
from limen.core.web import RawFile
from limen.web.download import Downloader
from limen.web.named_file import bytes_of, path_of

MAX_PDF_BYTES = 50_000_000
PDF = "application/pdf"
# Where a PDF's header may stand; what lies before it readers skip (ISO 32000-1, annex H, note 13).
_HEADER_BYTES = 1_024
_SHOWN_BY_BROWSERS = ("text/", "image/", "application/xhtml+xml", "application/xml", "application/json")
_WEB = ("http://", "https://")


def is_pdf(body: bytes) -> bool:
    """Whether bytes are a PDF's, whatever their header or name says."""
    return b"%PDF-" in body[:_HEADER_BYTES]


class BrowserCamera(Protocol):
    """Pictures pages in a browser. The address passes the gates at each call, unless what stands behind it is `given`: that has
    passed them, and is not fetched again. Codes: those of `Screenshooter`, and `browser.*`."""

    async def shoot(self, url: str, page: int, context: CallContext, given: RawFile | None = None) -> Shot | Refusal: ...


class PageShooter:
    """The `Screenshooter` port: PDFs here, other pages by `browser` where there is one."""

    def __init__(self, downloader: Downloader, painter: Painter, browser: BrowserCamera | None = None) -> None:
        self._downloader = downloader
        self._painter = painter
        self._browser = browser

    async def shoot(self, url: str, page: int, context: CallContext) -> Shot | Refusal:
        """A picture of a page, or why there is none. What a server gives only to browsers is asked for again by one."""
        got = await self._downloader.download(url, context, max_bytes=MAX_PDF_BYTES)
        gates = got.passed if isinstance(got, Refusal) else got.gates
        if not isinstance(got, Refusal) and is_pdf(got.body):
            return _behind(gates, await self.painted(got.body, page, got.url))
        refusal = got if isinstance(got, Refusal) else _not_shown(got.media_type)
        if self._browser is not None and (refusal is None or refusal.code == "network.http_status"):
            given = (
                None if isinstance(got, Refusal) else RawFile(got.url, got.headers.get("content-type", got.media_type), got.body)
            )
            return _behind(gates, await self._browser.shoot(given.url if given else url, page, context, given))
        return _behind(gates, refusal or _NEEDS_BROWSER)

    async def painted(self, data: bytes, page: int, url: str) -> Shot | Refusal:
        """A picture of a PDF's page."""
        drawn = await self._painter.paint(data, page)
        if not isinstance(drawn, Picture):
            return drawn
        return Shot(drawn.png, drawn.width, drawn.height, drawn.page, drawn.pages, PDF, url)


def _behind(gates: tuple[GateVerdict, ...], shot: Shot | Refusal) -> Shot | Refusal:
    """A picture, or why there is none, with the gates that its address passed before anybody could draw it."""
    if isinstance(shot, Refusal):
        return msgspec.structs.replace(shot, passed=gates)
    return msgspec.structs.replace(shot, gates=gates)


class ReferenceShooter:
    """Pictures what a person names: an address, a PDF on disk, a document of the library."""

    def __init__(self, shooter: PageShooter, library: Library) -> None:
        self._shooter = shooter
        self._library = library

    async def shoot(self, ref: str, page: int, context: CallContext) -> Shot | Refusal:
        """The picture behind a reference. Raises ToolFault where it names nothing."""
        origin = ref
        if ref.startswith("lib:"):
            document, _text = await self._library.open(ref)
            origin = document.origin
        if origin.startswith(_WEB):
            return await self._shooter.shoot(origin, page, context)
        return await self._of_file(path_of(origin), page)

    async def _of_file(self, path: Path, page: int) -> Shot | Refusal:
        data = await anyio.to_thread.run_sync(bytes_of, path, MAX_PDF_BYTES)
        if not is_pdf(data):
            reason = f"{path} is no PDF; of files on disk only PDFs can be pictured."
            return Refusal("screenshot", "screenshot.unsupported", reason, f"limen open {path}")
        return await self._shooter.painted(data, page, path.as_uri())


def _not_shown(media_type: str) -> Refusal | None:
    """Why no browser shows a file of that type, or None."""
    if not media_type or media_type.startswith(_SHOWN_BY_BROWSERS):
        return None
    reason = f"There is no picture of a file of type {media_type}."
    return Refusal("screenshot", "screenshot.unsupported", reason, "Name a PDF or a page.")


_NEEDS_BROWSER = Refusal(
    "screenshot",
    "screenshot.needs_browser",
    "A picture of a web page takes a browser, and the extra `browser` is not installed; PDFs are pictured without it.",
    "pip install 'limen-agent[browser]'",
)
