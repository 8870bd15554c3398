"""A body that stands in a page's description alone."""

import json

import pytest

from limen.reading import read

BODY = "The council met on Tuesday & decided.\nNobody objected. " * 10


def page(thing, shown="<div id=root>Loading</div>"):
    described = json.dumps(thing).replace("</", "<\\/")
    return read(f'<script type="application/ld+json">{described}</script><body>{shown}', "https://e.example/", "text/html")


@pytest.mark.parametrize(
    "thing",
    [
        {"@type": "NewsArticle", "articleBody": BODY},
        [{"@type": "WebSite"}, {"articleBody": "short"}, {"articleBody": BODY}],
        {"@graph": [{"@type": "Person"}, {"@type": "Article", "articleBody": BODY.replace("&", "&amp;")}]},
    ],
)
def test_it_is_read_and_labelled(thing):
    read_page = page(thing)
    assert read_page.text == "\n\n".join(line.strip() for line in BODY.strip().split("\n"))
    assert "JSON-LD" in read_page.notices[0]


def test_markup_in_it_is_markup():
    described = {"articleBody": f"<h2>Council</h2><p>{BODY}</p><script>no()</script><p><a href='/b'>more</a></p>"}
    read_page = page(described)
    assert read_page.text.startswith("## Council\n\nThe council met")
    assert read_page.text.endswith("[more](https://e.example/b)")


@pytest.mark.parametrize(
    "thing",
    [
        {"articleBody": "Too short to be a text."},
        {"articleBody": 17},
        {"articleBody": ["a", "b"]},
        {"text": BODY},
        {"articleBody": BODY[:300]},
        "articleBody",
    ],
)
def test_what_the_page_itself_shows_goes_first(thing):
    shown = page(thing, f"<main><p>{'The page has words of its own. ' * 20}</p></main>")
    assert shown.text.startswith("The page has words of its own.")
    assert shown.notices == ()
