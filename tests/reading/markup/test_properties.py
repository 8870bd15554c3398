"""Whatever a page is made of: its words come out in order, its code as it stands, its marks as Markdown."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from reading.markup.whole import HERE, markdown, plain, written
from turbohtml import parse

WORDS = re.compile(r"[a-z]{3}\d+[a-z]")
CODE = st.text(alphabet="ab *_`~|[]()<>&\\#$\n\t-.1!{}^", min_size=1, max_size=40)
INLINE = (
    "b",
    "i",
    "strong",
    "em",
    "span",
    "u",
    "s",
    "code",
    "kbd",
    "q",
    "a href=/x",
    "sub",
    "sup",
    "mark",
    "small",
    "x-y",
    "label",
)
BLOCKS = (
    "p", "div", "ul", "ol", "li", "blockquote", "table", "tr", "td", "th", "dl", "dt", "dd", "h2", "h3", "section", "details",
    "summary", "figure", "figcaption", "pre", "center", "form", "fieldset", "caption", "a href=/y", "ol reversed", "ol type=i",
    "div role=tabpanel", "div role=tablist", "b role=tab", "header", "aside", "address", "td colspan=2", "td rowspan=2",
)  # fmt: skip


def _tree(tags, leaves):
    return st.recursive(
        leaves,
        lambda inner: st.tuples(st.sampled_from(tags), st.lists(inner, max_size=4)).map(
            lambda made: f"<{made[0]}>{''.join(made[1])}</{made[0].split()[0]}>"
        ),
        max_leaves=14,
    )


LEAVES = st.sampled_from(
    ["w", "w ", " w", "<br>", " ", "\n", "<hr>", "w&nbsp;w", "*w*", "[w](w)", "w_w", "&lt;w&gt;", "1. w", "# w", "$w_w$"]
)
PAGES = st.lists(_tree(BLOCKS, _tree(INLINE, LEAVES)), max_size=5).map("".join)


def numbered(html):
    """The same page with each of its words told apart."""
    count = iter(range(10_000))
    return re.sub(r"(?<![a-z-])w(?![a-z])", lambda _: f"wor{next(count)}d", html)


def words_of(text):
    return list(dict.fromkeys(WORDS.findall(text)))


def seen(html):
    document = parse(html, positions=False)
    for element in document.select("svg,script,style"):
        element.extract()
    return words_of(document.find("body").text)


@settings(max_examples=300, deadline=None)
@given(PAGES.map(numbered))
def test_every_word_of_a_page_comes_out(html):
    wanted = sorted(seen(html))
    assert sorted(words_of(markdown(html))) == wanted
    assert sorted(words_of(plain(html))) == wanted


@settings(max_examples=300, deadline=None)
@given(PAGES.map(numbered))
def test_words_come_in_the_order_of_the_page(html):
    moved = ("caption", "dt", "dd", "tabpanel", "tab", "ul", "ol", "figcaption", "rowspan", "colspan", "table", "thead")
    if not any(tag in html for tag in moved):  # which Markdown has in an order of its own
        assert words_of(markdown(html)) == seen(html)


@settings(max_examples=200, deadline=None)
@given(PAGES.map(numbered))
def test_no_tag_and_no_mark_of_ours_is_left(html):
    for page_format in ("markdown", "text"):
        text = written(html, page_format).text
        text.encode()
        assert not re.search(r"(?<!\\)</?(?:strong|em|b|i|table|td|ol|li|br|sup|sub)\b", text)
        assert not re.search("[\ufdd0-\ufdef]", text)
    assert not re.search("[\ufdd0-\ufdef]", written(html, "html").text)


@settings(max_examples=200, deadline=None)
@given(CODE, st.sampled_from(["", "<ul><li>", "<blockquote>", "<dl><dd>", "<table><tr><td>", "<a href=/x>", "<h2>x</h2><div>"]))
def test_code_is_as_it_stands(code, around):
    escaped = code.replace("&", "&amp;").replace("<", "&lt;")
    lines = code.strip("\n").rstrip().split("\n")
    text = markdown(f"{around}<pre>x\n{escaped}\ny</pre>")
    assert re.search("`{3,}", text)
    found = [
        re.sub("^(?:> ?|  )", "", line) if around not in {"", "<table><tr><td>", "<a href=/x>", "<h2>x</h2><div>"} else line
        for line in text.split("\n")
    ]
    if around in {"", "<h2>x</h2><div>"}:
        assert "\n".join(["x", *code.split("\n"), "y"]).expandtabs(1) in text.expandtabs(1)
    for line in lines:
        assert any(line.strip() == other.strip() or line.strip() in other for other in found)


@settings(max_examples=50, deadline=None)
@given(PAGES)
def test_the_same_page_is_written_the_same_way(html):
    assert written(html) == written(html)
    assert written(html).links == written(f"<base href='{HERE}'>{html}").links


@given(st.text(max_size=60))
def test_any_text_can_be_encoded(text):
    for page_format in ("markdown", "text", "html"):
        written(f"<p>{text}</p><pre>{text}</pre><a href='{text}'>{text}</a>", page_format).text.encode("utf-8", "surrogatepass")
