"""A site's name over the page's own title."""

import pytest
from turbohtml import parse

from limen.reading import read
from limen.reading.html.masthead import drop_masthead, drop_title


def _left(html, title):
    body = parse(f"<body>{html}").find("body")
    drop_masthead(body, title, f"{title} - Boat Forum | The Boat Book | Our blog boats.example")
    return body.inner_html


@pytest.mark.parametrize(
    ("html", "title", "left"),
    [
        ("<a href=/><h1>Boat Forum</h1></a><h2>Red sails</h2><p>x", "Red sails", "<h1>Red sails</h1><p>x</p>"),
        ("<h1>The Boat Book</h1><h1>Red sails</h1><p>x", "Red sails", "<h1>Red sails</h1><p>x</p>"),
        (
            "<h1>Our blog</h1><h2>Red sails in the sunset, part 2</h2>",
            "Red sails in the sunset",
            "<h1>Red sails in the sunset, part 2</h1>",
        ),
        ("<h1>boats.example</h1><h2>Red sails</h2>", "Red sails", "<h1>Red sails</h1>"),
        ("<h1>Boat Forum</h1><p>x</p>", "Red sails", "<h1>Red sails</h1><p>x</p>"),
        # nothing to choose between
        ("<h1>Red sails</h1><h2>Red sails</h2>", "Red sails", "<h1>Red sails</h1><h2>Red sails</h2>"),
        ("<h1>How to sail red</h1><h2>Red sails</h2>", "Red sails", "<h1>How to sail red</h1><h2>Red sails</h2>"),
        ("<h1>Our blog boats</h1><p>x</p>", "Our blog", "<h1>Our blog boats</h1><p>x</p>"),
        ("<h1>Welcome aboard</h1><h2>Prices</h2>", "Boat hire", "<h1>Welcome aboard</h1><h2>Prices</h2>"),
        ("<h2>Boat Forum</h2><h2>Red sails</h2>", "Red sails", "<h2>Boat Forum</h2><h2>Red sails</h2>"),
        ("<h1>Boat Forum</h1><h2>Red</h2>", "", "<h1>Boat Forum</h1><h2>Red</h2>"),
    ],
)
def test_the_masthead_goes_where_the_page_has_a_title_of_its_own(html, title, left):
    assert _left(html, title) == left


def test_an_address_that_is_none_does_no_harm():
    text = read("<title>Lamps - Harbour</title><h1>Harbour</h1><p>He trims the wick at dusk", "http://[", "text/html").text
    assert "trims the wick" in text


@pytest.mark.parametrize(
    ("html", "left"),
    [
        ("<h1>Red sails</h1><p>x", "<p>x</p>"),
        ("<h1>News</h1><h2><a href=/s>Red <i>sails</i></a> ¶</h2><p>x", "<h1>News</h1><p>x</p>"),
        ("<h1>Red sails in the sunset</h1>", "<h1>Red sails in the sunset</h1>"),
        ("<p>Red sails</p>", "<p>Red sails</p>"),
    ],
)
def test_a_heading_goes_that_says_the_title_and_nothing_else(html, left):
    body = parse(f"<body>{html}").find("body")
    before = body.inner_html
    assert drop_title(body, "Red sails") is (before != left)
    assert body.inner_html == left
