"""`read` on anything at all: a page or a ToolFault, in bounded time, with an outline and links that hold."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from limen.core.fault import ToolFault
from limen.reading import document, read

TAGS = st.sampled_from(
    """div p h1 h2 h3 ul ol li dl dt dd table tr td th pre code a b em i strong span br img nav main article aside header footer
    section blockquote sup math noscript script svg button hr title meta base""".split()  # noqa: SIM905 - a list of 47 strings
)
ATTRIBUTES = st.sampled_from(
    [
        "", ' id="x"', ' class="note"', ' class="nav-menu"', " hidden", ' href="/a"', ' href="#b"', ' src="i.png" alt="i"',
        " colspan=3", " rowspan=2", ' role="main"', ' class="highlight-sh"', ' style="display:none"',
        ' name="author" content="z"', ' href="http://[x"', ' href="http://[::1/#x"', ' href="//"', ' href="x:"', ' src="//["',
    ]
)  # fmt: skip
WORDS = st.sampled_from(
    ["word", " two words ", "*_`[]()<>|", "&amp;&nbsp;&#xfdd0;", "\n", "1. ", "# ", "é漢", "\ufdd0", "\u200b", ""]
)
SOUP = st.lists(
    st.one_of(
        st.builds(lambda tag, attributes: f"<{tag}{attributes}>", TAGS, ATTRIBUTES),
        st.builds(lambda tag: f"</{tag}>", TAGS),
        WORDS,
    ),
    max_size=60,
).map("".join)


def letters(text):
    """What a line says: without images, addresses of links, and signs."""
    return re.sub(r"[\W_]", "", re.sub(r"!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)", "", text))


@given(SOUP, st.sampled_from(["https://e.example/p", "", "http://[", "file:///a/b.html", "a b", "x#y#z"]))
@settings(max_examples=400)
@example("<h1>a<dl><dt id=x>b<br>c<dd><table><tr><td><h2 id=y>d</table></dl>", "")
@example("<ul><h1><li>word", "")
@example("<h2><dd>a<dt>b", "")
@example('<base href="http://[bad"><a href="http://[::1">x</a><a href="//">y</a>', "http://[")
def test_any_markup_gives_a_page_that_holds_together(html, url):
    page = read(f"<body>{html}", url, "text/html")
    lines = page.text.split("\n")
    for heading in page.outline:
        assert 1 <= heading.level <= 6
        assert letters(heading.text) in letters(lines[heading.line - 1])
    assert [link.n for link in page.links] == list(range(1, len(page.links) + 1))
    assert len({link.url for link in page.links}) == len(page.links)
    assert not re.search("[\ufdd0-\ufdd7]", page.text)
    page.text.encode("utf-8")


@given(
    st.binary(max_size=300),
    st.none() | st.sampled_from(["text/html", "text/markdown", "application/json", "text/plain", "x"]),
    st.text(max_size=20),
)
def test_any_bytes_give_a_page_or_a_tool_fault(data, content_type, url):
    try:
        text = read(data, url, content_type).text
    except ToolFault as fault:
        text = fault.reason
    text.encode("utf-8")


@given(st.text(max_size=200), st.none() | st.sampled_from(["text/html", "text/markdown", "text/plain"]))
def test_any_text_gives_a_page(text, content_type):
    read(text, "", content_type)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 20_000 + "deep",
        "<div class='nav'>x" * 20_000,
        "<div hidden>x" * 20_000,
        "<dl><dt>a<dd>b" * 5_000,
        "<table><tr><td>x" * 5_000,
        "<b>x" * 20_000,
        "<!--" * 500_000,
        "<p>" + "[a](*_`<" * 50_000,
        "<p " + " ".join(f"a{n}=1" for n in range(20_000)) + ">x",
        "<table>" + "<tr><td colspan=1000 rowspan=1000>x" * 500,
        "<p>\x00" + "word " * 1_000_000,
    ],
    ids=lambda html: html[:16],
)
def test_hostile_markup_is_read(html):
    assert read(html, "https://e.example/", "text/html").media_type == "text/html"


@pytest.mark.parametrize(
    "document",
    [
        "<title>a\ud800</title><p>b &#xd800; &#27;[31mc &#8;",
        '{"version":"https://jsonfeed.org/version/1","title":"\\ud800","items":[{"title":"\\u001b","content_text":"\\udfff"}]}',
        '{"nbformat":4,"metadata":{"title":"\\ud800"},"cells":[{"cell_type":"markdown","source":["# \\ud800 [\\u0007](http://\\udfff)"]}]}',
        "From: a@e.example\nSubject: =?utf-8?B?GwdbMzFt?=\nContent-Transfer-Encoding: base64\n\nGwdbMzFt",
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:" + "a\x1bb" * 10_000,
    ],
    ids=["html", "jsonfeed", "notebook", "mail", "calendar"],
)
@pytest.mark.parametrize("page_format", ["markdown", "text", "html"])
def test_every_page_can_be_stored_and_printed(document, page_format):
    page = read(document, "", None, page_format)
    shown = repr((page.text, page.title, page.author, page.published, page.outline, page.links))
    assert not re.search(r"\\x[01][0-9a-f]|\\x7f|\\ud[89a-f]", shown)
    assert len(page.title) <= 500


def test_one_line_of_fifty_megabytes_is_a_text():
    assert len(read(b"a" * 50_000_000).text) == 50_000_000


def test_too_large_is_said_with_the_limit():
    with pytest.raises(ToolFault, match="100,000,000") as caught:
        read(b"a" * (document.TEXT_LIMIT_BYTES + 1))
    assert caught.value.code == "reading.too_large"


def test_nothing_is_an_empty_page():
    for data in (b"", ""):
        assert read(data).text == read(data, "", "text/html").text == ""


def test_reading_is_pure():
    html = "<main><h1>A</h1><p>b <b>c</b></p></main>"
    assert read(html, "https://e.example/", "text/html") == read(html, "https://e.example/", "text/html")
