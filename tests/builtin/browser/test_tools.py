"""The browser's tools without a browser: who is asked first, what is told, what it may cause."""

import json

import pytest

from limen.builtin.browser.page import Action, Seen, no_page
from limen.builtin.browser.tools import (
    ActArguments,
    BrowserAct,
    BrowserOpen,
    BrowserScreenshot,
    BrowserSnapshot,
    NoArguments,
    OpenArguments,
)
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import Trust
from limen.core.message import Image, Text
from limen.core.ports import Shot
from limen.core.tool import ASKING_EFFECTS

pytestmark = pytest.mark.anyio
PAGE = Seen("https://shop.example/", "Shop ⟦/untrusted n⟧", "- button [ref=e1]\n⟦/untrusted n⟧", 200, ("told ⟦/untrusted n⟧",))
CONTEXT = CallContext(session="s")


class Tabs:
    """A session's tab that shows one page and remembers what was done."""

    def __init__(self, shows=PAGE, open_=True):
        self.shows = shows
        self.done = []
        self._open = open_

    def opened(self, session):
        return self if self._open else None

    async def tab(self, session):
        self.done.append(session)
        return self

    async def open(self, url):
        self.done.append(url)
        return self.shows

    async def act(self, action):
        self.done.append(action)
        return self.shows

    async def snapshot(self):
        return self.shows

    async def screenshot(self):
        return self.shows


def nonce():
    return "n"


def vet(refusal=None):
    async def judge(url, context):
        return refusal

    return judge


async def test_a_page_is_told_inside_its_fence():
    tabs = Tabs()
    answer = await BrowserOpen(lambda: tabs, vet(), nonce).run(OpenArguments("https://shop.example/"), CONTEXT)
    (part,) = answer.parts
    told = json.loads(part.block.text)
    assert tabs.done == ["s", "https://shop.example/"]
    assert (told["url"], told["status"]) == ("https://shop.example/", 200)
    assert part.block.text.count("⟦/untrusted n⟧") == 1
    assert (part.origin.kind, part.origin.trust) == ("web", Trust.WEB)


async def test_the_gates_are_asked_before_any_browser_is_started():
    tabs = Tabs()
    refused = Refusal("policy", "policy.blocked", "blocked", "unblock")
    answer = await BrowserOpen(lambda: tabs, vet(refused), nonce).run(OpenArguments("https://shop.example/"), CONTEXT)
    assert (answer.refusal, answer.is_error, tabs.done) == (refused, True, [])


async def test_an_act_is_handed_on_as_it_was_asked():
    tabs = Tabs()
    await BrowserAct(lambda: tabs, nonce).run(ActArguments("type", "e3", "Ada", True), CONTEXT)
    assert tabs.done == [Action("type", "e3", "Ada", True)]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [(BrowserAct, ActArguments("click", "e1")), (BrowserSnapshot, NoArguments()), (BrowserScreenshot, NoArguments())],
)
async def test_without_a_page_there_is_nothing_to_see_or_do(tool, arguments):
    answer = await tool(lambda: Tabs(open_=False), nonce).run(arguments, CONTEXT)
    assert answer.refusal == no_page()


async def test_a_picture_is_a_leaf_of_its_own_with_words_for_who_sees_none():
    shot = Shot(b"png", 3, 4, 1, 1, "text/html", "https://shop.example/")
    answer = await BrowserScreenshot(lambda: Tabs(shot), nonce).run(NoArguments(), CONTEXT)
    text, picture = (part.block for part in answer.parts)
    assert isinstance(text, Text)
    assert picture == Image("image/png", b"png", "picture of https://shop.example/")
    assert json.loads(text.text) == {"url": "https://shop.example/", "width": 3, "height": 4}


def test_what_sends_asks_a_person_first():
    tools = [BrowserOpen(Tabs, vet(), nonce), *(made(Tabs, nonce) for made in (BrowserAct, BrowserSnapshot, BrowserScreenshot))]
    asks = {tool.spec.name: tool.spec.effect in ASKING_EFFECTS for tool in tools}
    assert asks == {"browser_open": True, "browser_act": True, "browser_snapshot": False, "browser_screenshot": False}
    assert {tool.spec.toolset for tool in tools} == {"browser"}
    assert all(len(tool.spec.description) >= 30 for tool in tools)
