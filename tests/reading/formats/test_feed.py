"""Feeds of every kind show their entries with dates, links, authors and text, however badly they are written."""

import json

import pytest

from limen.reading import read

RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>News &amp;amp; Views</title><link>https://e.example/</link>
<description>All &lt;b&gt;news&lt;/b&gt;</description><language>en</language>
<lastBuildDate>Mon, 01 Jan 2024 10:00:00 +0200</lastBuildDate>
<item><title>First one & only</title><link>/a?b=1&c=2</link><pubDate>Tue, 02 Jan 2024 00:00:00 GMT</pubDate>
<dc:creator><![CDATA[Ada]]></dc:creator><category>lamps</category><description>short</description>
<content:encoded><![CDATA[<h1>Within</h1><p>Body <a href="/z">z</a></p><script>x()</script>]]></content:encoded>
<enclosure url="https://e.example/a.mp3" length="12345678" type="audio/mpeg"/><itunes:duration>34:05</itunes:duration></item>
<item><guid>https://e.example/2</guid><description>No title

here</description></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title type="html">A &lt;i&gt;B&lt;/i&gt;</title>
<updated>2024-05-05T01:02:03Z</updated><link rel="self" href="x"/><link href="https://e.example/blog"/>
<author><name>Me</name></author><entry><title>T</title><link rel="alternate" href="https://e.example/t"/>
<published>2024-05-04</published><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hi <b>there</b></p></div>
</content></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="https://e.example/"><title>R</title></channel>
<item rdf:about="https://e.example/1"><title>One</title><dc:date>2020-01-01T00:00:00+01:00</dc:date></item></rdf:RDF>"""


@pytest.mark.parametrize("content_type", ["text/html", "text/xml", "application/octet-stream", "text/plain", None])
def test_rss_is_read_whatever_it_is_called(content_type):
    page = read(RSS.encode(), "https://e.example/feed", content_type)
    assert page.text == (
        "# [News & Views](https://e.example/)\n\nAll **news**\n\n2 entries, updated 2024-01-01T08:00:00Z.\n\n"
        "## [First one & only](https://e.example/a?b=1&c=2)\n\n2024-01-02T00:00:00Z · Ada · in lamps\n\n### Within\n\n"
        "Body [z](https://e.example/z)\n\nEnclosure: [audio/mpeg, 12.3 MB, 34:05](https://e.example/a.mp3)\n\n"
        "## <https://e.example/2>\n\nNo title\n\nhere"
    )
    assert (page.title, page.published, page.language) == ("News & Views", "2024-01-01T08:00:00Z", "en")
    assert page.media_type == "application/rss+xml"
    assert [heading.text for heading in page.outline] == ["News & Views", "First one & only", "Within", "https://e.example/2"]
    assert page.links[1].url == "https://e.example/a?b=1&c=2"


def test_a_feed_is_written_as_asked():
    assert read(RSS, page_format="text").text.startswith("News & Views\n\nAll news")
    page = read(RSS, page_format="html")
    assert page.format == "html"
    assert "<script" not in page.text


def test_atom_with_its_own_markup():
    page = read(ATOM)
    assert page.text == (
        "# [A B](https://e.example/blog)\n\n1 entry, updated 2024-05-05T01:02:03Z.\n\n## [T](https://e.example/t)\n\n2024-05-04\n\n"
        "Hi **there**"
    )
    assert (page.author, page.language, page.media_type) == ("Me", "de", "application/atom+xml")


def test_rdf_has_its_items_beside_the_channel():
    page = read(RDF)
    assert "## [One](https://e.example/1)\n\n2020-01-01T00:00:00+01:00" in page.text


def test_json_feed_reads_as_the_others_do():
    item = {
        "url": "/1", "content_text": "a <b", "date_published": "2024-01-01T00:00:00Z", "authors": [{"name": "Q"}], "tags": ["x"],
        "attachments": [{"url": "a.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 999}],
    }  # fmt: skip
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": [item]}
    page = read(json.dumps(feed), "https://e.example/feed.json")
    assert page.text == (
        "# J\n\n1 entry.\n\n## [2024-01-01T00:00:00Z](https://e.example/1)\n\n2024-01-01T00:00:00Z · Q · in x\n\na \\<b\n\n"
        "Enclosure: [audio/mpeg, 999 bytes](https://e.example/a.mp3)"
    )
    assert page.media_type == "application/feed+json"
    assert read('{"version": "https://jsonfeed.org/version/1", "items": 3}').text.startswith("{\n")


def test_a_feed_cut_off_shows_what_came():
    assert "## First one & only" in read(RSS[: RSS.index("<dc:creator>")].replace("<link>/a?b=1&c=2</link>", "")).text


def test_of_many_entries_the_first_are_shown():
    page = read(
        "<rss><channel><title>x</title>" + "<item><title>t</title><summary>a</summary></item>" * 1_500 + "</channel></rss>"
    )
    assert page.text.count("\n## t") == 1_000
    assert page.notices == ("Of 1,500 entries this shows the first 1,000.",)


def test_entries_nested_beyond_reason_or_with_attributes_without_an_end_are_taken():
    entry = f"<entry><title {'x' * 300_000}>t</title><content type='xhtml'>{'<div>' * 450}deep{'</div>' * 450}</content></entry>"
    assert "deep" in read(f'<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title>{entry}</feed>').text
