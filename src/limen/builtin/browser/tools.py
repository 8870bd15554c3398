"""The tools of the toolset `browser`: open, act, look at, picture. What acts on the world wants a person's consent."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from limen.builtin.browser.page import Act, Action, Seen, no_page
from limen.builtin.browser.rules import VetNamed
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import Origin, Treatment, Trust
from limen.core.message import Image, Text
from limen.core.ports import Shot
from limen.core.tool import Effect, Part, ToolAnswer, ToolSpec
from limen.core.untrusted import Nonce, defuse, fence

if TYPE_CHECKING:
    from limen.builtin.browser.browsers import Browsers

TOOLSET = "browser"


class OpenArguments(msgspec.Struct):
    """An address."""

    url: Annotated[str, msgspec.Meta(min_length=1, max_length=8_000)]


class ActArguments(msgspec.Struct):
    """What to do, and with which element."""

    action: Act
    ref: str = ""
    text: Annotated[str, msgspec.Meta(max_length=20_000)] = ""
    submit: bool = False


class NoArguments(msgspec.Struct):
    """Nothing."""


class BrowserOpen:
    """The tool `browser_open`: loads a page with its scripts and the session's cookies, so it sends."""

    def __init__(self, browsers: "Callable[[], Browsers]", vet: VetNamed, nonce: Nonce) -> None:
        self._browsers = browsers
        self._vet = vet
        self._nonce = nonce
        self.spec = _spec("browser_open", "Open a page in this session's browser and see its elements.", OpenArguments, "send")

    async def run(self, arguments: OpenArguments, context: CallContext) -> ToolAnswer:
        refusal = await self._vet(arguments.url, context)
        if refusal is not None:
            return _answer(refusal, self._nonce)
        tab = await self._browsers().tab(context.session)
        return _answer(tab if isinstance(tab, Refusal) else await tab.open(arguments.url), self._nonce)


class BrowserAct:
    """The tool `browser_act`: clicks, types, selects, scrolls."""

    def __init__(self, browsers: "Callable[[], Browsers]", nonce: Nonce) -> None:
        self._browsers = browsers
        self._nonce = nonce
        description = (
            "Act on the open page: click, type text into (submit presses Enter), select an option text of, or scroll to the "
            "element ref of the last snapshot; scroll without ref moves one window (text up: back)."
        )
        self.spec = _spec("browser_act", description, ActArguments, "send")

    async def run(self, arguments: ActArguments, context: CallContext) -> ToolAnswer:
        action = Action(arguments.action, arguments.ref, arguments.text, arguments.submit)
        tab = self._browsers().opened(context.session)
        return _answer(no_page() if tab is None else await tab.act(action), self._nonce)


class BrowserSnapshot:
    """The tool `browser_snapshot`."""

    def __init__(self, browsers: "Callable[[], Browsers]", nonce: Nonce) -> None:
        self._browsers = browsers
        self._nonce = nonce
        self.spec = _spec(
            "browser_snapshot", "See the open page's elements as a tree; ref names each for browser_act.", NoArguments
        )

    async def run(self, arguments: NoArguments, context: CallContext) -> ToolAnswer:
        tab = self._browsers().opened(context.session)
        return _answer(no_page() if tab is None else await tab.snapshot(), self._nonce)


class BrowserScreenshot:
    """The tool `browser_screenshot`: what of the page is in the window."""

    def __init__(self, browsers: "Callable[[], Browsers]", nonce: Nonce) -> None:
        self._browsers = browsers
        self._nonce = nonce
        self.spec = _spec("browser_screenshot", "See a picture of the open page's window.", NoArguments)

    async def run(self, arguments: NoArguments, context: CallContext) -> ToolAnswer:
        tab = self._browsers().opened(context.session)
        return _answer(no_page() if tab is None else await tab.screenshot(), self._nonce)


def _spec(name: str, description: str, arguments: type[msgspec.Struct], effect: Effect = "fetch") -> ToolSpec:
    return ToolSpec(name, TOOLSET, description, arguments, effect, output="verbatim")


def _answer(got: Seen | Shot | Refusal, nonce: Nonce) -> ToolAnswer:
    """A page's elements, fenced; or a picture with its address; or why not."""
    match got:
        case Refusal():
            part = Part(Text(_json({"error": got.published()})), Origin("tool", got.gate, Trust.TOOL))
            return ToolAnswer((part,), is_error=True, refusal=got)
        case Shot():
            origin = Origin("web", got.url, Trust.WEB, None, Treatment())
            told = {"url": got.url, "width": got.width, "height": got.height}
            return ToolAnswer(
                (Part(Text(_json(told)), origin), Part(Image("image/png", got.png, f"picture of {got.url}"), origin))
            )
        case Seen():
            document = {
                "url": got.url,
                "title": defuse(got.title),
                "status": got.status,
                "snapshot": fence(got.snapshot, nonce(), got.url),
                "notices": [defuse(notice) for notice in got.notices],
            }
            return ToolAnswer((Part(Text(_json(document)), Origin("web", got.url, Trust.WEB)),))


def _json(document: dict[str, Any]) -> str:
    return msgspec.json.encode(document).decode()
