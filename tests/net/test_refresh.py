"""Reading `Refresh` values and finding meta refreshes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.net.refresh import meta_refresh, parse_refresh


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0;url=/a", (0, "/a")),
        ("5; URL = /a?b=1;c", (5, "/a?b=1;c")),
        (" 3 , url=/a ", (3, "/a")),
        ("0;url='/a b'tail", (0, "/a b")),
        ('0; url="/a"', (0, "/a")),
        ("0 url=/a", (0, "/a")),
        ("0; /a", (0, "/a")),
        (";url=/a", (0, "/a")),
        ("0.5;url=/a", (0, "/a")),
        ("0;url=", None),
        ("0", None),
        ("30", None),
        ("", None),
        ("soon", None),
    ],
)
def test_values(value, expected):
    assert parse_refresh(value) == expected


@pytest.mark.parametrize(
    ("html", "target"),
    [
        ('<meta http-equiv="refresh" content="0;url=/a">', "/a"),
        ("<META HTTP-EQUIV=refresh CONTENT='0;URL=/a'/>", "/a"),
        ('<meta content="0;url=/a&amp;b=%20" http-equiv="Refresh">', "/a&b=%20"),
        ('<meta http-equiv="refresh" content="0;url=/ü">', "/ü"),
        ('<meta name=x content="a > b"><meta http-equiv="refresh" content="0;url=/a">', "/a"),
        ('<noscript><meta http-equiv="refresh" content="0;url=/a"></noscript>', "/a"),
        ('<!--><meta http-equiv="refresh" content="0;url=/a">', None),
        ('<!-- <meta http-equiv="refresh" content="0;url=/a"> -->', None),
        ('<script>"<meta http-equiv=refresh content=0;url=/a>"</script>', None),
        ('<title><meta http-equiv="refresh" content="0;url=/a"></title>', None),
        ('<textarea><meta http-equiv="refresh" content="0;url=/a"></textarea><meta http-equiv=refresh content="0;url=/b">', "/b"),
        ('<meta http-equiv="refresh">', None),
        ('<meta http-equiv="refresh" content="60">', None),
        ('<metadata http-equiv="refresh" content="0;url=/a">', None),
        ("<meta", None),
        ("", None),
        ("x" * 65_536 + '<meta http-equiv="refresh" content="0;url=/a">', None),
    ],
)
def test_pages(html, target):
    found = meta_refresh(html.encode())
    assert (found.target if found else None) == target


@given(st.binary(max_size=400))
def test_any_bytes_get_an_answer(page):
    meta_refresh(page)
    meta_refresh(b"<meta " + page + b">")


@given(st.text(max_size=80))
def test_any_value_gets_an_answer(value):
    parse_refresh(value)
