"""Opening, following and searching by reference: every use passes the gates, and what was read keeps its line numbers."""

from functools import partial

import anyio
import msgspec
import pytest
from web.browse.rig import HITS, LINKS, TEXT, A, B, Engine, browsing, context, opened, page

from limen.core.fault import Refusal, StoreFault
from limen.core.ledger import Trust
from limen.core.ports import Redaction
from limen.core.refs import COMMAND_LINE
from limen.core.web import Link, SearchRequest
from limen.evidence.shelf import EvidenceShelf
from limen.web.browse.browser import MOST_CHARS, Browser
from limen.web.browse.handles import Handles

pytestmark = pytest.mark.anyio


class NoSecrets:
    def redact(self, text):
        return Redaction(text, 0)


async def searched(rig, where=None):
    where = where or context()
    answer = await rig.engine.search(SearchRequest("kettles"), where)
    return await rig.browser.handles.of_hits(answer, "search", where)


async def test_a_view_is_shown_again_as_it_was_read(tmp_path):
    async with browsing(tmp_path) as rig:
        first = await opened(rig, A)
        rig.site.pages[A] = page(A, "something else altogether, but long enough")
        again = await opened(rig, first.ref.name)
        assert (first.ref.name, again.ref) == ("turn0view0", first.ref)
        assert again.text == first.text == TEXT
        assert rig.site.asked == [A]
        assert "browse.kept" in [verdict.code for verdict in again.treatment.gates]
        found = await rig.browser.find(first.ref.name, "LINE 100  of", context())
        assert [line.line for line in found.lines] == [100]


async def test_an_address_is_read_anew_but_not_between_open_and_find_of_one_turn(tmp_path):
    async with browsing(tmp_path) as rig:
        first = await opened(rig, A)
        rig.site.pages[A] = page(A, "something else altogether, but long enough")
        found = await rig.browser.find(A, "line 7 ", context())
        assert (found.view.ref, found.lines[0].line) == (first.ref, 7)
        assert (await rig.browser.view(A, context(turn="t_2"))).text.startswith("something else")
        assert (await opened(rig, A)).ref.name == "turn0view1"


@pytest.mark.parametrize(
    ("stop", "code"),
    [
        (lambda rig: rig.blocked.write_text("a.example\n"), "policy.blocked"),
        (lambda rig: rig.blocked.write_text("b.example\n"), None),
    ],
)
async def test_a_host_blocked_since_is_refused_by_handle_too(tmp_path, stop, code):
    """A hit, a view, a link and a search in a view: none of them leads past the block-list."""
    async with browsing(tmp_path) as rig:
        hits = (await searched(rig)).hits
        view = await opened(rig, A)
        stop(rig)
        results = [
            await rig.browser.view(hits[0].ref_id, context()),
            await rig.browser.view(view.ref.name, context()),
            await rig.browser.find(view.ref.name, "line", context()),
            await rig.browser.click(view.ref.name, 1, context()),
        ]
        codes = [result.code if isinstance(result, Refusal) else None for result in results]
        assert codes == ([code] * 4 if code else [None, None, None, "policy.blocked"])


async def test_a_name_that_leads_inside_since_is_refused(tmp_path):
    async with browsing(tmp_path, answers={"a.example": [["93.184.216.34"], ["10.0.0.1"]]}) as rig:
        view = await opened(rig, A)
        assert (await rig.browser.view(view.ref.name, context())).code == "network.private_address"
        assert rig.site.asked == [A]


async def test_where_a_page_led_is_judged_again_as_well(tmp_path):
    async with browsing(tmp_path) as rig:
        rig.site.pages[A] = page(B, "led elsewhere, and long enough to count")
        view = await opened(rig, A)
        assert (view.ref.opens, view.ref.url) == (A, B)
        rig.blocked.write_text("b.example\n")
        assert (await rig.browser.view(view.ref.name, context())).code == "policy.blocked"


async def test_what_was_shown_under_a_handle_counts_as_shown(tmp_path):
    """Nobody has shown these addresses to the window itself: a hit's and a link's are known to the session all the same."""
    async with browsing(tmp_path, unseen="refuse") as rig:
        hits = (await searched(rig)).hits
        stranger = context(window_trust=Trust.WEB)
        assert (await rig.browser.view(A, stranger)).code == "permission.unseen_url"
        view = await opened(rig, hits[0].ref_id, stranger)
        followed = await rig.browser.click(view.ref.name, 1, stranger)
        assert followed.ref.url == B
        assert (await rig.browser.view(B, stranger)).code == "permission.unseen_url"


