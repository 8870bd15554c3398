"""Sites read into a library: what is read, what is left out and why, and what the next round does."""

import gzip
from pathlib import Path

import anyio
import pytest
from web.library.crawl.site import page, redirect, reply, site, sitemap, text_of

from limen.core.web import SearchRequest
from limen.testing.network import Received
from limen.web.library.roots import Wishes

pytestmark = pytest.mark.anyio
CRAWL = Wishes(crawl=True)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "limen.db"


async def test_a_sitemap_brings_its_pages(database: Path) -> None:
    async with site(database, {"/a": page("Alpha"), "/b": page("Beta"), "/private/c": page("Gamma")}) as here:
        inner = sitemap(here.server, "/a", "/b", "/private/c", "/none").partition(b"\r\n\r\n")[2]
        index = f"<sitemapindex><sitemap><loc>{here.server.url('/1.xml.gz')}</loc></sitemap>"
        index += "<sitemap><loc>http://other.test/2.xml</loc></sitemap></sitemapindex>"
        here.server.routes |= {
            "/sitemap.xml": reply(index), "/1.xml.gz": reply(gzip.compress(inner)),
            "/robots.txt": reply("User-agent: *\nDisallow: /private\n"),
        }  # fmt: skip
        report = await here.index.add([here.server.url("/sitemap.xml")])
        assert (report.added, report.failed, report.refusal) == (2, 0, None)
        assert report.skipped == {"robots": 1, "not_there": 1}
        assert await here.origins() == ["/a", "/b"]
        hit = (await here.index.search(SearchRequest("Where does Alpha keep its granite?"))).hits[0]
        assert hit.url.startswith(here.server.url("/a"))
        assert "/private/c" not in here.asked()
        (source,) = await here.index.sources()
        assert (source.kind, source.documents, source.finished, source.failed) == ("sitemap", 2, True, 0)


async def test_links_are_followed_below_the_path_and_no_further(database: Path) -> None:
    routes = {
        "/docs/": page("Start", "a", "/docs/b?utm_source=menu", "/blog/x", "http://other.test/", "a.zip", "b#part"),
        "/docs/a": page("Alpha", "c", "./", "/docs/index.html", "http://127.0.0.1:1/docs/z"),
        "/docs/b": page("Beta"), "/docs/c": page("Gamma", "deep/d"), "/docs/e": page("E"),
        "/docs/deep/d": page("Delta", "/docs/e"),
    }  # fmt: skip
    async with site(database, routes) as here:
        report = await here.index.add([here.server.url("/docs/")], wishes=Wishes(crawl=True, most_depth=3))
        assert await here.origins() == ["/docs/", "/docs/a", "/docs/b", "/docs/c", "/docs/deep/d"]
        assert here.asked() == ["/docs/", "/docs/a", "/docs/b", "/docs/c", "/docs/deep/d"]
        assert report.skipped == {"too_deep": 1}


async def test_a_site_s_own_sitemap_finds_what_no_link_leads_to(database: Path) -> None:
    async with site(database, {"/docs/": page("Start"), "/docs/lone": page("Lone"), "/blog": page("Blog")}) as here:
        here.server.routes["/map.xml"] = sitemap(here.server, "/docs/lone", "/blog")
        here.server.routes["/robots.txt"] = reply(f"Sitemap: {here.server.url('/map.xml')}")
        await here.index.add([here.server.url("/docs/")], wishes=CRAWL)
        assert await here.origins() == ["/docs/", "/docs/lone"]


async def test_an_endless_calendar_ends(database: Path) -> None:
    async def month(request: Received, stream: anyio.abc.ByteStream) -> None:
        number = int(request.target.rpartition("=")[2])
        await stream.send(page(f"Month {number}", f"/cal?m={number + 1}", f"/cal?m={number + 2}", f"/cal?m={number + 3}"))

    async with site(database, {"/": page("Start", "/cal?m=1"), "/cal": month}) as here:
        report = await here.index.add([here.server.url("/")], wishes=Wishes(crawl=True, most_depth=100))
        assert report.added == 41
        assert report.skipped["trap"] > 0


