"""Pages that are none, by kind and language; and honest pages, short ones above all, that must not be taken for such."""

import json
from pathlib import Path

import pytest

from limen.reading.document import read

ADDRESS = "https://shop.example/a/page"


def rows(name):
    return [json.loads(line) for line in (Path(__file__).parent / name).read_text("utf-8").splitlines()]


def shell(page, url="", page_format="markdown"):
    return read(page.encode(), url or ADDRESS, "text/html; charset=utf-8", page_format).shell


def beginning(row):
    return row["page"].removeprefix("<html><head><title>")[:40]


@pytest.mark.parametrize("row", rows("shells.jsonl"), ids=beginning)
def test_a_page_that_is_none_is_recognised(row):
    found = shell(row["page"], row["url"])
    assert found is not None
    assert (found.code, found.kind, found.partly) == (row["code"], row["kind"], False)
    assert found.reason.endswith(".")


@pytest.mark.parametrize("row", rows("honest_pages.jsonl"), ids=beginning)
def test_an_honest_page_is_one(row):
    assert shell(row["page"]) is None


TEASER = "The harbour of the town was dredged last spring, and a freighter of the largest class came in for the first time. " * 4
DECLARED = '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": "False"}</script>'


@pytest.mark.parametrize(
    ("head", "end"),
    [
        (DECLARED, "<p>Subscribe to continue reading.</p>"),
        (DECLARED, "<p>Il vous reste 80 % de cet article à lire. La suite est réservée aux abonnés.</p>"),
        (DECLARED, "<p>So much for the start of it…</p>"),
        ("", "<p>Half of it was…</p><div class=paywall><p>This article is for subscribers only.</p></div>"),
    ],
)
def test_the_beginning_of_an_article_is_a_page_with_a_word_about_the_rest(head, end):
    found = shell(f"<html><head>{head}</head><body><article><h1>Harbour</h1><p>{TEASER}</p>{end}</article></body></html>")
    assert found is not None
    assert (found.code, found.kind, found.partly) == ("reader.wall", "paywall", True)


def test_an_article_that_is_cut_late_is_noticed_by_what_it_says_to_machines():
    long = f"<p>{TEASER}</p>" * 10
    closed = f"<html><head>{DECLARED}</head><body><article><h1>Harbour</h1>{long}%s</article></body></html>"
    assert shell(closed % "<p>Subscribe to continue reading.</p>").partly
    assert shell(closed % "") is None
    assert shell(closed.replace("False", "True") % "<p>Subscribe to continue reading.</p>") is None


def test_where_a_page_sends_its_reader_is_told():
    sent = shell("<meta http-equiv=refresh content='3;url=../b?x=1'>", "https://shop.example/a/")
    assert sent.targets == ("https://shop.example/b?x=1",)
    assert shell("<script>location = 'https://other.example/'</script>").targets == ("https://other.example/",)
    frames = "<frameset><frame src=toc.html><frame src='javascript:x'><frame src=main.html></frameset>"
    assert shell(frames, "https://shop.example/").targets == ("https://shop.example/toc.html", "https://shop.example/main.html")


def test_a_page_that_sends_nowhere_else_does_not_send():
    assert shell("<p>Kept fresh, here.</p><meta http-equiv=refresh content='5'>") is None
    assert shell(f"<p>Kept fresh, here.</p><meta http-equiv=refresh content='5;url={ADDRESS}#top'>") is None
    two = "<p>Choose one.</p><script>f = () => location.href = '/a'; g = () => location.href = '/b'</script>"
    assert shell(two) is None


def test_most_of_a_page_may_be_drawn_by_scripts():
    slogan = "Kettles, pans and pots from the valley, made by hand since 1921, and sent to every town."
    found = shell(f"<h1>Shop</h1><p>{slogan}</p><div id=app></div><script>{'x' * 60_000}</script>")
    assert found is not None
    assert (found.code, found.partly) == ("reader.needs_browser", True)


@pytest.mark.parametrize("page_format", ["markdown", "text", "html"])
def test_a_shell_is_one_in_every_format(page_format):
    told = [shell(row["page"], row["url"], page_format) for row in rows("shells.jsonl")]
    assert [found and found.code for found in told] == [row["code"] for row in rows("shells.jsonl")]
    assert not any(shell(row["page"], "", page_format) for row in rows("honest_pages.jsonl"))


@pytest.mark.parametrize(
    "page",
    [
        "<title>" + "Just a moment " * 50_000 + "</title>",
        "<h1>404</h1>" + "<div>" * 20_000,
        "<p>" + "[" * 5_000 + "]" * 5_000,
        "<h1>Not found</h1>" + "<a href=x>y</a>" * 20_000,
        "<script>" + "location=" * 300 + "</script>",
        "<h1>Log in</h1>" + "<input type=password>" * 50_000,
        "<meta http-equiv=refresh content='0;url=http://[bad'>",
        "<iframe src='http://[bad'></iframe>",
    ],
    ids=lambda page: page[:20],
)
def test_hostile_pages_are_judged_in_bounded_time(page):
    shell(page)
