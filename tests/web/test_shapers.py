"""Pictures inside a text: each kind becomes a word, nothing else changes, and it takes one pass whatever a page holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.web.shapers.images import without_inline_images

DATA = "data:image/png;base64,iVBORw0KGgo="
DRAWING = "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' viewBox=\"0 0 9 9\"><g transform='scale(2)'/></svg>"
ENCODED = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='8'%3E%3Cpath d='M0 (1)'/%3E%3C/svg%3E"

PICTURES = {
    "Markdown": (f"![a  b]({DATA})", "[IMAGE: a b]"),
    "without words": (f"![]({DATA})", "[IMAGE]"),
    "with a title": (f'![a]({DATA} "the title")', "[IMAGE: a]"),
    "in angle brackets": (f"![a](<{DATA}>)", "[IMAGE: a]"),
    "with brackets in its words": (f"![a [b] \\] c]({DATA})", "[IMAGE: a [b] \\] c]"),
    "inside a link": (f"[![a]({DATA})](https://example.com/)", "[[IMAGE: a]](https://example.com/)"),
    "where a link leads": (f"[text]({DATA})", "[text]([IMAGE])"),
    "in parentheses": (f"({DATA})", "[IMAGE]"),
    "alone": (DATA, "[IMAGE]"),
    "two at once": (DATA + DATA, "[IMAGE][IMAGE]"),
    "in code": (f"`{DATA}`", "`[IMAGE]`"),
    "in a style": (f"background: url({DATA});", "background: url([IMAGE]);"),
    "in JSON": ('{"icon": "' + DATA + '", "n": 1}', '{"icon": "[IMAGE]", "n": 1}'),
    "before a full stop": (f"See {DATA}. Then", "See [IMAGE]. Then"),
    "upper case": (f"![a]({DATA.upper()})", "[IMAGE: a]"),
    "several parameters": ("![a](data:image/png;charset=utf-8;name=x.png;base64,AAAA)", "[IMAGE: a]"),
    "no parameters": ("![a](data:image/gif,GIF89a%01%00)", "[IMAGE: a]"),
    "wrapped lines": ("![a](data:image/png;base64,AAAA\nBBBB\r\n  CC==) b", "[IMAGE: a] b"),
    "a drawing": (f"![a]({DRAWING}) b", "[IMAGE: a] b"),
    "an encoded drawing": (f'url("{ENCODED}") b', 'url("[IMAGE]") b'),
    "a tag": (f'a <img class="x" alt="A &amp; B" src="{DATA}" width=3> b', "a [IMAGE: A & B] b"),
    "a tag in capitals": (f"<IMG SRC='{DATA}' ALT=cat>", "[IMAGE: cat]"),
    "a tag without words": (f'<img src="{DATA}"/>', "[IMAGE]"),
    "a tag with a drawing": (f'<img alt="x" src="{ENCODED}">', "[IMAGE: x]"),
    "a tag whose picture comes later": (
        f'<img src="{DATA}" data-src="https://example.com/a.png">', '<img src="[IMAGE]" data-src="https://example.com/a.png">',
    ),
    "by reference": (f"![x][p] ![p] ![p][] [p]\n\n[p]: {DATA} 'T'\nend", "[IMAGE: x] [IMAGE: p] [IMAGE: p] [p]\n\nend"),
    "by reference, defined first": (f"[Big P]: <{DATA}>\n![x][big  p]", "[IMAGE: x]"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), PICTURES.values(), ids=PICTURES)
def test_a_picture_becomes_a_word(text, shown):
    shaped, count = without_inline_images(text)
    assert shaped == shown
    assert count >= 1
    assert without_inline_images(shaped) == (shaped, 0)


@pytest.mark.parametrize(
    "text",
    [
        "![a](https://example.com/a.png)",
        "![a][p]\n\n[p]: https://example.com/a.png",
        '<img src="https://example.com/a.png" alt="data">',
        "A `data:image/png` address begins with data:image/ and its type.",
        "data:text/plain,hello",
        "",
    ],
)
def test_what_is_no_picture_inside_the_text_stays(text):
    assert without_inline_images(text) == (text, 0)


def test_a_picture_elsewhere_keeps_its_address_beside_one_inside():
    text = f"![real](https://example.com/a.png) and ![b]({DATA}) and [link](https://example.com/)"
    assert without_inline_images(text)[0] == "![real](https://example.com/a.png) and [IMAGE: b] and [link](https://example.com/)"


@pytest.mark.parametrize(
    "text",
    [
        f"![real](https://example.com/a.png) [link]({DATA})",
        f"![opened and never closed\n\nAnother paragraph]({DATA})",
        "data:image/svg+xml,<svg that is never closed\n\nA paragraph.\n\n<svg></svg>",
        "![a](data:image/png;base64,AAAA and words after it",
        "<img src=nothing> words src=" + DATA,
    ],
)
def test_no_words_are_swallowed(text):
    shaped, _ = without_inline_images(text)
    for word in (
        "https://example.com/a.png",
        "[link]",
        "opened and never closed",
        "A paragraph",
        "and words after it",
        "words src=",
    ):
        assert (word in shaped) == (word in text)


WORDS = st.text(alphabet="abé .,:;-_#*\n\u200b", min_size=1, max_size=12).map(lambda text: f" {text} ")
KINDS = [
    "Markdown",
    "without words",
    "in angle brackets",
    "in parentheses",
    "alone",
    "upper case",
    "a drawing",
    "a tag",
    "in code",
]


@given(st.lists(st.one_of(WORDS.map(lambda text: (text, text)), st.sampled_from([PICTURES[kind] for kind in KINDS]))))
def test_around_pictures_everything_stays(pieces):
    text = " ".join(given for given, _ in pieces)
    assert without_inline_images(text)[0] == " ".join(shown for _, shown in pieces)


@given(st.lists(st.sampled_from(["![", "](", ")", "(", "[a]: ", "<img src=", '"', "'", ">", DATA, DRAWING, " ", "\n", "word"])))
def test_no_data_survives_any_disorder(pieces):
    shaped, _ = without_inline_images("".join(pieces))
    assert "iVBORw0KGgo" not in shaped


def test_pages_are_cleaned_one_by_one():
    first, _ = without_inline_images("one data:image/png")
    second, _ = without_inline_images(";base64,AAAA two")
    assert (first, second) == ("one data:image/png", ";base64,AAAA two")


HOSTILE = [
    "![", "data:image/", "data:image/x,", "data:image/x, ", "![](data:image/x,", f"({DATA}) ", "data:image/svg+xml,<svg ",
    f'<img src="{DATA}" ', f"[a]: {DATA}\n", "](", "![](data:image/x, '", "![](data:image/x;base64,A\nA", "data:image/x;a;a;a",
    "<", "[a]:", "![a][",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("behind", ["", DATA, f"\n\n</svg>]({DATA})", f"\n[a]: {DATA}\n"])
def test_a_hostile_page_takes_one_pass(piece, behind):
    shaped, _ = without_inline_images(piece * (300_000 // len(piece)) + behind)
    assert "iVBORw0KGgo" not in shaped
