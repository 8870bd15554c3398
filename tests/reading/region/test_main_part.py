"""Whole pages as they are read: what of them is the page, and what type they are of."""

import pytest

from limen.reading import read

TEXT = "the keeper of lamp climbs stairs at dusk and trims wick until flame burns clear steady bright over dark cold water"
WORDS = TEXT.split()


def prose(seed, words=40):
    """Sentences that no other seed gives."""
    text = " ".join(f"{WORDS[(seed * 7 + n * (seed % 5 + 1)) % len(WORDS)]}{seed if n % 9 == 0 else ''}" for n in range(words))
    return f"{text.capitalize()}."


MENU = "".join(f'<li><a href="/s{n}">Section {n}</a></li>' for n in range(30))
CARDS = "".join(
    f'<div class="card"><a href="/r{n}"><img src="{n}.jpg"><h3>Other story number {n}</h3></a><span>March {n + 1}</span></div>'
    for n in range(12)
)
NEWS = f"""<html><head><title>Lamp relit</title><meta property="og:type" content="article">
<script type="application/ld+json">{{"@type": "NewsArticle", "headline": "Lamp relit"}}</script></head><body>
<header class="site-header"><nav><ul>{MENU}</ul></nav></header>
<article><h1>Lamp relit</h1><div class="entry-content">{"".join(f"<p>{prose(n)}</p>" for n in range(12))}
<p>A short word.</p>{"".join(f"<p>{prose(n)}</p>" for n in range(20, 26))}</div></article>
<section class="related"><h2>Related stories</h2>{CARDS}</section>
<div id="newsletter"><p>Subscribe to our newsletter for the latest news.</p></div>
<footer><p>© 2026 Harbour News. All rights reserved.</p><ul>{MENU}</ul></footer></body></html>"""


def test_an_article_is_its_text_alone():
    page = read(NEWS, "https://news.example/2026/03/lamp-relit-after-years", "text/html")
    assert page.page_type == "article"
    assert (page.title, page.dropped["title"]) == ("Lamp relit", 1)
    assert "Lamp relit" not in page.text
    assert all(prose(n) in page.text for n in (*range(12), *range(20, 26)))
    assert "A short word." in page.text
    for other in ("Other story", "Subscribe", "All rights reserved", "Section 3"):
        assert other not in page.text
    assert sum(page.dropped.values()) > 3


def test_documentation_loses_nothing():
    options = "".join(f'<dt><a id="o{n}"></a><code>--option-{n}</code></dt><dd><p>{prose(n, 15)}</p></dd>' for n in range(60))
    html = (
        '<html><head><meta name="generator" content="DocBook XSL"></head><body><div class="refentry"><h1>tool</h1>'
        f'<dl class="variablelist">{options}</dl><aside role="note"><p>Mind the wick.</p></aside></div></body></html>'
    )
    page = read(html, "https://docs.example/tool.html", "text/html")
    assert page.page_type == "documentation"
    assert all(f"--option-{n}" in page.text for n in range(60))
    assert "Mind the wick." in page.text


def test_a_file_is_read_whole_but_for_its_frame():
    blocks = "".join(f"<div><span>entry {n}</span></div>" for n in range(80))
    page = read(f"<nav><a href=x>Up</a></nav><h1>Log</h1>{blocks}<p>{prose(1)}</p>", "file:///srv/log.html", "text/html")
    assert all(f"entry {n}" in page.text for n in range(80))
    assert "Up" not in page.text


def test_a_saved_page_is_read_as_where_it_is_at_home():
    page = f"<nav><a href=x>Up</a></nav><h1>Log</h1><p>{prose(1)} <a href=/b>b</a> <a href=c.html>c</a></p>"
    saved = read(f"<link rel=canonical href=https://e.example/a>{page}", "file:///srv/log.html", "text/html")
    assert "[b](https://e.example/b) [c](file:///srv/c.html)" in saved.text
    assert "[b](file:///b)" in read(page, "file:///srv/log.html", "text/html").text


def test_nothing_but_links_is_still_a_page():
    page = read(f"<h1>All sections</h1><ul>{MENU}</ul>", "https://e.example/", "text/html")
    assert "Section 29" in page.text


def test_lists_emptied_by_the_choice_leave_no_bullets():
    buttons = "".join(f"<li><button>Theme {n}</button></li>" for n in range(5))
    page = read(f"<ul>{buttons}</ul><h1>T</h1><p>{prose(1)}</p>", "https://e.example/", "text/html")
    assert page.text == f"# T\n\n{prose(1)}"


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 20_000 + "x",
        "<aside>" * 20_000 + "x",
        "<p>x y z " * 60_000,
        '<a href="/x">x</a> ' * 60_000,
        "<ul><li>x" * 20_000,
    ],
    ids=["deep", "deep asides", "long", "links", "deep lists"],
)
def test_pages_beyond_reason_are_read_in_one_pass(html):
    assert "x" in read(html, "https://e.example/", "text/html").text