async def test_paths_that_only_grow_end(database: Path) -> None:
    async def echo(request: Received, stream: anyio.abc.ByteStream) -> None:
        await stream.send(page(f"At {request.path}", "loop/", "turn/"))

    async with site(database, {"*": echo, "/robots.txt": reply("", status=404), "/sitemap.xml": reply("", status=404)}) as here:
        report = await here.index.add([here.server.url("/x/")], wishes=Wishes(crawl=True, most_depth=100))
        assert 5 < report.added < 40


async def test_the_limit_of_pages_holds_and_a_higher_one_goes_on(database: Path) -> None:
    names = [f"p{number}" for number in range(12)]
    routes = {f"/{name}": page(name) for name in names}
    async with site(database, routes) as here:
        here.server.routes["/sitemap.xml"] = sitemap(here.server, *(f"/{name}" for name in names))
        url = here.server.url("/sitemap.xml")
        report = await here.index.add([url], wishes=Wishes(most_pages=5))
        assert (report.added, report.skipped) == (5, {"over_limit": 7})
        here.asked()
        report = await here.index.add([url], wishes=Wishes(most_pages=9))
        assert (report.added, report.skipped) == (4, {"over_limit": 3})
        assert len(here.asked()) == 4
        assert (await here.index.refresh()).unchanged == 9


async def test_a_low_limit_forgets_no_link(database: Path) -> None:
    names = [f"p{number}" for number in range(12)]
    async with site(database, {"/": page("Start", *names), **{f"/{name}": page(name) for name in names}}) as here:
        url = here.server.url("/")
        report = await here.index.add([url], wishes=Wishes(crawl=True, most_pages=2))
        assert (report.added, report.skipped) == (2, {"over_limit": 11})
        report = await here.index.add([url], wishes=Wishes(crawl=True, most_pages=4))
        assert (report.added, report.skipped) == (2, {"over_limit": 9})
        report = await here.index.add([url], wishes=Wishes(crawl=True, most_pages=100))
        assert (report.added, report.skipped) == (9, {})


@pytest.mark.parametrize("statuses", [(503,), (429, 429)])
async def test_a_busy_host_is_asked_again_when_it_says(database: Path, statuses: tuple[int, ...]) -> None:
    waiting = list(statuses)

    async def busy(_request: Received, stream: anyio.abc.ByteStream) -> None:
        status = waiting.pop() if waiting else 0
        await stream.send(reply("later", status=status, headers={"retry-after": "0"}) if status else page("Alpha"))

    async with site(database, {"/a": busy}) as here:
        here.server.routes["/sitemap.xml"] = sitemap(here.server, "/a")
        assert (await here.index.add([here.server.url("/sitemap.xml")])).added == 1
        assert here.asked() == ["/a"] * (len(statuses) + 1)


async def test_a_host_that_wants_to_be_left_alone_is_and_the_next_run_goes_on(database: Path) -> None:
    names = [f"/p{number:02}" for number in range(20)]
    async with site(database, {name: page(name) for name in names}, connections=1) as here:
        here.server.routes |= {
            "/p10": reply("", status=429, headers={"retry-after": "3600"}), "/sitemap.xml": sitemap(here.server, *names)
        }  # fmt: skip
        url = here.server.url("/sitemap.xml")
        report = await here.index.add([url])
        assert report.added == 10
        assert "asked again in 3600 s" in report.notes[url]
        assert here.asked() == names[:11]
        (source,) = await here.index.sources()
        assert not source.finished
        here.server.routes["/p10"] = page("/p10")
        report = await here.index.add([url])
        assert (report.added, report.notes) == (10, {})
        assert here.asked() == names[10:]
        (source,) = await here.index.sources()
        assert source.finished


