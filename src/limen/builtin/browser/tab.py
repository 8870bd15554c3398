"""One session's page in a browser: opened, looked at, acted on. What it asks for is judged on the way out."""

import re
import struct
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import anyio
from playwright.async_api import BrowserContext, Dialog, Error, Locator, Page, Request, Response, Route, WebSocketRoute
from playwright.async_api import TimeoutError as TookTooLong

from limen.builtin.browser.admission import Admission
from limen.builtin.browser.drawing import drawn, settled
from limen.builtin.browser.failure import explained, notices_of
from limen.builtin.browser.page import Action, Seen, no_page
from limen.builtin.browser.rules import BrowserRules, Judges
from limen.core.fault import Refusal
from limen.core.ports import Rendered, Shot
from limen.core.web import RawFile
from limen.net.checking_proxy import Blocked, CheckingProxy

_WEB = ("http://", "https://")
# What a page is made of without asking anybody.
_INLINE = ("about:", "blob:", "data:")
# What the browser's own viewers are made of.
_OWN = ("chrome:", "chrome-extension:", "chrome-untrusted:")
_REF = re.compile(r"(?:f\d{1,4})?e\d{1,6}")
_MOST_PAGES = 4
_MOST_INTERRUPTIONS = 3
_INTERRUPTED_S = 0.1
_SETTLE_S = 2.0
_WHOLE_S = 10.0
_REMEMBERED = 200
_BLANK = "about:blank"
_ERROR_PAGE = "chrome-error:"
# A page that opens another one tells of it a moment later.
_POPUP_S = 0.1

T = TypeVar("T")


