"""Pages that say nothing, and short ones that do."""

import pytest

from limen.core.web import Page, Shell
from limen.reading.document import read
from limen.web.substance import noticed, without_text

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
    ],
)
def test_a_page_without_text_counts_as_unread(body, scripted):
    assert judged(html(body)) == ("reader.needs_browser" if scripted else "reader.empty_page")


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
    assert judged(" \n\t\n", "text/plain") == "reader.empty_page"


def test_what_there_was_goes_with_the_reason():
    page = read(
        b"<h1>Log in</h1><form><input type=password></form><p>Forgot your password?</p>", "https://club.example/x", "text/html"
    )
    refusal = without_text(page, "local")
    assert (refusal.code, refusal.detail["kind"]) == ("reader.wall", "login")
    assert "Forgot your password?" in refusal.detail["text"]
    assert refusal.mend.endswith("limen browser login club.example")
    assert "text" not in without_text(page, "exa").detail, "nobody judges where a vendor's text came from"


def test_where_a_page_sends_its_reader_can_be_read_next():
    page = read(b"<meta http-equiv=refresh content='9;url=/new?a=1&b=2'>", "https://club.example/x", "text/html")
    refusal = without_text(page, "local")
    assert refusal.code == "reader.redirect"
    assert refusal.detail["targets"] == ["https://club.example/new?a=1&b=2"]
    assert refusal.mend == "limen extract 'https://club.example/new?a=1&b=2'"


def test_part_of_a_page_is_read_with_a_notice_once():
    page = Page(text="The beginning.", shell=Shell("reader.wall", "Only the beginning is shown.", "paywall", partly=True))
    assert without_text(page, "local") is None
    assert noticed(page).notices == ("Only the beginning is shown.",)
    assert noticed(noticed(page)) == noticed(page)
    assert noticed(Page(text="All of it.")).notices == ()
