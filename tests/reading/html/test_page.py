"""Whole pages: what is kept, what is dropped and counted, what the page says of itself, where its parts stand."""

import pytest

from limen.reading import read

PROSE = "The keeper of the lamp climbs the stairs at dusk and trims the wick until the flame burns clear and steady. "

SITE = f"""<!DOCTYPE html><html lang="en-GB"><head><title>Keeping the lamp | Harbour Notes</title>
<meta property="og:site_name" content="Harbour Notes"><meta name="author" content="Ada Pharos">
<meta property="article:published_time" content="2026-03-01T09:00:00Z"><link rel="canonical" href="/lamp">
<style>p{{}}</style><script>var x = "hidden words";</script></head>
<body><header class="site-header"><a href="/">Harbour Notes</a></header>
<nav><ul><li><a href="/a">Alpha</a><li><a href="/b">Beta</a></ul></nav>
<main><h1>Keeping the lamp</h1><p>{PROSE * 3}</p>
<h2 id="oil">Oil<a class="headerlink" href="#oil">¶</a></h2><p>{PROSE * 2}</p>
<dl><dt id="trim">trim(wick, *, height=2)</dt><dd><p>Cuts the wick.</p></dd></dl>
<aside><a href="/c">Related reading</a></aside><div hidden>Secret</div></main>
<div class="cookie-banner">We use cookies</div><footer>© Harbour Notes</footer></body></html>"""


def test_a_page_is_its_main_part():
    page = read(SITE, "https://e.example/n/lamp", "text/html")
    assert page.text == (
        f"# Keeping the lamp\n\n{(PROSE * 3).strip()}\n\n## Oil\n\n{(PROSE * 2).strip()}\n\n"
        "- `trim(wick, *, height=2)`\n\n  Cuts the wick."
    )


def test_what_was_dropped_is_counted():
    dropped = read(SITE, "", "text/html").dropped
    for kind in ("header", "nav", "aside", "footer", "script", "style", "hidden"):
        assert dropped[kind] >= 1
    assert sum("cookie" in kind or "banner" in kind for kind in dropped) == 1


def test_the_outline_tells_line_level_and_anchor():
    page = read(SITE, "", "text/html")
    lines = page.text.split("\n")
    assert [(h.level, h.text, h.anchor) for h in page.outline] == [
        (1, "Keeping the lamp", ""), (2, "Oil", "oil"), (3, "trim(wick, *, height=2)", "trim"),
    ]  # fmt: skip
    assert all(heading.text in lines[heading.line - 1] for heading in page.outline)


def test_a_page_describes_itself():
    page = read(SITE, "https://e.example/n/lamp", "text/html")
    assert page.title == "Keeping the lamp"
    assert page.author == "Ada Pharos"
    assert page.published == "2026-03-01T09:00:00Z"
    assert page.language == "en-GB"
    assert page.canonical_url == "https://e.example/lamp"


def test_structured_data_names_author_and_date():
    article = '{"headline": "x", "datePublished": "2025-12-24", "author": [{"name": "A"}, {"name": "B"}]}'
    data = f'{{"@graph": [{{"@type": "WebSite"}}, {article}]}}'
    page = read(
        f'<script type="application/ld+json">{data}</script><script type="application/ld+json">{{broken</script><p>x</p>',
        "",
        "text/html",
    )
    assert (page.author, page.published) == ("A, B", "2025-12-24")


def test_titles_lose_the_sites_name_but_nothing_else():
    def title(head, body=""):
        return read(f"<head>{head}</head><body>{body}<p>x</p></body>", "", "text/html").title

    assert title("<title>Set up - Guide</title>", "<h1>Set up</h1>") == "Set up"
    assert title("<title>Set up - Guide</title>") == "Set up - Guide"
    assert title('<title>Guide: Set up</title><meta property="og:site_name" content="Guide">') == "Guide: Set up"
    assert title('<title>Set up | Guide</title><meta property="og:site_name" content="guide">') == "Set up"
    assert title('<title>T</title><meta property="og:title" content="Shared">') == "Shared"
    assert title("", "<h1>Only this</h1>") == "Only this"
    assert title("") == ""


def test_links_are_numbered_once_each():
    links = '<a href="/a">One</a> <a href="/b"><img src=x.png alt="Two"></a> <a href="/a">again</a> <a href="#x">here</a>'
    html = f"<main><p>{links}</p></main>"
    page = read(html, "https://e.example/", "text/html")
    assert [(link.n, link.text, link.url) for link in page.links] == [
        (1, "One", "https://e.example/a"),
        (2, "Two", "https://e.example/b"),
    ]