@pytest.mark.parametrize(
    ("number", "code"),
    [(0, "no_link"), (6, "no_link"), (-1, "no_link"), (2, "leads_nowhere"), (3, "leads_nowhere"), (4, "leads_nowhere")],
)
async def test_a_number_that_leads_to_no_page(tmp_path, number, code):
    async with browsing(tmp_path) as rig:
        view = await opened(rig, A)
        refusal = await rig.browser.click(view.ref.name, number, context())
        assert (refusal.code, bool(refusal.mend)) == (f"browse.{code}", True)


async def test_a_link_to_a_blocked_host_is_refused_and_a_blank_in_one_is_meant(tmp_path):
    async with browsing(tmp_path) as rig:
        view = await opened(rig, A)
        assert (await rig.browser.click(view.ref.name, 5, context())).code == "network.http_status"
        assert rig.site.asked[-1] == "https://blocked.example/x%20y"
        rig.blocked.write_text("blocked.example\n")
        assert (await rig.browser.click(view.ref.name, 5, context())).code == "policy.blocked"


async def test_unknown_handles_name_what_is_near(tmp_path):
    async with browsing(tmp_path) as rig:
        await searched(rig)
        refusal = await rig.browser.view("turn0search7", context())
        assert refusal.code == "browse.unknown_ref"
        assert "turn0search2" in refusal.detail["near"]
        assert "turn0search2" in refusal.mend
        assert (await rig.browser.view("Turn0Search0", context())).ref.url == A


async def test_another_sessions_handles_are_unknown_and_a_forks_are_its_own(tmp_path):
    async with browsing(tmp_path) as rig:
        view = await opened(rig, A)
        for key in ("z", COMMAND_LINE):
            assert (await rig.browser.view(view.ref.name, context(key))).code == "browse.unknown_ref"
        await rig.sessions.fork("s", "f")
        await rig.sessions.delete("s")
        assert (await rig.browser.view(view.ref.name, context("f"))).text == TEXT
        assert rig.site.asked == [A]


async def test_a_page_whose_kept_text_is_gone_is_read_anew_and_that_is_said(tmp_path):
    async with browsing(tmp_path) as rig:
        view = await opened(rig, A)
        await rig.evidence.purge(older_than_s=0, keep_bytes=0)
        rig.site.pages[A] = page(A, "the page as it is now, which is another one", *LINKS)
        again = await opened(rig, view.ref.name, context(turn="t_2"))
        assert again.ref.name == "turn1view0"
        assert again.text.startswith("the page as it is now")
        assert "turn0view0" in again.notices[0]


async def test_where_nothing_can_be_stored_things_are_shown_without_handles(tmp_path, caplog):
    class FullTable:
        async def note(self, session, turn, refs):
            raise StoreFault("store.full", "The disk is full.", "Make room.")

    async with browsing(tmp_path) as rig:
        handles = Handles(FullTable())
        answer = await handles.of_hits(await rig.engine.search(SearchRequest("x"), context()), "search", context())
        assert [hit.ref_id for hit in answer.hits] == ["", "", ""]
        view = await rig.browser.view(A, context())
        assert (await handles.of_view(view, context())).ref.name == ""
        assert "browse.not_noted" in caplog.text


async def test_a_page_that_cannot_be_kept_is_shown_and_read_anew_the_next_time(tmp_path, caplog):
    class FullStore:
        async def keep(self, text, **about):
            raise StoreFault("store.full", "The disk is full.", "Make room.")

    async with browsing(tmp_path) as rig:
        browser = Browser(rig.extractor, rig.library, EvidenceShelf(FullStore(), NoSecrets()), rig.browser.handles, rig.revisit)
        view = await browser.handles.of_view(await browser.view(A, context()), context())
        assert (view.text, view.ref.text_id, view.ref.name) == (TEXT, "", "turn0view0")
        assert (await browser.view(view.ref.name, context())).text == TEXT
        assert rig.site.asked == [A, A]
        assert "browse.not_kept" in caplog.text


async def test_a_document_of_the_library_is_read_as_it_is_now(tmp_path):
    async with browsing(tmp_path) as rig:
        hits = (await searched(rig)).hits
        view = await opened(rig, hits[1].ref_id)
        assert (view.ref.opens, view.ref.line, view.trust, view.folds) == ("lib:1", 2, Trust.WORKSPACE, False)
        rig.library.text = "changed"
        assert (await opened(rig, view.ref.name)).text == "changed"
        assert (await opened(rig, "lib:1")).ref.name == "turn0view0"
        assert (await rig.browser.click(view.ref.name, 1, context())).code == "browse.no_link"


