"""Lists of pages: sitemaps, feeds and llms.txt are told by what stands in them."""

import gzip

import pytest

from limen.web.library.crawl.lists import BadXML, looks_listed, read_listing

URLSET = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc> https://x.test/a </loc><lastmod>2026-01-02</lastmod></url><url><loc>https://x.test/b</loc></url><url></url></urlset>"""


def test_sitemaps() -> None:
    for body in (URLSET, gzip.compress(URLSET)):
        found = read_listing(body, "https://x.test/sitemap.xml")
        assert found is not None
        assert (found.kind, found.pages) == ("sitemap", (("https://x.test/a", "2026-01-02"), ("https://x.test/b", "")))
    index = b"<sitemapindex><sitemap><loc>https://x.test/1.xml</loc></sitemap></sitemapindex>"
    found = read_listing(index, "https://x.test/sitemap.xml")
    assert found is not None
    assert found.further == ("https://x.test/1.xml",)
    lines = read_listing(b"https://x.test/a\nhttps://x.test/b\n", "https://x.test/sitemap.txt")
    assert lines is not None
    assert [url for url, _ in lines.pages] == ["https://x.test/a", "https://x.test/b"]


def test_feeds() -> None:
    rss = b"""<rss version="2.0"><channel><link>https://x.test/</link><item><link>https://x.test/a</link><pubDate>Mon</pubDate></item>
        <item><guid>https://x.test/b</guid></item><item><guid isPermaLink="false">77</guid></item></channel></rss>"""
    atom = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://x.test/"/><entry><updated>2026</updated>
        <link rel="enclosure" href="https://x.test/m.mp3"/><link href="https://x.test/a"/></entry><entry/></feed>"""
    rdf = b"""<rdf:RDF xmlns:rdf="r" xmlns="x"><channel/><item><link>https://x.test/a</link><dc:date>2026</dc:date></item></rdf:RDF>"""
    for body, pages in (
        (rss, (("https://x.test/a", "Mon"), ("https://x.test/b", ""))),
        (atom, (("https://x.test/a", "2026"),)),
        (rdf, (("https://x.test/a", "2026"),)),
    ):
        found = read_listing(body, "https://x.test/feed")
        assert found is not None
        assert (found.kind, found.pages) == ("feed", pages)


def test_llms_txt() -> None:
    found = read_listing(b"# X\n\n- [A](/a.md): what A is\n", "https://x.test/llms.txt")
    assert found is not None
    assert (found.kind, found.pages) == ("llms", (("https://x.test/a.md", ""),))


@pytest.mark.parametrize("body", [b"<!DOCTYPE html><html><a href=x>", b"<html lang=en>", b"plain words", b"<book/>", b""])
def test_what_is_no_list(body: bytes) -> None:
    assert read_listing(body, "https://x.test/feed") is None


@pytest.mark.parametrize(
    "body", [URLSET[:80], gzip.compress(URLSET)[:60], b"<!DOCTYPE x [<!ENTITY a 'b'>]><urlset/>", b"<a" * 10]
)
def test_what_is_broken(body: bytes) -> None:
    with pytest.raises(BadXML):
        read_listing(body, "https://x.test/sitemap.xml")


def test_a_sitemap_that_unpacks_without_end_is_refused() -> None:
    with pytest.raises(BadXML, match="unpacks to more"):
        read_listing(gzip.compress(b"<" + b" " * 61_000_000), "https://x.test/sitemap.xml.gz")


def test_which_addresses_may_name_a_list() -> None:
    for path in (
        "sitemap.xml",
        "a/sitemap_index.xml.gz",
        "feed",
        "blog/rss/",
        "x.atom",
        "llms.txt",
        "llms-full.txt",
        "feed.xml?x=1",
    ):
        assert looks_listed(f"https://x.test/{path}"), path
    for path in ("", "a", "a.html", "feeding", "notes.txt", "llms"):
        assert not looks_listed(f"https://x.test/{path}"), path