class Tab:
    """A browser's current page. Pages that it opens take its place; what it asks a person (dialogs) is dismissed and told."""

    def __init__(
        self, context: BrowserContext, proxy: CheckingProxy, admission: Admission, judges: Judges, rules: BrowserRules
    ) -> None:
        self._context = context
        self._proxy = proxy
        self._admission = admission
        self._judges = judges
        self._timeout_ms = rules.timeout_s * 1_000
        self._limit_chars = rules.snapshot_chars
        self._refused: deque[Blocked] = deque(maxlen=_REMEMBERED)
        self._said: list[str] = []
        self._page: Page | None = None
        self._adopted = anyio.Event()
        self._given: RawFile | None = None

    async def prepare(self) -> None:
        """Stand before everything that pages ask for. Called once, before the first page."""
        self._context.set_default_timeout(self._timeout_ms)
        await self._context.route("**/*", self._judge)
        await self._context.route_web_socket("**/*", _close_socket)
        self._context.on("request", self._redirected)
        self._context.on("page", self._adopt)
        for page in self._context.pages:
            await self._adopt(page)

    async def open(self, url: str, given: RawFile | None = None) -> Seen | Refusal:
        """Go to an address that has passed the gates; what was fetched from there and is `given` is not asked for again."""
        page = await self._for(given)
        return await self._done(page, lambda: self._go(page, url), self._seen, url)

    async def render(self, given: RawFile, limit_chars: int) -> Rendered | Refusal:
        """A page that was fetched, as its scripts draw it."""
        page = await self._for(given)
        return await self._done(
            page, lambda: self._go(page, given.url), lambda page, _: self._drawn(page, limit_chars), given.url
        )

    async def act(self, action: Action) -> Seen | Refusal:
        """Do something with the page, and see what became of it."""
        page = self._shown()
        if page is None:
            return no_page()
        if action.do != "scroll" and not _REF.fullmatch(action.ref):
            return _unknown(action.ref)
        credential = self._judges.typed(action.text) if action.do == "type" else None
        self._forget()
        if credential is not None:
            return credential
        return await self._done(page, lambda: self._act(page, action), self._seen)

    async def snapshot(self) -> Seen | Refusal:
        """The page as it is now."""
        page = self._shown()
        return no_page() if page is None else await self._done(page, _nothing, self._seen)

    async def screenshot(self) -> Shot | Refusal:
        """What of the page is in the window, as PNG."""
        page = self._shown()
        if page is None:
            return no_page()
        try:
            png = await page.screenshot(type="png", timeout=self._timeout_ms)
        except Error as error:
            return explained(error, page.url, self._refused)
        width, height = struct.unpack_from(">II", png, 16)
        return Shot(png, width, height, 1, 1, "text/html", page.url)

    async def _for(self, given: RawFile | None) -> Page:
        """The page to go on with to another address."""
        page = self._page = self._page or await self._context.new_page()
        self._given = given
        self._forget()
        return page

    def _forget(self) -> None:
        """What was refused and said belongs to the act before."""
        for one in (self._refused, self._proxy.blocked, self._said):
            one.clear()

    def _shown(self) -> Page | None:
        page = self._page
        return page if page is not None and not page.is_closed() and page.url.startswith(_WEB) else None

    async def _done(
        self,
        page: Page,
        do: Callable[[], Awaitable[int | Refusal | None]],
        look: Callable[[Page, int | None], Awaitable[T]],
        to: str = "",
    ) -> T | Refusal:
        """Do it, let the page settle, judge where it has led, and look at it. `to` is the address that it goes to."""
        url = to or page.url
        try:
            status = await do()
            if isinstance(status, Refusal):
                return status
            page = await self._came_to(page)
            await settled(page, _SETTLE_S)
            refusal = await self._astray(page)
            if refusal is None:
                return await look(page, status)
            with suppress(Error):
                await page.go_back(wait_until="commit")
            return refusal
        except Error as error:
            if isinstance(error, TookTooLong):
                await self._leave_if_hung(page)
            return explained(error, url, [*self._proxy.blocked, *self._refused])

    async def _leave_if_hung(self, page: Page) -> None:
        """A page whose script never ends would hang the next one of its site with it: that one begins in a new window."""
        with anyio.move_on_after(_SETTLE_S) as waiting, suppress(Error):
            await page.evaluate("1")
        if waiting.cancelled_caught:
            with suppress(Error), anyio.move_on_after(_SETTLE_S):
                await self._context.new_page()  # takes its place, see `_adopt`
                await page.close()

    async def _came_to(self, page: Page) -> Page:
        """The page that stands in front now; a new window without a page of its own is closed."""
        self._adopted = anyio.Event()
        await anyio.sleep(_POPUP_S)
        if self._page is page and await self._opening():
            with anyio.move_on_after(_WHOLE_S):
                await self._adopted.wait()
        newest = self._page
        if newest is None or newest is page or newest.is_closed():
            self._page = page
            return page
        if not newest.url.startswith(_WEB):
            with suppress(TookTooLong):
                await newest.wait_for_url(
                    lambda url: url.startswith((*_WEB, _ERROR_PAGE)), wait_until="commit", timeout=_WHOLE_S * 1_000
                )
        if newest.url == _BLANK:
            self._page = page
            await newest.close()
            return page
        return newest

    async def _opening(self) -> bool:
        """Whether the browser has a window that nobody has told of yet."""
        browser = self._context.browser
        if browser is None:
            return False
        session = await browser.new_browser_cdp_session()
        told = await session.send("Target.getTargets")
        await session.detach()
        windows = [target for target in told["targetInfos"] if target["type"] == "page"]
        return len(windows) > len(self._context.pages)

    async def _astray(self, page: Page) -> Refusal | None:
        """Why the page that the browser has come to is not shown, or None."""
        if page.url.startswith(_WEB):
            own_word = next((one.refusal for one in self._proxy.blocked if one.url == page.url), None)
            return own_word or await self._judges.navigation(page.url)
        blocked = [*self._proxy.blocked, *self._refused]
        if page.url.startswith(_ERROR_PAGE) and blocked:
            return blocked[-1].refusal
        return Refusal("browser", "browser.failed", "The browser could not load the page.", "Try another way.")

    async def _go(self, page: Page, url: str) -> int | None:
        response = await self._gone(page, url)
        with suppress(TookTooLong):  # a page that is never whole is looked at as it is
            await page.wait_for_load_state("domcontentloaded", timeout=min(self._timeout_ms, _WHOLE_S * 1_000))
        if response is None:
            return None
        if response.headers.get("content-type", "").lower().startswith("application/pdf"):
            self._said.append("This is a PDF, which has no elements in a browser; web_extract reads it.")
        return response.status

    async def _gone(self, page: Page, url: str) -> Response | None:
        """Go there, again where the page before was still on its way elsewhere."""
        for _ in range(_MOST_INTERRUPTIONS):
            try:
                return await page.goto(url, wait_until="commit")
            except Error as error:
                if "interrupted by another navigation" not in error.message:
                    raise
            await anyio.sleep(_INTERRUPTED_S)
        return await page.goto(url, wait_until="commit")

    async def _act(self, page: Page, action: Action) -> Refusal | None:
        if action.do == "scroll" and not action.ref:
            height = (page.viewport_size or {"height": 800})["height"]
            await page.mouse.wheel(0, -height if action.text == "up" else height)
            return None
        element = page.locator(f"aria-ref={action.ref}")
        if not await _there(element):
            return _unknown(action.ref)
        match action.do:
            case "click":
                await element.click()
            case "type":
                await element.fill(action.text)
                if action.submit:
                    await element.press("Enter")
            case "select":
                await element.select_option(action.text)
            case "scroll":
                await element.scroll_into_view_if_needed()
        return None

    async def _seen(self, page: Page, status: int | None) -> Seen:
        tree = await page.aria_snapshot(mode="ai")
        end = len(tree) if len(tree) <= self._limit_chars else tree.rfind("\n", 0, self._limit_chars) + 1 or self._limit_chars
        shown = tree[:end]
        left = [f"The page has {len(tree) - len(shown):,} more characters of elements."] if len(shown) < len(tree) else []
        notices = (*self._said, *left, *notices_of([*self._refused, *self._proxy.blocked]))
        return Seen(page.url, await page.title(), shown, status, notices)

    async def _drawn(self, page: Page, limit_chars: int) -> Rendered:
        markup, notices = await drawn(page, limit_chars)
        return Rendered(page.url, markup, (*notices, *self._said, *notices_of([*self._refused, *self._proxy.blocked])))

    async def _judge(self, route: Route) -> None:
        request = route.request
        refusal = await self._judged(request)
        given = self._given
        with suppress(Error):  # the page has gone meanwhile
            if refusal is None and given is not None and request.url == given.url and request.is_navigation_request():
                self._given = None
                await route.fulfill(body=given.body, content_type=given.media_type or "text/html")
            elif refusal is None:
                await route.continue_()
            else:
                await route.abort("blockedbyclient")

    async def _redirected(self, request: Request) -> None:
        """Redirects pass no route; the proxy waits for this word of them."""
        if request.redirected_from is not None:
            await self._judged(request)

    async def _judged(self, request: Request) -> Refusal | None:
        """Whether a page may ask for this; where it may, the proxy lets its host through."""
        url = request.url
        if url.startswith(_INLINE):
            return None
        if not url.startswith(_WEB):
            refusal: Refusal | None = Refusal(
                "network", "network.scheme", "only http and https are browsed", "name a web address"
            )
        elif request.is_navigation_request():
            refusal = await self._judges.navigation(url)
        else:
            refusal = await self._judges.resource(url)
        if refusal is None:
            self._admission.admit(url)
        elif not url.startswith(_OWN):
            self._refused.append(Blocked(url, refusal))
        return refusal

    async def _adopt(self, page: Page) -> None:
        self._page = page
        self._adopted.set()
        page.on("dialog", self._answer)
        page.on("download", lambda _download: self._said.append("A download was refused."))
        for old in self._context.pages[:-_MOST_PAGES]:
            with suppress(Error):
                await old.close()

    async def _answer(self, dialog: Dialog) -> None:
        if dialog.type == "beforeunload":  # a no would keep the browser on the page for good
            with suppress(Error):
                await dialog.accept()
            return
        self._said.append(f"The page asked something and was told no ({dialog.type}).")
        with suppress(Error):
            await dialog.dismiss()


def _unknown(ref: str) -> Refusal:
    reason = f"The page has no element {ref[:40]!r} now."
    return Refusal("browser", "browser.unknown_ref", reason, "Take a reference such as e12 of a new browser_snapshot.")


async def _there(element: Locator) -> bool:
    try:
        return await element.count() > 0
    except Error as error:
        if "aria-ref" in error.message:  # the frame it was in is gone
            return False
        raise


async def _nothing() -> int | None:
    return None


async def _close_socket(socket: WebSocketRoute) -> None:
    with suppress(Error):
        await socket.close(code=1008, reason="no sockets here")
