"""Addresses of links and images as a browser would take them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.net.url import normalise
from limen.reading import read

HERE = "https://e.example/articles/current"


def link_of(href):
    (link,) = read(f'<p>words <a href="{href}">text</a></p>', HERE, "text/html").links
    return link.url


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/x y", "https://e.example/x%20y"),
        ("  /x\n/y  ", "https://e.example/x/y"),
        ("/a%20b", "https://e.example/a%20b"),
        ("https://o.example/x y(1)", "https://o.example/x%20y(1)"),
        ("/a<b>&quot;c", "https://e.example/a%3Cb%3E%22c"),
        ("/日本?q=ü", "https://e.example/日本?q=ü"),
    ],
)
def test_a_link_is_what_a_browser_makes_of_it(href, url):
    assert link_of(href) == url


@given(st.text(alphabet=' \t\n"<>()[]\\x日/?&', max_size=12))
def test_every_link_of_a_page_can_be_followed_or_is_refused_by_name(path):
    page = read(f"<p>words <a href='https://o.example/{path}'>text</a></p>", HERE, "text/html")
    for link in page.links:
        assert not any(char in link.url for char in ' \t\n"<>')
        normalise(link.url)


@pytest.mark.parametrize(
    ("attributes", "url"),
    [
        ("srcset='a.png 1x, b.png 2x'", "https://e.example/articles/a.png"),
        ("srcset='w_1,h_2/a.png 1x, b.png 2x'", "https://e.example/articles/w_1,h_2/a.png"),
        ("srcset=' , a.png, b.png'", "https://e.example/articles/a.png"),
        ("srcset='data:image/gif;base64,AA 1x' data-src='c.png'", "https://e.example/articles/c.png"),
        ("src='data:image/gif;base64,AA' data-srcset='/d.png 2x'", "https://e.example/d.png"),
        ("src='a b.png'", "https://e.example/articles/a%20b.png"),
        ("src=a.png srcset='b.png 2x'", "https://e.example/articles/a.png"),
    ],
)
def test_an_image_has_the_address_of_its_picture(attributes, url):
    assert read(f"<p>words <img {attributes} alt=it></p>", HERE, "text/html").text == f"words ![it]({url})"


def test_a_picture_s_sources_count_where_its_image_has_none():
    html = "<p>words <picture><source srcset='p.webp 1x'><img alt=it></picture></p>"
    assert read(html, HERE, "text/html").text == "words ![it](https://e.example/articles/p.webp)"


@pytest.mark.parametrize("srcset", ["", ",", " , ,", "\n"])
def test_a_list_of_nothing_is_no_image(srcset):
    assert read(f"<p>words <img srcset='{srcset}' alt=it></p>", HERE, "text/html").text == "words"


def hidden(address, key=0x5A):
    return bytes([key, *(letter ^ key for letter in address.encode())]).hex()


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href='/cdn-cgi/l/email-protection' class=__cf_email__ data-cfemail={}>[email&nbsp;protected]</a>",
         "[ab@e.example](mailto:ab@e.example)"),
        ("<a href='/cdn-cgi/l/email-protection#{}'>Write to us</a>", "[Write to us](mailto:ab@e.example)"),
        ("<a href='/cdn-cgi/l/email-protection#{}'><span class=__cf_email__ data-cfemail={}>[email protected]</span></a>",
         "[ab@e.example](mailto:ab@e.example)"),
        ("<span class=__cf_email__ data-cfemail=zz>[email protected]</span>", "[email protected]"),
    ],
)  # fmt: skip
def test_an_address_that_a_script_would_write_is_written(html, expected):
    text = read(f"<p>words {html.replace('{}', hidden('ab@e.example'))}</p>", HERE, "text/html").text
    assert text.replace("<ab@e.example>", "[ab@e.example](mailto:ab@e.example)") == f"words {expected}"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a<a href=/x><svg></svg> <b> b </b> </a>c", "a [**b**](https://e.example/x) c"),
        ("<a href=/x>\n  b\n</a>", "[b](https://e.example/x)"),
        ("<a href=/x><button>b</button></a>", "[b](https://e.example/x)"),
        ("<a href=/x>4.7 of 5</a>", "[4.7 of 5](https://e.example/x)"),
    ],
)
def test_a_link_is_as_long_as_its_words(html, expected):
    assert read(f"<p>{html}</p>", HERE, "text/html").text == expected
