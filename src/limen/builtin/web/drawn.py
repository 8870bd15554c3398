"""Pages that say little until their scripts have run: read again as a browser draws them."""

from typing import Literal

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Fault, Refusal
from limen.core.ports import Reader, Renderer
from limen.core.web import Page, PageFormat, RawFile, Shell

RENDERED = "The page was drawn by its scripts, in a browser."
_NEEDY = "reader.needs_browser"
_HTML = ("text/html", "application/xhtml+xml")
# Shells that are gone once a page's scripts have run, or may be. Nobody's consent is given, and no bot check is passed, in there.
_DRAWN_KINDS = frozenset({"consent", "cookies", "script"})
_OFF = Refusal("browser", "browser.render_off", "Scripts are not run (browser.render).", "limen config set browser.render auto")


class Drawn(msgspec.Struct, frozen=True):
    """The page to go on with; `because` says why the page as it came was none, where it was drawn anew for that."""

    page: Page
    because: str = ""
    by_browser: bool = False


class Drawing:
    """Has pages drawn where that helps, by what `mode` allows."""

    def __init__(self, reader: Reader, renderer: Renderer, mode: Literal["auto", "never", "always"]) -> None:
        self._reader = reader
        self._renderer = renderer
        self._mode = mode

    async def better(self, page: Page, given: RawFile, page_format: PageFormat, context: CallContext) -> Drawn:
        """The page as its scripts draw it where that says more; else as it came, with what stood in the way."""
        shell = page.shell
        wanting = shell is not None and (shell.code == _NEEDY or shell.kind in _DRAWN_KINDS)
        if not wanting and (self._mode != "always" or page.media_type not in _HTML):
            return Drawn(page)
        drawn = await self._drawn(given, page_format, context)
        if isinstance(drawn, Refusal):
            return Drawn(_explained(page, drawn))
        if not _says_more(drawn, page):
            return Drawn(_explained(page, None))
        return Drawn(drawn, shell.reason if shell is not None else "", by_browser=True)

    async def _drawn(self, given: RawFile, page_format: PageFormat, context: CallContext) -> Page | Refusal:
        if self._mode == "never":
            return _OFF
        got = await self._renderer.render(given, context)
        if isinstance(got, Refusal):
            return got
        markup = got.markup.encode("utf-8", "replace")
        try:
            page = await self._reader.read(markup, url=got.url, content_type="text/html; charset=utf-8", page_format=page_format)
        except Fault as fault:
            return Refusal("browser", fault.code, fault.reason, fault.mend)
        return msgspec.structs.replace(page, url=got.url, notices=(RENDERED, *got.notices, *page.notices))


def _says_more(drawn: Page, came: Page) -> bool:
    """Whether a drawn page is one, or at least another kind of shell than the one that came."""
    if drawn.shell is None or drawn.shell.partly:
        return True
    return came.shell is not None and not came.shell.partly and drawn.shell.code not in (came.shell.code, "reader.empty_page")


def _explained(page: Page, refusal: Refusal | None) -> Page:
    """The page as it came, whose shell says why no browser helped, and what would."""
    if page.shell is None:
        return page if refusal is None else msgspec.structs.replace(page, notices=(*page.notices, _told(refusal)))
    return msgspec.structs.replace(page, shell=_with(page.shell, refusal))


def _with(shell: Shell, refusal: Refusal | None) -> Shell:
    if refusal is None:
        return msgspec.structs.replace(shell, reason=f"{shell.reason} Running its scripts in a browser did not help.")
    mend = refusal.mend if shell.code == _NEEDY else ""
    return msgspec.structs.replace(shell, reason=f"{shell.reason} {_told(refusal)}", mend=mend)


def _told(refusal: Refusal) -> str:
    return f"It was not drawn in a browser: {refusal.reason} [{refusal.code}]"