async def test_only_what_changed_is_fetched_again(database: Path) -> None:
    def versioned(name: str, version: str):
        async def answer(request: Received, stream: anyio.abc.ByteStream) -> None:
            same = request.headers.get("if-none-match") == f'"{version}"'
            head = f'HTTP/1.1 304 Same\r\netag: "{version}"\r\n\r\n'.encode()
            await stream.send(head if same else page(f"{name} {version}", etag=f'"{version}"'))

        return answer

    async with site(database, {"/a": versioned("A", "1"), "/b": versioned("B", "1"), "/c": page("C")}) as here:
        here.server.routes["/sitemap.xml"] = sitemap(here.server, "/a", "/b", "/c", c="2026-01-01")
        await here.index.add([here.server.url("/sitemap.xml")])
        before = next(document.ref for document in await here.index.list() if document.title == "A 1")
        here.asked()
        report = await here.index.refresh()
        assert (report.unchanged, report.updated, here.asked()) == (3, 0, ["/a", "/b"])  # by its date /c is as it was
        here.server.routes |= {"/a": versioned("A", "2"), "/sitemap.xml": sitemap(here.server, "/a", "/b", "/c", c="2026-02-01")}
        report = await here.index.refresh()
        assert (report.unchanged, report.updated, here.asked()) == (2, 1, ["/a", "/b", "/c"])
        assert (await here.index.open(before))[1].startswith("# A 2")


async def test_what_is_gone_goes_and_what_is_out_of_reach_stays(database: Path) -> None:
    async def cut(_request: Received, stream: anyio.abc.ByteStream) -> None:
        await stream.send(b"HTTP/1.1 200 Said\r\ncontent-length: 9999\r\n\r\n<html>")

    async with site(database, {f"/{name}": page(name) for name in "abcd"}) as here:
        here.server.routes["/sitemap.xml"] = sitemap(here.server, "/a", "/b", "/c", "/d")
        await here.index.add([here.server.url("/sitemap.xml")])
        here.server.routes |= {"/a": reply("", status=410), "/b": reply("", status=500), "/c": cut}
        report = await here.index.refresh()
        assert (report.removed, report.gone) == (1, (here.server.url("/a"),))
        assert (report.stale, report.failed, report.unchanged) == (2, 2, 1)
        assert await here.origins() == ["/b", "/c", "/d"]
        here.server.routes |= {"/b": page("b"), "/c": page("c")}
        assert (await here.index.refresh()).unchanged == 3


async def test_a_site_that_is_down_keeps_everything(database: Path) -> None:
    async with site(database, {"/a": page("a"), "/b": page("b")}) as here:
        here.server.routes["/sitemap.xml"] = sitemap(here.server, "/a", "/b")
        await here.index.add([here.server.url("/sitemap.xml")])
        for broken in (reply("", status=500), reply("<broken")):
            here.server.routes["/sitemap.xml"] = broken
            report = await here.index.refresh()
            assert (report.stale, report.removed, report.failed) == (2, 0, 1)
        (source,) = await here.index.sources()
        assert "library.bad_list" in source.problem
        assert await here.origins() == ["/a", "/b"]


async def test_a_notice_of_repairs_replaces_nothing(database: Path) -> None:
    async with site(database, {f"/{name}": page(name) for name in "abc"}) as here:
        here.server.routes["/sitemap.xml"] = sitemap(here.server, "/a", "/b", "/c")
        await here.index.add([here.server.url("/sitemap.xml")])
        here.server.routes |= {f"/{name}": redirect("/repairs") for name in "abc"}
        here.server.routes["/repairs"] = page("Repairs")
        report = await here.index.refresh()
        assert (report.stale, report.removed, report.skipped) == (3, 0, {"elsewhere": 3})
        assert await here.origins() == ["/a", "/b", "/c"]


async def test_what_moved_for_good_keeps_its_number(database: Path) -> None:
    async with site(database, {"/a": page("a"), "/b": page("b")}) as here:
        here.server.routes["/sitemap.xml"] = sitemap(here.server, "/a", "/b")
        await here.index.add([here.server.url("/sitemap.xml")])
        before = {document.title: document.id for document in await here.index.list()}
        here.server.routes |= {"/a": redirect("/new", status=301), "/new": page("a")}
        report = await here.index.refresh()
        assert report.moved == {here.server.url("/a"): here.server.url("/new")}
        assert {document.title: document.id for document in await here.index.list()} == before
        assert await here.origins() == ["/b", "/new"]
        here.asked()
        assert (await here.index.refresh()).unchanged == 2


