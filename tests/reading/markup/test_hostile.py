"""Pages made to cost more than they are: what is written and what is done for it grow no faster than the page."""

import sys

import pytest
from reading.markup.whole import markdown, written

COUNT = 1_000
# Every piece comes back at most this often larger, and a page of twice as many pieces costs at most three times as much.
GROWTH = 8
STEPS = 3

PIECES = {
    "terms": "<dt>ab", "definitions": "<dl><dt>a<dd>b</dl>", "nested definitions": "<dl><dt>a<dd>", "links": "<a href=x>a</a>",
    "headers": "<th>a", "rows": "<tr><th>a<td>b", "nested quotes": "<blockquote>a", "nested lists": "<ul><li>a",
    "lists in lists": "<ul>", "bold": "<b>", "bold words": "<b>x</b>", "misnested bold": "<b><p>x", "nested blocks": "<div>a",
    "raised": "x<sup>2</sup>", "headings": "<h2 id=a>a</h2>", "listings": "<pre>a</pre>", "breaks": "a<br><br>",
    "formulas": "<math><mi>x</mi></math>", "nested formulas": "<mrow>", "code": "<code>a</code>", "ruby": "<ruby>a<rt>b</ruby>",
    "images": "<img src=a alt=b>", "details": "<details><summary>a</summary>", "tables": "<table><tr><td>a<td>b</table>",
    "nested tables": "<table><tr><td>", "numbers": "<ol><li value=7>a</ol>", "struck": "<del>x", "brackets": "[", "stars": "*a ",
    "dollars": "$a_", "delimiters": "\\(", "abbreviations": "<abbr title='x y'>a</abbr> ", "spans": "<span>Ab</span>",
    "shadows": "<x-a><template shadowrootmode=open><slot>", "boxes": "<li><input type=checkbox disabled>",
    "tabs": "<div role=tablist><b role=tab>a</b></div><div role=tabpanel hidden>y</div>", "roles": "<div role=heading>a</div>",
    "notes": "<sup><a href='#n'>1</a></sup><p id=n>x</p>", "cards": "<a href=/x><p>a</p><p>b</p></a>",
    "images in a link": "<a href=/x>a<img src=a.png alt=b>", "images apart": "<a href=/x><img src=a.png> a</a>",
    "tools": "<h2><span>Copy</span>a</h2>", "values": "<tr><th>a<th>b<tr><td><table><td>a</table><td>b<br>c<br>d",
    "items": "<ul><li><div><ul><li>a</ul></div></ul>", "bold breaks": "<b>a<br>", "bold headings": "<h3><b>a</b></h3>",
    "grids": "<div role=table><div role=row><b role=cell>a</b></div></div>",
}  # fmt: skip


def page(piece, count):
    return {"<dt>ab": "<dl>", "<th>a": "<table><tr>", "<tr><th>a<td>b": "<table>", "<mrow>": "<math>"}.get(
        piece, "<p>"
    ) + piece * count


def steps(html):
    taken = 0

    def count(frame, event, argument):
        nonlocal taken
        taken += 1

    sys.setprofile(count)
    try:
        markdown(html)
    finally:
        sys.setprofile(None)
    return taken


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_a_page_of_one_piece_costs_and_yields_what_it_holds(piece):
    html = page(piece, COUNT)
    assert len(markdown(html)) <= GROWTH * len(html) + 1_000
    assert steps(page(piece, 2 * COUNT)) <= STEPS * steps(html) + 1_000


def test_spans_beyond_reason_are_bounded():
    rows = "<table>" + "<tr><td rowspan=1000000 colspan=1000000>abc<td>x" * 10_000
    assert len(markdown(rows)) < 2_500_000
    assert steps(rows) < 3_000_000


def test_attributes_of_megabytes_cost_no_more_than_their_characters():
    html = f"<p title='{'x' * 2_000_000}'>t <a href='{'y' * 1_000_000}'>l</a> <img alt='{'z' * 1_000_000}' src=a></p>"
    assert len(markdown(html)) < 2_100_000
    assert steps(html) < 5_000


def test_words_below_the_deepest_level_are_kept_apart_and_in_order():
    html = "".join(f"<div>w{number}<b>x</b>" for number in range(30_000))
    assert written(html).text.replace("**", "").split() == [word for number in range(30_000) for word in (f"w{number}x",)]


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "a&#0;b", "a&#xD800;b", "a&#xFDD6;b", "a\ufdd2b"])
def test_what_is_no_text_never_keeps_a_page_from_being_written(text):
    for page_format in ("markdown", "text"):
        written(f"<p>{text}</p><pre>{text}</pre><p title='{text}'><a href='/{text}'>{text}</a>", page_format).text.encode(
            "utf-8", "replace"
        )
