"""Sitemaps and OPML list their addresses, numbered."""

from limen.reading import read


def test_a_sitemap_lists_its_addresses():
    source = (
        '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://e.example/a?x=1&amp;y=2</loc>'
        "<lastmod>2024-01-02</lastmod></url><url><loc> /b </loc></url><url><loc></loc></url></urlset>"
    )
    page = read(source.encode(), "https://e.example/sitemap.xml", "text/html")
    assert page.text == "Sitemap with 2 addresses.\n\n- <https://e.example/a?x=1&y=2> (2024-01-02)\n- <https://e.example/b>"
    assert [(link.n, link.url) for link in page.links] == [(1, "https://e.example/a?x=1&y=2"), (2, "https://e.example/b")]
    assert (page.title, page.published, page.media_type) == ("Sitemap: sitemap.xml", "2024-01-02", "application/xml")


def test_an_index_of_sitemaps_says_so():
    source = "<sitemapindex><sitemap><loc>https://e.example/1.xml.gz</loc></sitemap></sitemapindex>"
    assert read(source).text == "Sitemap index with 1 address.\n\n- <https://e.example/1.xml.gz>"


def test_an_outline_is_nested_lists():
    source = (
        '<opml version="2.0"><head><title>Subs</title></head><body><outline text="Tech"><outline text="A &amp; B" type="rss" '
        'xmlUrl="https://e.example/f" htmlUrl="https://e.example/"/></outline><outline text="Only"/></body></opml>'
    )
    page = read(source, "x.opml")
    assert page.text == "# Subs\n\n- Tech\n  - [A & B](https://e.example/) ([feed](https://e.example/f))\n- Only"
    assert (page.title, page.media_type) == ("Subs", "text/x-opml")


def test_deep_and_broken_lists_are_taken():
    read("<opml><body>" + "<outline text='a'>" * 20_000)
    read("<urlset>" + "<url><loc>" * 100_000)
    assert read("<urlset></urlset>").text == "Sitemap with 0 addresses.\n"
