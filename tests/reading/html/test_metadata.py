"""What a page says of itself, in whichever vocabulary, with values of whichever type."""

import json

import pytest

from limen.reading import read


def page(head="", body="<p>x</p>", url="https://e.example/a/b", root=""):
    return read(f"<!DOCTYPE html><html {root}><head>{head}</head><body>{body}</body></html>", url, "text/html")


def described(thing):
    return f'<script type="application/ld+json">{json.dumps(thing)}</script>'


@pytest.mark.parametrize(
    ("head", "author"),
    [
        ('<meta name="citation_author" content="P., Ada"><meta name="citation_author" content="L., Bo">', "P., Ada; L., Bo"),
        ('<meta name="DC.creator" content="Ada">', "Ada"),
        ('<meta property="article:author" content="https://e.example/ada"><meta name="author" content="by Ada">', "Ada"),
        (described({"@type": "Article", "headline": "x", "author": {"@type": "Person", "name": ["Ada"]}}), "Ada"),
        (described({"headline": "x", "author": ["Ada", {"name": "Bo"}, None, 7, {"name": "Ada"}]}), "Ada, Bo"),
        (described({"@graph": [{"headline": "x", "author": {"@id": "#p"}}, {"@id": "#p", "name": "Ada"}]}), "Ada"),
        (described({"headline": "x", "author": "https://e.example/ada"}), ""),
        (described({"headline": "x", "author": {"name": "<b>Ada</b> &amp; Bo"}}), "Ada & Bo"),
        (described([{"@type": "WebPage", "datePublished": "2020"}, {"@type": "Report", "headline": "x", "author": "A"}]), "A"),
    ],
)  # fmt: skip
def test_authors(head, author):
    assert page(head).author == author


def test_an_author_of_the_text_may_stand_in_it_alone():
    author = '<span itemprop="author" itemscope><i itemprop="name">Ada</i></span>'
    article = f'<article itemscope itemtype="https://schema.org/Article">{author}'
    assert page("", f"{article}<p>x</p></article>").author == "Ada"
    assert page("", '<p>By <a rel="author nofollow" href="/ada">Ada</a></p>').author == "Ada"
    assert page("", '<div class="comments"><a rel="author" href="/c">Cy</a></div>').author == ""


@pytest.mark.parametrize(
    ("head", "published"),
    [
        ('<meta name="citation_publication_date" content="2026/3/1">', "2026-03-01"),
        ('<meta name="dcterms.issued" content="2026-03">', "2026-03"),
        ('<meta itemprop="datePublished" content="2026-03-01T09:00:00+02:00">', "2026-03-01T09:00:00+02:00"),
        (described({"headline": "x", "datePublished": ["2026-03-01"]}), "2026-03-01"),
        (described({"headline": "x", "datePublished": 1772356200}), ""),
        (described({"headline": "x", "datePublished": "2026-13-41"}), ""),
        ('<meta name="date" content="last Tuesday"><meta name="pubdate" content="2026-03-01">', "2026-03-01"),
    ],
)
def test_dates(head, published):
    assert page(head).published == published


@pytest.mark.parametrize(
    ("head", "root", "language"),
    [
        ("", 'lang="pt_BR"', "pt-BR"),
        ('<meta http-equiv="Content-Language" content="de, en">', "", "de"),
        ('<meta property="og:locale" content="fr_CA">', 'lang=""', "fr-CA"),
        (described({"headline": "x", "inLanguage": {"name": "nl"}}), "", "nl"),
        ("", 'lang="{{lang}}"', ""),
    ],
)
def test_languages(head, root, language):
    assert page(head, root=root).language == language


@pytest.mark.parametrize(
    ("href", "canonical"),
    [
        ("/lamp?x=1", "https://e.example/lamp?x=1"),
        ("https://www.e.example/lamp", "https://www.e.example/lamp"),
        ("https://docs.e.example/lamp", "https://docs.e.example/lamp"),
        ("https://victim.example/lamp", ""),
        ("https://e.example/", ""),
        ("javascript:alert(1)", ""),
        ("http://[bad/", ""),
        ("", ""),
    ],
)
def test_canonical_addresses_stay_on_the_site(href, canonical):
    assert page(f'<link rel="canonical" href="{href}">').canonical_url == canonical


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("a.site.example", "b.site.example", True), ("a.co.uk", "b.co.uk", False), ("m.site.co.uk", "site.co.uk", True)],
)
def test_neighbours_share_a_name_of_their_own(one, other, same):
    shown = page(f'<link rel="canonical" href="https://{one}/x">', url=f"https://{other}/x")
    assert bool(shown.canonical_url) is same


@pytest.mark.parametrize(
    ("title", "url", "shown"),
    [
        ("Smoking wicks - Harbour Forums", "https://forums.harbour.example/t/1", "Smoking wicks"),
        ("Smoking wicks - a guide", "https://forums.harbour.example/t/1", "Smoking wicks - a guide"),
        ("Harbour - Lamps", "https://harbour.example/", "Harbour - Lamps"),
        ("Harbour", "https://harbour.example/", "Harbour"),
    ],
)
def test_a_sites_name_is_known_by_its_address(title, url, shown):
    assert page(f"<title>{title}</title>", url=url).title == shown


@pytest.mark.parametrize("odd", [None, 7, True, [], {}, [[]], {"@value": 1}, ["x", None], {"name": {"name": "x"}}, "\ud83d"])
def test_odd_types_are_passed_over(odd):
    names = ("@type", "@id", "headline", "name", "author", "datePublished", "inLanguage", "articleBody", "@graph", "mainEntity")
    things = [{"headline": "x", "datePublished": "2026-03-01"} | {name: odd} for name in names]
    assert page(described(things)).text == "x"


def test_the_sites_name_as_a_heading_is_not_the_pages_title():
    page = read(
        "<title>Choosing a frame - Ann's Letters</title><meta property=og:title content='Choosing a frame'>"
        "<h1>Ann's Letters</h1><article><h1>Choosing a frame</h1><p>Wood bends, steel rusts, glass breaks.</p></article>",
        "https://letters.example/p/1",
        "text/html",
    )
    assert page.title == "Choosing a frame"


def test_a_chapters_title_is_not_its_books():
    page = read(
        "<title>Lamps and Wicks - The Keeper's Book</title><h1>The Keeper's Book</h1>"
        "<main><h2>Lamps and wicks</h2><p>A wick draws the oil up into the flame.</p></main>",
        "https://books.example/lamps.html",
        "text/html",
    )
    assert page.title == "Lamps and wicks"


@pytest.mark.parametrize("name", ["table", "a", "em"])
def test_a_title_may_name_a_tag(name):
    stated = f"&lt;{name}&gt;: an element"
    shell = "<title>{0} - Docs</title><meta property=og:title content='{0}'><main><h1>{0}</h1><p>It is in every page.</p></main>"
    assert read(shell.format(stated), "https://docs.example/x", "text/html").title == f"<{name}>: an element"
