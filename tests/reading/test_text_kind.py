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
