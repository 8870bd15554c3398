"""Reading URLs: strictly, in one normal form, and as the client's own parser reads them."""

import ada_url
import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limen.core.fault import Refusal
from limen.net.url import MAX_URL_CHARS, SafeUrl, join, normalise, parse

NORMAL = [
    ("HTTP://Example.COM", "http://example.com/"),
    ("https://example.com:443/", "https://example.com/"),
    ("http://example.com:443/", "http://example.com:443/"),
    ("https://example.com:", "https://example.com/"),
    ("https://example.com./a", "https://example.com/a"),
    ("https://example.com?", "https://example.com/?"),
    ("https://example.com/#", "https://example.com/#"),
    ("https://example.com/a b".replace(" ", "%20"), "https://example.com/a%20b"),
    ("https://example.com/%e4%BD%a0", "https://example.com/%e4%BD%a0"),
    ("https://example.com/你?q=好#吗", "https://example.com/%E4%BD%A0?q=%E5%A5%BD#%E5%90%97"),
    ("https://example.com/100%", "https://example.com/100%25"),
    ("https://example.com/%zz%4", "https://example.com/%25zz%254"),
    ("https://example.com/a/./b/../c", "https://example.com/a/c"),
    ("https://example.com/a/%2e%2E/b/%2e", "https://example.com/b/"),
    ("https://example.com/../..", "https://example.com/"),
    ("https://example.com/a//b", "https://example.com/a//b"),
    ("https://example.com/..a/b.", "https://example.com/..a/b."),
    ("https://example.com/?x=../y", "https://example.com/?x=../y"),
    ('https://example.com/"<>`{}', "https://example.com/%22%3C%3E%60%7B%7D"),
    ("https://example.com/?q={a}|[b]'\"<>", "https://example.com/?q={a}|[b]'%22%3C%3E"),
    ("https://bücher.example/", "https://xn--bcher-kva.example/"),
    ("https://Bücher.example/", "https://xn--bcher-kva.example/"),
    ("https://faß.example/", "https://xn--fa-hia.example/"),
    ("https://[2606:4700:0:0::1111]/", "https://[2606:4700::1111]/"),
    ("https://[::FFFF:8.8.8.8]:8443/", "https://[::ffff:8.8.8.8]:8443/"),
]


@pytest.mark.parametrize(("given_url", "normal"), NORMAL)
def test_normal_form(given_url, normal):
    assert normalise(given_url) == normal
    assert normalise(normal) == normal


def test_the_parts_are_at_hand():
    url = parse("https://Example.com:8443/a?b#c")
    assert url == SafeUrl("https", "example.com", False, 8443, "/a", "b", "c")
    assert url.origin == "https://example.com:8443"
    assert url.request_url == "https://example.com:8443/a?b"


def test_length_has_a_limit():
    stem = "https://example.com/"
    assert isinstance(parse(stem + "a" * (MAX_URL_CHARS - len(stem))), SafeUrl)
    assert parse(stem + "a" * (MAX_URL_CHARS - len(stem) + 1)).code == "network.malformed"
    assert parse(stem + "a" * 10_000_000).code == "network.malformed"
    assert parse(stem + "é" * (MAX_URL_CHARS // 3)).code == "network.malformed", (
        "its normal form would be too long to be read again"
    )


def test_no_refusal_quotes_a_whole_hostile_host():
    assert len(parse("http://" + "é" * 5_000 + "/").reason) < 700


JOINED = [
    ("g", "https://a.example/b/c/g"),
    ("./g", "https://a.example/b/c/g"),
    ("g/", "https://a.example/b/c/g/"),
    ("/g", "https://a.example/g"),
    ("//g.example", "https://g.example/"),
    ("?y", "https://a.example/b/c/d;p?y"),
    ("g?y", "https://a.example/b/c/g?y"),
    ("#s", "https://a.example/b/c/d;p?q#s"),
    ("", "https://a.example/b/c/d;p?q"),
    (".", "https://a.example/b/c/"),
    ("..", "https://a.example/b/"),
    ("../g", "https://a.example/b/g"),
    ("../../../g", "https://a.example/g"),
    ("http://h.example/x", "http://h.example/x"),
    ("g;x=1/../y", "https://a.example/b/c/y"),
    ("g?y/../x", "https://a.example/b/c/g?y/../x"),
    ("/ü", "https://a.example/%C3%BC"),
]


@pytest.mark.parametrize(("reference", "expected"), JOINED)
def test_references_resolve_as_rfc_3986_says(reference, expected):
    base = parse("https://a.example/b/c/d;p?q")
    assert str(join(base, reference)) == expected


@pytest.mark.parametrize(
    "reference",
    [
        "http:g", "http:", "javascript:x", "data:,x", "\\\\evil", "/\\evil", "\t//evil", "/a b", "//user@x.example/", "//",
        "///x", "//[::1%25lo]/", "x:y",
    ],
)  # fmt: skip
def test_references_are_read_as_strictly_as_urls(reference):
    assert isinstance(join(parse("https://a.example/b"), reference), Refusal)


HOSTILE = st.text(
    st.one_of(st.sampled_from("/\\:@?#[]%.0123456789abcdefx-_ \t\n。．⁄℀Ⅷ①٠ß\u200b\xad"), st.characters()), max_size=40
)
URLS = st.one_of(
    HOSTILE.map(lambda rest: f"http://{rest}"),
    HOSTILE.map(lambda rest: f"https://example.com/{rest}"),
    HOSTILE.map(lambda rest: f"https://example.com{rest}"),
    HOSTILE,
)


@given(URLS)
@settings(deadline=None, max_examples=1_500)
def test_what_is_accepted_is_read_alike_by_all(url):
    parsed = parse(url)
    if isinstance(parsed, Refusal):
        assert parsed.gate == "network"
        assert parsed.mend
        return
    normal = str(parsed)
    assert normal.isascii()
    assert normal.isprintable()
    assert parse(normal) == parsed
    theirs = httpx2.URL(parsed.request_url)
    assert theirs.raw_host.decode() == parsed.host
    assert str(theirs) == parsed.request_url
    browser = ada_url.parse_url(normal, attributes=("hostname", "href"))
    assert browser["hostname"].strip("[]") == parsed.host or ":" in parsed.host
    assert "@" not in normal.partition("//")[2].partition("/")[0]


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.text(st.characters(codec="utf-8"), max_size=60))
@settings(deadline=None)
def test_normalising_twice_changes_nothing(path, query):
    once = normalise(f"https://example.com/{path}?{query}")
    if isinstance(once, str):
        assert normalise(once) == once
