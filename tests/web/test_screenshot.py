"""Pictures of pages: PDFs past the gates, other pages by a browser, files and references by a person."""

from contextlib import asynccontextmanager

import pytest
from reading.made_pdf import made_pdf
from web.asking import downloader
from web.rig import opened

from limen.core.context import CallContext
from limen.core.fault import Refusal, ToolFault
from limen.core.ports import LibraryDocument, Picture, Shot
from limen.net.client import AddressPolicy, new_client
from limen.testing.network import redirect, reply, serve
from limen.web.download import DOWNLOAD_GATES
from limen.web.screenshot import PageShooter, ReferenceShooter

pytestmark = pytest.mark.anyio
PDF = made_pdf("Hello", "two")


class Draws:
    """A `Painter` that draws nothing but remembers what it was given."""

    def __init__(self):
        self.given = []

    async def paint(self, data, page):
        self.given.append((data, page))
        return (
            Picture(b"png", 3, 4, page, 2) if page <= 2 else Refusal("screenshot", "screenshot.no_page", "no such page", "less")
        )


class Browses:
    def __init__(self):
        self.asked = []

    async def shoot(self, url, page, context, given=None):
        self.asked.append(url if given is None else given)
        return Shot(b"browser", 1, 1, 1, 1, "text/html", url)


class Documents:
    """A library of one document."""

    def __init__(self, origin=""):
        self.origin = origin

    async def open(self, ref):
        return LibraryDocument(1, self.origin, "T", "application/pdf", 1, 1, 0.0, ref), "text"


@asynccontextmanager
async def shooting(*servers, policy=None, browser=None):
    addresses = policy or opened(*servers)
    async with new_client(addresses) as client:
        painter = Draws()
        yield PageShooter(downloader(addresses, client), painter, browser), painter


async def shot_of(server, path, page=1, **options):
    async with shooting(server, **options) as (shooter, painter):
        return await shooter.shoot(server.url(path), page, CallContext()), painter


@pytest.fixture
async def server():
    routes = {
        "/a.pdf": reply(PDF, headers={"content-type": "application/pdf"}),
        "/lied": reply(b"\r\n" + PDF, headers={"content-type": "text/html"}),
        "/on": redirect("/a.pdf"),
        "/page": reply("<p>Hello</p>"),
        "/x.zip": reply(b"PK\x03\x04", headers={"content-type": "application/zip"}),
        "/forbidden": reply("no", status=403),
    }
    async with serve(routes) as running:
        yield running


@pytest.mark.parametrize("path", ["/a.pdf", "/lied", "/on"])
async def test_a_pdf_is_told_by_its_bytes_and_drawn(server, path):
    shot, painter = await shot_of(server, path, 2)
    assert (shot.png, shot.page, shot.pages, shot.media_type) == (b"png", 2, 2, "application/pdf")
    assert shot.url == server.url("/a.pdf" if path == "/on" else path)
    assert [gate.gate for gate in shot.gates] == list(DOWNLOAD_GATES)
    assert painter.given[0][1] == 2


async def test_a_page_that_is_not_there_is_the_painters_word(server):
    shot, _ = await shot_of(server, "/a.pdf", 3)
    assert shot.code == "screenshot.no_page"


@pytest.mark.parametrize(
    ("path", "code"),
    [("/page", "screenshot.needs_browser"), ("/x.zip", "screenshot.unsupported"), ("/forbidden", "network.http_status")],
)
async def test_without_a_browser_other_pages_are_refused(server, path, code):
    shot, painter = await shot_of(server, path)
    assert shot.code == code
    assert [gate.gate for gate in shot.passed] == list(DOWNLOAD_GATES)
    assert painter.given == []
    assert code != "screenshot.needs_browser" or shot.mend == "pip install 'limen-agent[browser]'"


@pytest.mark.parametrize("path", ["/page", "/forbidden"])
async def test_a_browser_pictures_pages_and_what_only_browsers_are_given(server, path):
    browser = Browses()
    shot, _ = await shot_of(server, path, browser=browser)
    assert shot.png == b"browser"
    assert [gate.gate for gate in shot.gates] == list(DOWNLOAD_GATES)
    got = browser.asked[0]
    assert (got if isinstance(got, str) else got.url) == server.url(path)
    assert len(server.received) == 1, "what came is given, and asked for once"
    assert isinstance(got, str) == (path == "/forbidden"), "what was refused, the browser asks for itself"


async def test_what_a_gate_refuses_no_browser_is_asked_for(server):
    browser = Browses()
    shot, _ = await shot_of(server, "/page", policy=AddressPolicy(), browser=browser)
    assert shot.gate == "network"
    assert browser.asked == []
    assert server.received == []


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "with space.pdf"
    path.write_bytes(PDF)
    return path


async def picture(ref, *, page=1, origin=""):
    async with shooting(policy=AddressPolicy()) as (shooter, painter):
        return await ReferenceShooter(shooter, Documents(origin)).shoot(str(ref), page, CallContext()), painter


async def test_a_person_names_a_file_by_path_or_address(file):
    for ref in (file, file.as_uri()):
        shot, painter = await picture(ref)
        assert shot.url == file.as_uri()
        assert painter.given == [(PDF, 1)]


async def test_documents_lead_to_where_they_came_from(file):
    shot, _ = await picture("lib:1", origin=str(file))
    assert shot.url == file.as_uri()
    shot, _ = await picture("lib:1", origin="http://10.0.0.1/a.pdf")
    assert shot.gate == "network", "a document opens no gate"


async def test_files_that_cannot_be_pictured_say_why(tmp_path):
    text = tmp_path / "a.txt"
    text.write_text("no picture")
    shot, _ = await picture(text)
    assert shot.code == "screenshot.unsupported"
    for ref, code in (
        (tmp_path, "files.is_folder"),
        ("/dev/zero", "files.not_regular"),
        (tmp_path / "none.pdf", "files.missing"),
    ):
        with pytest.raises(ToolFault) as caught:
            await picture(ref)
        assert caught.value.code == code
    for ref in ("x" * 5_000, "a\0b"):
        with pytest.raises(ToolFault):
            await picture(ref)