def test_a_page_without_a_marked_part_loses_its_frame_and_keeps_its_title():
    html = (
        f'<div class="navheader"><a href="/p">Prev</a></div><div class="part"><h2>Chapter</h2></div><div><p>{PROSE * 5}</p></div>'
    )
    html = f"<title>Chapter</title><body>{html}<div id='footer'>Built today</div></body>"
    assert read(html, "", "text/html").text == f"## Chapter\n\n{(PROSE * 5).strip()}"


def test_a_title_outside_the_main_part_comes_first():
    html = f"<header><h1>Title</h1></header><main><p>{PROSE}</p></main>"
    assert read(html, "", "text/html").text.startswith("# Title\n\nThe keeper")


def test_a_section_named_like_furniture_is_kept():
    section = '<div class="section" id="file-menu"><h2>File menu</h2><p>Opens a file.</p></div>'
    html = f"<main><h1>Editor</h1>{section}<p>{PROSE}</p></main>"
    assert "Opens a file." in read(html, "", "text/html").text


def test_closed_panels_and_prose_in_odd_wrappers_are_kept():
    panel, hero = f'<div style="display:none">{PROSE * 4} first</div>', f'<div class="hero-banner">{PROSE * 4} second</div>'
    html = f"<main><h1>Q</h1><p>{PROSE * 9}</p>{panel}{hero}</main>"
    text = read(html, "", "text/html").text
    assert "first" in text
    assert "second" in text


def test_what_scripts_would_write_is_read_from_noscript():
    html = f"<body><div id=app>Loading</div><noscript><h1>Thread</h1><p>{PROSE}</p></noscript></body>"
    assert PROSE.strip() in read(html, "", "text/html").text


def test_a_page_of_nothing_but_frame_is_not_empty():
    assert read("<body><nav><a href='/a'>Only a menu</a></nav></body>", "", "text/html").text == "[Only a menu](/a)"
    assert read("<div hidden>Only this</div>", "", "text/html").text == "Only this"


def test_lists_of_links_among_links_go_but_a_page_of_links_stays():
    links = "".join(f'<li><a href="/{n}">entry number {n}</a>' for n in range(20))
    page = f"<body><h1>T</h1><p>{PROSE * 9}</p><div><div><ul>{links}</ul></div></div></body>"
    assert "entry number 3" not in read(page, "", "text/html").text
    assert (
        "entry number 3" in read(f"<body><h1>All entries</h1><div><div><ul>{links}</ul></div></div></body>", "", "text/html").text
    )


def test_references_to_our_own_signs_are_only_characters():
    html = '<h1>A&#xfdd0;0&#64977;</h1><p>b&#xFDD2;c</p><p><img src=x.png alt="&#xFDD0;0&#xFDD1;"></p>'
    page = read(html, "https://e.example/", "text/html")
    assert len(page.outline) == 1
    assert "\ufdd0" not in page.text
    assert "b\ufffdc" in page.text


@pytest.mark.parametrize(
    "unseen",
    [
        '<span style="display:none">Unseen</span>', '<b style="Display: None; color: red">Unseen</b>',
        "<a hidden href=/x>Unseen</a>",
        '<span style="visibility: hidden">Unseen <i>words</i></span>',
    ],
)  # fmt: skip
def test_what_a_line_does_not_show_is_not_read(unseen):
    page = read(f"<main><h1>Lamp</h1><p>{PROSE * 3}</p><p>Trim {unseen}it.</p></main>", "", "text/html")
    assert page.text.endswith("\n\nTrim it.")
    assert page.dropped["hidden"] == 1


@pytest.mark.parametrize(
    "shown",
    [
        '<span class="more-text" style="display:none">Closed</span>', f'<span hidden>Closed {PROSE * 4}</span>',
        '<span hidden="until-found">Closed</span>', '<span style="display:none"><math><mi>x</mi></math> Closed</span>',
        '<span style="border: none">Closed</span>',
    ],
)  # fmt: skip
def test_what_opens_at_a_click_is_read(shown):
    assert "Closed" in read(f"<main><h1>Lamp</h1><p>{PROSE * 3}</p><p>Trim {shown}it.</p></main>", "", "text/html").text
