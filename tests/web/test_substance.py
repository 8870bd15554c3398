"""Pages that say nothing, and short ones that do."""

import pytest

from limen.reading.document import read
from limen.web.substance import without_text

SCRIPT = "<script src=/app.js></script>"


def judged(body: str, content_type: str = "text/html"):
    page = read(body.encode(), "https://example.org/app", content_type)
    refusal = without_text(page, "local")
    return None if refusal is None else refusal.code


def html(body: str) -> str:
    return f"<html><head><title>App</title></head><body>{body}</body></html>"


@pytest.mark.parametrize(
    ("body", "scripted"),
    [
        ("", False),
        ("<p>  </p>", False),
        ("<img src=a.png>", False),
        ("<a href=/x></a>", False),
        (f"<div id=root></div>{SCRIPT}", True),
        (f"<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>{SCRIPT}", True),
        (f"<noscript><p>Please enable JS.</p><img src=/a.gif alt=x></noscript>{SCRIPT}", True),
        (f"<h1>App</h1><p>This site needs JavaScript. Please enable it in your browser.</p><p>Loading…</p>{SCRIPT}", True),
        (f"<noscript><p>Bitte aktivieren Sie JavaScript in Ihrem Browser.</p></noscript>{SCRIPT}", True),
        (f"<p>Just a moment...</p><p>Enable JavaScript and cookies to continue</p>{SCRIPT}", True),
    ],
)
def test_a_page_without_text_counts_as_unread(body, scripted):
    assert judged(html(body)) == ("reading.js_required" if scripted else "reading.empty")


@pytest.mark.parametrize(
    "body",
    [
        "<p>OK</p>",
        "<p>👍</p>",
        "<img src=a.png alt='Sales by year'>",
        "<p>Please enable JavaScript.</p>",  # no script was there to be run
        f"<p>Loading docks of Rotterdam are large.</p>{SCRIPT}",
        f"<h1>JavaScript</h1><p>JavaScript is a language.</p>{SCRIPT}",
        f"<p>JavaScript requires a host. Node is one, and has been since 2009.</p>{SCRIPT}",
        f"<noscript>Enable JavaScript for comments.</noscript><p>Green tea is brewed at 80 degrees.</p>{SCRIPT}",
        f"<p>Enable JavaScript to see the chart.</p><p>{'In 2024 sales rose by four percent. ' * 20}</p>{SCRIPT}",
    ],
)
def test_a_short_page_that_says_something_is_read(body):
    assert judged(html(body)) is None


@pytest.mark.parametrize(("body", "content_type"), [("[]", "application/json"), ("---", "text/plain"), ("a", "text/csv")])
def test_data_may_be_short(body, content_type):
    assert judged(body, content_type) is None


def test_a_text_of_blanks_is_none():
    assert judged(" \n\t\n", "text/plain") == "reading.empty"
