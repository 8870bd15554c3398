"""Lines kept by style, line breaks in a row, and links that show nothing."""

import pytest

from limen.reading import read
from limen.reading.markup.markdown import write_markdown
from limen.reading.markup.unfold import unfolded


def markdown(html: str) -> str:
    return read(f"<body>{html}</body>", "https://e.example/d/p.html", "text/html").text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<p style="white-space:pre-wrap">a <b>b</b></p>', "a **b**"),
        ('<h2 style="WHITE-SPACE: pre-line">a</h2><p>b</p>', "## a\n\nb"),
        ('<ol><li><p style="white-space:pre-wrap;">a</p><li><p style="white-space:pre-wrap;">b</p></ol>', "1. a\n2. b"),
        ('<p>run <code style="white-space:pre">x y</code> now</p>', "run `x y` now"),
        ('<div style="white-space:pre-wrap">one\ntwo <i>x</i>\n\nthree</div>', "one  \ntwo *x*\n\nthree"),
        ('<div style="white-space:pre-wrap">\n  <p>one</p>\n  <p>two</p>\n</div>', "one\n\ntwo"),
        ('<div style="white-space:nowrap">one\ntwo</div>', "one two"),
        ('<div style="white-space:pre;font-family:Menlo, monospace">a\n  b</div>', "```\na\n  b\n```"),
        ('<pre style="white-space:pre-wrap">a\n  b</pre>', "```\na\n  b\n```"),
        ('<pre><code style="white-space:pre">a\n  b</code></pre>', "```\na\n  b\n```"),
        ('<table><tr><th>x<th>y<tr><td style="white-space:pre">a\nb<td>c</table>', "| x | y |\n| --- | --- |\n| a b | c |"),
    ],
)
def test_a_style_makes_no_code_block(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a<br>b</p>", "a  \nb"),
        ("<p>a<br><br>b</p>", "a\n\nb"),
        ("<p>a<br> <br>\n<br>b</p>", "a\n\nb"),
        ("<p>a <b>x</b><br/><br/><i>y</i> b</p>", "a **x**\n\n*y* b"),
        ("<p>a<br><span><br>b</span></p>", "a\n\nb"),
        ("<p><br>a</p>", "a"),
        ("<table><tr><td><div>a<br><br>b</div><div>c</div></table>", "a\n\nb\n\nc"),
        ("<blockquote>a</blockquote><br>b", "> a\n\nb"),
        ("<ul><li>a<br><br>b</ul>", "- a\n\n  b"),
        ("<pre>a<br><br>b</pre>", "```\na\n\nb\n```"),
        ("<table><tr><th>x<th>y<tr><td>a<br><br>b<td>c</table>", "| x | y |\n| --- | --- |\n| a b | c |"),
        ("<h2>a<br><br>b</h2><p>c</p>", "## a b\n\nc"),
    ],
)
def test_breaks_in_a_row_end_a_paragraph(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_a_link_that_shows_nothing_is_no_text_and_can_be_followed() -> None:
    page = read(
        '<body><p>a <a href="/x"></a><a href="#y"> </a>b <a href="/z"><img src="i.png" alt="z"></a></p>', "https://e.example/"
    )
    assert page.text == "a b [![z](https://e.example/i.png)](https://e.example/z)"
    assert [link.url for link in page.links] == ["https://e.example/x", "https://e.example/z"]


def test_a_title_describes_an_image_that_has_no_other_words() -> None:
    assert (
        markdown('<p>x <img src="a.png" title="A &quot;map&quot;\nof it"></p>') == 'x ![A "map" of it](https://e.example/d/a.png)'
    )
    assert markdown('<p>x <img src="a.png" alt="map" title="A map"></p>') == "x ![map](https://e.example/d/a.png)"


@pytest.mark.parametrize("piece", ["<br>", "<span><br>", '<p style="white-space:pre">', '<span style="white-space:pre-wrap">\n'])
def test_many_of_them_come_to_an_end(piece: str) -> None:
    assert "end" in markdown(piece * 3_000 + "end")


def test_what_stands_around_a_part_is_no_matter_of_its_lines() -> None:
    document = unfolded("<table><tr><td><div>a<br><br>b</div></table>")
    assert write_markdown(document, document.select_one("div"), "https://e.example/").text == "a\n\nb"


def test_rules_divide_what_stands_around_them():
    assert markdown("<hr><hr><h2>A</h2><p>x</p><hr><p>y</p><hr>") == "## A\n\nx\n\n---\n\ny"
    assert markdown("<hr>") == ""