@pytest.mark.parametrize(
    ("pattern", "code"), [("", "empty_pattern"), (" \n", "empty_pattern"), ("x" * 10_000, "pattern_too_long")]
)
async def test_patterns_that_cannot_be_looked_for(tmp_path, pattern, code):
    async with browsing(tmp_path) as rig:
        assert (await rig.browser.find(A, pattern, context())).code == f"browse.{code}"
        assert rig.site.asked == []


async def test_a_page_of_very_many_links(tmp_path):
    links = tuple(Link(n, f"link {n}", f"https://a.example/{n}") for n in range(1, 50_001))
    text = "\n".join(f"[link {link.n}]({link.url})" for link in links)
    async with browsing(tmp_path) as rig:
        rig.site.pages[A] = page(A, text, *links)
        view = await opened(rig, A)
        rig.site.pages["https://a.example/10000"] = page("https://a.example/10000", "deep down, and long enough to count")
        assert (await rig.browser.click(view.ref.name, 10_000, context())).text.startswith("deep down")
        assert (await rig.browser.click(view.ref.name, 10_001, context())).code == "browse.no_link"
        found = await rig.browser.find(view.ref.name, "[link 20000]", context())
        assert found.lines[0].text == "[link 20000](https://a.example/20000)"


async def test_a_huge_page_is_kept_as_far_as_there_is_room_and_that_is_said(tmp_path):
    async with browsing(tmp_path) as rig:
        rig.site.pages[A] = page(A, "a line of the page\n" * 200_000)
        view = await opened(rig, A)
        assert len(view.text) <= MOST_CHARS
        assert view.text.endswith("page")
        assert "3,800,000" in view.notices[0]


async def test_a_page_with_a_credential_in_it_is_kept_masked(tmp_path):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    async with browsing(tmp_path) as rig:
        rig.site.pages[A] = page(A, f"first line\nthe token is {token} here\nlast line of it")
        view = await opened(rig, A)
        again = await opened(rig, view.ref.name)
        assert token not in view.text
        assert (view.text, len(view.lines())) == (again.text, 3)


@pytest.mark.parametrize(("mode", "code"), [("off", "web.mode"), ("cached", None), ("indexed", None), ("live", None)])
async def test_what_is_kept_may_be_seen_unless_the_web_is_off(tmp_path, mode, code):
    async with browsing(tmp_path) as rig:
        view = await opened(rig, A)
    async with browsing(tmp_path, mode=mode) as rig:
        result = await rig.browser.view(view.ref.name, context())
        assert (result.code if isinstance(result, Refusal) else None) == code


async def test_many_open_at_once_and_each_gets_a_handle_of_its_own(tmp_path):
    async with browsing(tmp_path) as rig:
        urls = [f"https://a.example/{n}" for n in range(30)]
        rig.site.pages |= {url: page(url, f"page of {url}, long enough to count") for url in urls}
        names = {}

        async def one(url):
            names[url] = (await opened(rig, url)).ref.name

        async with anyio.create_task_group() as group:
            for url in urls:
                group.start_soon(partial(one, url))
        assert len(set(names.values())) == 30
        for url, name in names.items():
            assert (await rig.browser.view(name, context())).ref.url == url


async def test_pictures_have_handles_too(tmp_path):
    pictures = [msgspec.structs.replace(HITS[0], image_url="https://a.example/i.png", width=3, height=4)]
    async with browsing(tmp_path, engine=Engine(*pictures)) as rig:
        answer = await rig.engine.search(SearchRequest("x"), context())
        named = await rig.browser.handles.of_hits(answer, "image", context())
        assert named.hits[0].ref_id == "turn0image0"
        assert (await rig.browser.view("turn0image0", context())).ref.url == A


@pytest.mark.parametrize(
    "address", ["mailto:x@a.example", "JavaScript:alert(1)", "ftp://a.example/x", "data:text/html,hi", "gopher://x"]
)
async def test_an_address_of_another_kind_is_the_gates_affair_and_no_missing_file(tmp_path, address):
    async with browsing(tmp_path) as rig:
        assert (await rig.browser.view(address, context())).code == "network.scheme"