@pytest.mark.parametrize("status", [301, 302])
async def test_redirects_within_and_off_the_site(database: Path, status: int) -> None:
    routes = {
        "/": page("Start", "/old", "/new", "/off"), "/old": redirect("/new", status=status), "/new": page("New"),
        "/off": redirect("http://127.0.0.1:1/x", status=status),
    }  # fmt: skip
    async with site(database, routes) as here:
        report = await here.index.add([here.server.url("/")], wishes=CRAWL)
        assert await here.origins() == ["/", "/new"]
        assert report.skipped.get("duplicate") == 1
        again = await here.index.refresh()
        assert (again.unchanged, again.removed, again.added) == (2, 0, 0)


async def test_versions_of_a_page_are_one(database: Path) -> None:
    routes = {"/": page("Start", "/a/", "/a/index.html", "/a?print=1", "/a-print", "/a-copy", "/b", "/liar")}
    async with site(database, routes) as here:
        canonical = f'<link rel="canonical" href="{here.server.url("/a/")}">'
        here.server.routes |= {
            "/a/": page("Alpha", head=canonical), "/a-print": page("Alpha", head=canonical, extra="<p>Printed today.</p>"),
            "/a-copy": page("Alpha"), "/b": page("Beta"), "/liar": page("Liar", head=canonical),
        }  # fmt: skip
        report = await here.index.add([here.server.url("/")], wishes=CRAWL)
        assert await here.origins() == ["/", "/a/", "/b", "/liar"]
        assert report.skipped == {"duplicate": 2}
        assert (await here.index.refresh()).unchanged == 4


