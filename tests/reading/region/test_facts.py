"""What a page says of itself is seen however it is written."""

import pytest
from turbohtml import parse

from limen.reading import read
from limen.reading.region.facts import stated_words

MANUALS = (
    '<meta name="Generator" content="makeinfo">',
    '<link rel="start" href="index.html"><link rel="up" href="api.html"><link rel="next" href="b.html">',
    '<link rel="home" href="index.html"><link rel="up" href="book.html">',
)
WORDS = "<p>The function returns the number of lamps that burn, or a negative number if there is none.</p>"


@pytest.mark.parametrize("head", MANUALS)
def test_pages_of_manuals_are_documentation(head):
    html = f"<html><head><title>Lamps</title>{head}</head><body><h1>Lamps</h1>{WORDS}</body></html>"
    assert read(html, "https://lamps.example/Lamps.html", "text/html").page_type == "documentation"


def test_a_link_up_alone_is_no_manuals():
    found = stated_words(parse('<link rel="up" href="/forum">'), (), "https://board.example/t/1")
    assert "gen:manual" not in found


def test_what_lies_over_a_page_is_not_its_title():
    notice = '<div role="dialog"><h1>Your choice regarding cookies</h1><p>We use them to know you again.</p></div>'
    stories = "".join(
        f"<h2><a href='/s/{i}'>Story {i} of the harbour</a></h2><p>It was told in the tower.</p>" for i in range(40)
    )
    text = read(f"<title>Harbour news</title>{notice}<main>{stories}</main>", "https://news.example/", "text/html").text
    assert "cookies" not in text
    assert "Story 7" in text
