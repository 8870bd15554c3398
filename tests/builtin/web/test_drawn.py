"""Which pages are drawn by a browser, and what becomes of those that no browser helps."""

import pytest

from limen.builtin.web.drawn import RENDERED, Drawing
from limen.core.context import CallContext
from limen.core.fault import Refusal, ToolFault
from limen.core.ports import Rendered
from limen.core.web import Page, RawFile
from limen.reading.document import read

pytestmark = pytest.mark.anyio
URL = "https://app.example/x"
GIVEN = RawFile(URL, "text/html", b"")
SPA = "<title>App</title><div id=root></div><script src=a.js></script>"
ARTICLE = f"<h1>Harbour</h1><p>{'The harbour was dredged last spring. ' * 9}</p>"
REDIRECT = "<script>location = 'https://other.example/'</script>"
CONSENT = "<h1>Before you continue</h1><p>We use cookies. Accept all or reject all.</p><form action=//consent.example/s></form>"
CAPTCHA = "<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"
LOGIN = "<title>Log in</title><h1>Log in</h1><form><input type=password></form><p>Forgot your password?</p>"


class Reads:
    """The reader, which may have had enough."""

    def __init__(self, fault=None):
        self.fault = fault

    async def read(self, data, *, url="", content_type=None, page_format="markdown"):
        if self.fault:
            raise self.fault
        return read(data, url, content_type, page_format)


class Draws:
    """A browser that draws the same for every page."""

    def __init__(self, drawn):
        self.drawn = drawn
        self.asked = []

    async def render(self, given, _context):
        self.asked.append(given.url)
        return self.drawn if isinstance(self.drawn, Refusal) else Rendered(URL + "#drawn", self.drawn, ("A host was refused.",))


async def better(source, drawn=ARTICLE, mode="auto", fault=None, media="text/html"):
    browser = Draws(drawn)
    page = read(source.encode(), URL, media)
    return await Drawing(Reads(fault), browser, mode).better(page, GIVEN, "markdown", CallContext()), browser.asked


@pytest.mark.parametrize("source", [SPA, REDIRECT, CONSENT])
async def test_what_scripts_draw_is_read_and_said(source):
    drawn, asked = await better(source)
    assert drawn.by_browser
    assert asked == [URL]
    assert "dredged" in drawn.page.text
    assert drawn.page.url == URL + "#drawn"
    assert drawn.page.notices[:2] == (RENDERED, "A host was refused.")
    assert drawn.because


@pytest.mark.parametrize("source", [ARTICLE, CAPTCHA, LOGIN, "<meta http-equiv=refresh content='9;url=/b'>", "<p></p>"])
async def test_a_page_that_no_script_would_draw_is_taken_as_it_came(source):
    drawn, asked = await better(source)
    assert (drawn.by_browser, asked, drawn.because) == (False, [], "")


async def test_all_pages_are_drawn_where_that_is_wished():
    drawn, asked = await better("<p>Bare.</p>", mode="always")
    assert asked == [URL]
    assert (drawn.by_browser, drawn.because) == (True, ""), "no page was rescued"
    assert (await better("{}", mode="always", media="application/json"))[1] == []


async def test_where_none_may_be_drawn_the_setting_is_named():
    drawn, asked = await better(SPA, mode="never")
    assert asked == []
    assert drawn.page.shell.code == "reader.needs_browser"
    assert drawn.page.shell.mend == "limen config set browser.render auto"


async def test_what_is_missing_is_named_with_the_command():
    missing = Refusal(
        "browser", "browser.not_installed", "The extra `browser` is not installed.", "pip install 'limen-agent[browser]'"
    )
    drawn, _ = await better(SPA, missing)
    assert drawn.page.shell.mend == "pip install 'limen-agent[browser]'"
    assert "[browser.not_installed]" in drawn.page.shell.reason
    drawn, _ = await better(CONSENT, missing)
    assert (drawn.page.shell.kind, drawn.page.shell.mend) == ("consent", ""), "a wall has ways around of its own"
    drawn, _ = await better("<p>Bare.</p>", missing, mode="always")
    assert drawn.page.text == "Bare."
    assert "[browser.not_installed]" in drawn.page.notices[0]


@pytest.mark.parametrize("drawn_as", [SPA, "<p></p>"])
async def test_a_browser_that_does_not_help_is_said(drawn_as):
    drawn, _ = await better(SPA, drawn_as)
    assert not drawn.by_browser
    assert drawn.page.shell.code == "reader.needs_browser"
    assert drawn.page.shell.reason.endswith("Running its scripts in a browser did not help.")


async def test_the_wall_that_scripts_draw_is_what_is_told():
    drawn, _ = await better(SPA, LOGIN)
    assert (drawn.page.shell.code, drawn.page.shell.kind) == ("reader.wall", "login")


async def test_part_of_a_page_is_not_given_up_for_a_wall():
    slogan = "Kettles, pans and pots from the valley, made by hand since 1921, and sent to every town."
    partly = f"<h1>Shop</h1><p>{slogan}</p><div id=app></div><script>{'x' * 60_000}</script>"
    drawn, asked = await better(partly, CAPTCHA)
    assert asked == [URL]
    assert slogan in drawn.page.text
    assert drawn.page.shell.partly
    assert "dredged" in (await better(partly))[0].page.text


async def test_what_cannot_be_read_of_it_is_the_reason():
    drawn, _ = await better(SPA, fault=ToolFault("reading.timeout", "took too long", "less"))
    assert "[reading.timeout]" in drawn.page.shell.reason


async def test_no_page_is_lost():
    drawn, _ = await better(SPA, "")
    assert isinstance(drawn.page, Page)