def stand_in(title: str, text: str) -> bytes:
    """A page that stands where another should be."""
    return reply(f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1>{text}</main></body></html>")


UNDRAWN = '<html><body><noscript>Enable JavaScript.</noscript><div id="root"></div><script src="/a.js"></script></body></html>'
LOG_IN = stand_in("Log in", "<form><input name=user><input type=password name=word><button>Log in</button></form>")
NOT_FOUND = stand_in("404 Not Found", "<p>Sorry, the page you are looking for could not be found.</p>")
REPAIRS = stand_in("Down for maintenance", "<p>We are down for scheduled maintenance. Please try again later.</p>")


async def test_what_stands_in_a_page_s_place_is_no_document(database: Path) -> None:
    routes = {"/app": reply(UNDRAWN), "/in": LOG_IN, "/lost": NOT_FOUND, "/down": REPAIRS, "/a": page("Alpha")}
    async with site(database, {"/": page("Start", *routes), **routes}) as here:
        report = await here.index.add([here.server.url("/")], wishes=CRAWL)
        assert await here.origins() == ["/", "/a"]
        assert report.skipped == {"needs_browser": 1, "wall": 1, "not_there": 1, "no_service": 1}
        assert report.names["needs_browser"] == (here.server.url("/app"),)
        assert report.undrawn().endswith(f"limen library add {here.server.url('/app')}")


async def test_a_page_that_was_drawn_by_itself_is_not_missed(database: Path) -> None:
    async with site(database, {"/": page("Start", "app"), "/app": page("Drawn")}) as here:
        await here.index.add([here.server.url("/app")])
        here.server.routes["/app"] = reply(UNDRAWN)
        report = await here.index.add([here.server.url("/")], wishes=CRAWL)
        assert (report.added, report.skipped) == (1, {})
        assert await here.origins() == ["/", "/app"]


async def test_a_site_that_scripts_draw_says_what_helps(database: Path) -> None:
    async with site(database, {"/app": reply(UNDRAWN)}) as here:
        here.server.routes["/sitemap.xml"] = sitemap(here.server, "/app")
        refusal = (await here.index.add([here.server.url("/sitemap.xml")], library="my work")).refusal
        assert refusal is not None
        assert "1 drawn by scripts alone" in refusal.reason
        assert refusal.mend.endswith(f"limen library add --library 'my work' {here.server.url('/app')}")


async def test_a_page_most_of_which_scripts_draw_is_told_as_a_part(database: Path) -> None:
    filler = f"<script>{'x = 1;' * 4_000}</script>"
    thin = f"<html><body><p>Welcome to the shop.</p><div id='root'></div>{filler}<script src='/a.js'></script></body></html>"
    async with site(database, {"/": page("Start", "thin"), "/thin": reply(thin)}) as here:
        for _ in range(2):
            report = await here.index.add([here.server.url("/")], wishes=CRAWL)
            assert report.partial == (here.server.url("/thin"),)
            assert report.undrawn().endswith(here.server.url("/thin"))
        assert await here.origins() == ["/", "/thin"]


async def test_a_wall_for_an_hour_replaces_nothing(database: Path) -> None:
    async with site(database, {"/": page("Start", "a", "b", "c"), "/a": page("A"), "/b": page("B"), "/c": page("C")}) as here:
        await here.index.add([here.server.url("/")], wishes=CRAWL)
        here.server.routes |= {"/a": LOG_IN, "/b": REPAIRS, "/c": NOT_FOUND}
        report = await here.index.refresh()
        assert (report.stale, report.removed, report.unchanged) == (2, 1, 1)
        assert await here.origins() == ["/", "/a", "/b"]
        hits = (await here.index.search(SearchRequest("Log in"))).hits
        assert not [hit for hit in hits if "Log in" in hit.title]


async def test_pages_that_are_frames_of_others_lead_on(database: Path) -> None:
    frames = '<html><frameset cols="20%,80%"><frame src="/docs/menu"><frame src="/docs/text"></frameset></html>'
    routes = {"/": reply(frames), "/docs/menu": page("Menu"), "/docs/text": page("Text")}
    async with site(database, routes) as here:
        report = await here.index.add([here.server.url("/")], wishes=CRAWL)
        assert await here.origins() == ["/docs/menu", "/docs/text"]
        assert report.skipped == {"leads_on": 1}


async def test_a_page_that_names_a_later_one_gives_way_to_it(database: Path) -> None:
    async with site(database, {"/": page("Start", "/first")}) as here:
        head = f'<link rel="canonical" href="{here.server.url("/real")}">'
        here.server.routes |= {"/first": page("Same", head=head, extra="<p>Printed.</p>"), "/real": page("Same", head=head)}
        report = await here.index.add([here.server.url("/")], wishes=CRAWL)
        assert await here.origins() == ["/", "/real"]
        assert (report.added, report.removed, report.skipped) == (2, 0, {"duplicate": 1})


async def test_nofollow_is_kept_to(database: Path) -> None:
    head = '<meta name="robots" content="nofollow">'
    routes = {"/": page("Start", "/a", "/b"), "/a": page("A", "/x", head=head), "/b": page("B", "/y", x_robots_tag="nofollow")}
    async with site(database, {**routes, "/x": page("X"), "/y": page("Y")}) as here:
        await here.index.add([here.server.url("/")], wishes=CRAWL)
        assert await here.origins() == ["/", "/a", "/b"]


async def test_llms_txt_and_feeds(database: Path) -> None:
    routes = {"/a.md": reply(f"# A\n\n{text_of('A')}", headers={"content-type": "text/markdown"}), "/b": page("B")}
    async with site(database, routes) as here:
        here.server.routes |= {
            "/llms.txt": reply("# Site\n\n> What the site is about, in so many words.\n\n- [A](/a.md)\n- [B](http://other.test/b)\n",
                               headers={"content-type": "text/plain"}),
            "/feed": reply(f"<rss><channel><item><link>{here.server.url('/b')}</link></item></channel></rss>"),
        }  # fmt: skip
        report = await here.index.add([here.server.url("/llms.txt"), here.server.url("/feed")])
        assert (report.added, report.skipped) == (3, {"elsewhere": 1})
        assert await here.origins() == ["/a.md", "/b", "/llms.txt"]
        assert {source.kind for source in await here.index.sources()} == {"llms", "feed"}


async def test_an_address_that_looks_like_a_list_and_is_none_is_a_page(database: Path) -> None:
    async with site(database, {"/feed": page("About feeds")}) as here:
        assert (await here.index.add([here.server.url("/feed")])).added == 1
        (source,) = await here.index.sources()
        assert source.kind == "page"
        assert (await here.index.refresh()).unchanged == 1


async def test_robots_that_cannot_be_asked_close_the_site(database: Path) -> None:
    async with site(database, {"/": page("Start"), "/robots.txt": reply("", status=500)}) as here:
        report = await here.index.add([here.server.url("/")], wishes=CRAWL)
        assert report.refusal is not None
        assert here.asked() == []
        assert list(await here.index.sources()) == []
        here.server.routes["/robots.txt"] = reply("", status=403)
        assert (await here.index.add([here.server.url("/")], wishes=CRAWL)).added == 1


async def test_a_root_that_leads_away_says_where(database: Path) -> None:
    async with site(database, {"/docs/": redirect("/en/")}) as here:
        here.server.routes["/en/"] = page("English")
        report = await here.index.add([here.server.url("/docs/")], wishes=CRAWL)
        assert report.refusal is not None
        assert report.problems[0].code == "library.leads_away"
        assert report.problems[0].mend == f"limen library add --crawl {here.server.url('/en/')}"


async def test_an_interrupt_keeps_what_was_read_and_goes_on(database: Path) -> None:
    names = [f"/p{number:02}" for number in range(30)]
    async with site(database, {name: page(name) for name in names}) as here:
        here.server.routes["/sitemap.xml"] = sitemap(here.server, *names)
        with anyio.CancelScope() as scope:

            def told(done: int, _total: int, _origin: str) -> None:
                if done == 13:
                    scope.cancel()

            await here.index.add([here.server.url("/sitemap.xml")], progress=told)
        assert scope.cancelled_caught
        read = here.asked()
        held = await here.origins()
        assert 13 <= len(held) <= len(read) <= 15
        (source,) = await here.index.sources()
        assert not source.finished
        report = await here.index.refresh()
        assert (report.added, report.unchanged) == (30 - len(held), 0)
        assert len(here.asked()) == 30 - len(held)


async def test_other_spellings_of_a_site_are_the_same_source(database: Path) -> None:
    async with site(database, {"/docs/": page("Start"), "/docs": redirect("/docs/", status=301)}) as here:
        await here.index.add([here.server.url("/docs/")], wishes=CRAWL)
        assert (await here.index.add([here.server.url("/docs")], wishes=CRAWL)).unchanged == 1
        assert len(await here.index.sources()) == 1
        assert await here.index.remove(here.server.url("/docs/")) == 1
        assert list(await here.index.sources()) == []
        assert (await here.index.add([here.server.url("/docs/")], wishes=CRAWL)).added == 1


async def test_what_was_removed_by_hand_stays_out(database: Path) -> None:
    async with site(database, {"/a": page("a"), "/b": page("b")}) as here:
        here.server.routes["/sitemap.xml"] = sitemap(here.server, "/a", "/b")
        await here.index.add([here.server.url("/sitemap.xml")])
        number = next(document.ref for document in await here.index.list() if document.title == "a")
        assert await here.index.remove(number) == 1
        assert (await here.index.refresh()).skipped == {"removed_by_hand": 1}
        assert await here.origins() == ["/b"]


async def test_a_single_page_that_moved_or_went(database: Path) -> None:
    async with site(database, {"/a": page("a"), "/b": page("b")}) as here:
        await here.index.add([here.server.url("/a"), here.server.url("/b")])
        here.server.routes |= {"/a": redirect("/new", status=308), "/new": page("a"), "/b": reply("", status=404)}
        report = await here.index.refresh()
        assert report.moved == {here.server.url("/a"): here.server.url("/new")}
        assert (report.gone, report.removed, report.failed) == ((here.server.url("/b"),), 1, 0)
        assert [(source.root, source.documents) for source in await here.index.sources()] == [(here.server.url("/new"), 1)]
        assert (await here.index.refresh()).unchanged == 1
