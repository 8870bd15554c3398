"""Pictures: whoever finds them gives the title, the file, the page it stands on, and the size where it is known."""

import json

import pytest
from builtin.web.asking import said, search
from builtin.web.cases import made

from limen.builtin.web.engines.brave import Brave
from limen.builtin.web.engines.firecrawl import Firecrawl
from limen.builtin.web.engines.searxng import Searxng

pytestmark = pytest.mark.anyio
MAKERS = {"searxng": made(Searxng, keyed=False), "brave": made(Brave), "firecrawl": made(Firecrawl, reads=True)}


def body(vendor, *pictures):
    """A vendor's answer with these pictures: title, file, page, width, height."""
    if vendor == "searxng":
        rows = [
            {"title": title, "img_src": file, "url": page, "resolution": f"{width} x {height}" if width is not None else None}
            for title, file, page, width, height in pictures
        ]
        return json.dumps({"results": rows, "unresponsive_engines": []})
    if vendor == "brave":
        rows = [
            {"title": title, "url": page, "properties": {"url": file, "width": width, "height": height}}
            for title, file, page, width, height in pictures
        ]
        return json.dumps({"type": "images", "results": rows})
    rows = [
        {"title": title, "url": page, "imageUrl": file, "imageWidth": width, "imageHeight": height}
        for title, file, page, width, height in pictures
    ]
    return json.dumps({"success": True, "data": {"images": rows}})


async def pictures(vendor, *rows):
    answer, _ = await search(MAKERS[vendor], said(body(vendor, *rows)), "a gate", type="images", limit=10)
    assert answer.refusal is None, answer.refusal
    return [(hit.title, hit.image_url, hit.url, hit.width, hit.height) for hit in answer.hits]


@pytest.mark.parametrize("vendor", MAKERS)
async def test_a_picture_has_title_file_page_and_size(vendor):
    rows = [
        ("A gate", "https://img.test/gate.png", "https://alder.test/g", 640, 480),
        ("Another", "https://img.test/other.jpg", "https://alder.test/g", 1, 999_999),
    ]
    assert await pictures(vendor, *rows) == rows


@pytest.mark.parametrize("vendor", MAKERS)
async def test_a_size_that_is_not_known_is_none(vendor):
    rows = [
        ("a", "https://img.test/1.png", "https://alder.test/1", None, None),
        ("b", "https://img.test/2.png", "https://alder.test/2", 0, 0),
    ]
    assert [size for *_, width, height in await pictures(vendor, *rows) for size in (width, height)] == [None] * 4


@pytest.mark.parametrize("vendor", MAKERS)
async def test_a_file_without_a_scheme_is_https_and_one_that_is_no_address_is_no_picture(vendor):
    found = await pictures(
        vendor,
        ("a", "//img.test/1.png", "https://alder.test/1", 5, 6),
        ("b", "data:image/png;base64,AAAA", "https://alder.test/2", 5, 6),
        ("c", "javascript:alert(1)", "https://alder.test/3", 5, 6),
        ("d", "https://img.test/4.png", "javascript:alert(1)", 5, 6),
    )
    assert found == [("a", "https://img.test/1.png", "https://alder.test/1", 5, 6)]


@pytest.mark.parametrize(
    ("said_size", "size"),
    [
        ("640×480", (640, 480)),
        ("640x480 - 120 kB", (640, 480)),
        ("480p", (None, None)),
        ("", (None, None)),
        ("1234567x1", (None, None)),
    ],
)
async def test_engines_write_sizes_in_their_own_ways(said_size, size):
    row = {"title": "t", "img_src": "https://img.test/1.png", "url": "https://a.test/", "resolution": said_size}
    answer, _ = await search(MAKERS["searxng"], said(json.dumps({"results": [row]})), type="images", limit=1)
    assert (answer.hits[0].width, answer.hits[0].height) == size
