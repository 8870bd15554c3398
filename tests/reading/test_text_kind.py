"""The type of a text comes from its own form, its header and its name together."""

import pytest

from limen.reading.text_kind import sniff


@pytest.mark.parametrize(
    ("text", "content_type", "url", "media_type", "kind"),
    [
        ("x", "text/html; charset=utf-8", "", "text/html", "html"),
        ("x", "application/xhtml+xml", "", "application/xhtml+xml", "html"),
        ("<p>x", "text/plain", "", "text/plain", "text"),
        ("# x", "text/plain", "https://e.example/a/README.md", "text/markdown", "markdown"),
        ("x", None, "/home/u/notes.md?raw=1", "text/markdown", "markdown"),
        ("x", None, "a.rst", "text/x-rst", "text"),
        ("{}", "application/ld+json", "", "application/ld+json", "json"),
        ("\n<!-- c --><!DOCTYPE html><p>x", None, "", "text/html", "html"),
        ("<div>x</div>", "application/octet-stream", "", "text/html", "html"),
        ("some words <html> later", None, "", "text/html", "html"),
        ("<?xml version='1.0'?><note>x</note>", None, "", "application/xml", "xml"),
        ("<?xml version='1.0'?><html><p>x</p></html>", "text/xml", "", "text/xml", "html"),
        ("<rss/>", "application/rss+xml", "", "application/rss+xml", "feed"),
        (' {"a": 1} ', None, "", "application/json", "json"),
        ("Title\n=====\n\ntext", None, "", "text/markdown", "markdown"),
        ("see [this](https://e.example)", None, "", "text/markdown", "markdown"),
        ("just words", None, "", "text/plain", "text"),
        ("just words", "image/png", "", "text/plain", "text"),
        ("a < b and c > d", None, "http://[broken", "text/plain", "text"),
    ],
)
def test_a_text_is_read_as_what_it_is(text, content_type, url, media_type, kind):
    media = sniff(text, content_type, url)
    assert (media.media_type, media.kind) == (media_type, kind)


RSS = '<?xml version="1.0"?>\n<!-- c -->\n<rss version="2.0"><channel/></rss>'
TABLE = "name;price\nx;1,5\ny;2,5\n"


@pytest.mark.parametrize(
    ("text", "content_type", "url", "media_type", "kind"),
    [
        (RSS, "text/html", "", "application/rss+xml", "feed"),
        (RSS, "application/xml", "x.xml", "application/rss+xml", "feed"),
        ("<feed><title>no entries</title></feed>", None, "", "application/xml", "xml"),
        ("<urlset></urlset>", "text/plain", "", "application/xml", "sitemap"),
        ("<svg width='1'></svg>", "application/octet-stream", "", "image/svg+xml", "svg"),
        ("<svg></svg><p>more</p>", "text/html", "", "text/html", "html"),
        ('{"a": 1}', "text/html", "", "application/json", "json"),
        ('{"a": 1}', "text/plain", "a.txt", "application/json", "json"),
        ('{"a": 1}\n{"a": 2}\n', "application/json", "", "application/x-ndjson", "ndjson"),
        ("[section]\nname = 1\n", None, "a.ini", "text/x-ini", "source"),
        ("[1] a note [2]", None, "", "text/plain", "text"),
        ("[link](https://e.example) and {more}", None, "", "text/markdown", "markdown"),
        ("just words\nno tags", "text/html", "", "text/plain", "text"),
        ("# A title\n\nwords\n", "text/html", "", "text/markdown", "markdown"),
        ("<!DOCTYPE html><p>x", "application/json", "a.json", "text/html", "html"),
        ("not found", "application/json", "", "text/plain", "text"),
        ("<p>no table", "text/csv", "", "text/csv", "table"),
        (TABLE, None, "", "text/csv", "table"),
        (TABLE, "application/octet-stream", "t.dat", "text/csv", "table"),
        ("name;price;\nx;1,5;\ny;2,5;\n", None, "", "text/csv", "table"),
        ("use strict; \r\nuse lib;\r\nmy $x;\r\n", None, "", "text/plain", "text"),
        ("def f(): ...\n", "application/octet-stream", "a.py", "text/x-python", "source"),
        ("<?xml version='1.0'?>\n<x/>", "text/plain", "a.py", "text/x-python", "source"),
        ("BEGIN:VCARD\nEND:VCARD", "text/plain", "", "text/vcard", "contacts"),
        ("1\n00:00:01,000 --> 00:00:02,000\nx\n", "text/plain", "", "application/x-subrip", "subtitles"),
        (".TH X 1\n.SH NAME\nx\n", "text/plain", "x.1", "text/troff", "manual"),
        ('\\" c\n.\\" d\n.TH X 1\n', None, "", "text/troff", "manual"),
        ("# A comment\n# goes on\nset x 1\n", None, "", "text/plain", "text"),
        (".profile is a file\n", None, "", "text/plain", "text"),
        ("User-agent: *\nDisallow: /a\nAllow: /b\n", "text/plain", "https://e.example/robots.txt", "text/plain", "text"),
        ("# Lamp\n\n- [Doc](/d.md)\n", "text/plain", "https://e.example/llms.txt", "text/markdown", "markdown"),
        ("# Lamp\n\n- [Doc](/d.md)\n", "text/plain", "https://e.example/notes.txt", "text/plain", "text"),
    ],
)  # fmt: skip
def test_content_outweighs_a_label(text, content_type, url, media_type, kind):
    media = sniff(text, content_type, url)
    assert (media.media_type, media.kind) == (media_type, kind)
