"""Footnotes: no number is glued to a word, and both ways between a reference and its note are kept."""

import pytest
from reading.markup.whole import markdown, plain, written

SPHINX = (
    '<p>Text<a class="footnote-reference brackets" href="#f1" id="r1">1</a> goes on.</p><aside class="footnote brackets" id="f1">'
    '<span class="label"><span class="fn-bracket">[</span><a href="#r1">1</a><span>]</span></span><p>The note.</p></aside>'
)
GFM = (
    '<p>Text<sup><a href="#fn-1" id="fnref-1" data-footnote-ref>1</a></sup> goes on.</p><section class="footnotes"><ol>'
    '<li id="fn-1"><p>The note. <a href="#fnref-1" class="data-footnote-backref">↩</a></p></li></ol></section>'
)
WIKI = (
    '<p>Text<sup id="cite_ref-1"><a href="#cite_note-1"><span>[</span>1<span>]</span></a></sup> goes on.</p><ol>'
    '<li id="cite_note-1"><span class="mw-cite-backlink"><b><a href="#cite_ref-1">^</a></b></span> <span>The note.</span></ol>'
)
OLD = (
    '<p>Text<a name="r1"></a><sup>[<a href="#f1">1</a>]</sup> goes on.</p><p><a name="f1"></a>[<a href="#r1">1</a>] The note.</p>'
)
LISTED = (
    '<p>Text<a class="footnote-reference" href="#id2" id="id1">[1]</a> goes on.</p><dl class="footnote brackets">'
    '<dt id="id2"><span class="brackets"><a href="#id1">1</a></span></dt><dd><p>The note.</p></dd></dl>'
)


@pytest.mark.parametrize("html", [SPHINX, GFM, WIKI, OLD, LISTED])
def test_a_reference_and_its_note_share_a_label(html):
    assert markdown(html) == "Text[^1] goes on.\n\n[^1]: The note."
    assert plain(html) == "Text[1] goes on.\n\n[1] The note."


def test_html_keeps_the_links():
    assert '<a href="#fn-1"' in written(GFM, "html").text


def test_one_note_may_be_referred_to_often_and_one_label_stand_for_several_notes():
    html = (
        "<p>a<sup><a href='#n1'>1</a></sup> b<sup><a href='#n1'>1</a>, <a href='#n2'>1</a></sup></p>"
        "<ol><li id=n1>one<li id=n2>two<li>three</ol>"
    )
    assert markdown(html) == "a[^1] b[^1], [^1-2]\n\n[^1]: one\n\n[^1-2]: two\n\n3. three"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a<sup><a href='#gone'>1</a></sup></p>", "a[1](#gone)"),
        ("<p id=s>a <a href='#s'>1</a></p>", "a [1](#s)"),
        ("<p>a<sup><a href='#t'>2</a></sup></p><div id=t><h2>Part</h2>x</div>", "a[2](#t)\n\n## Part\n\nx"),
        ("<p>a<sup><a href='#t'>2</a></sup></p><p>so <b id=t>then</b></p>", "a[2](#t)\n\nso **then**"),
        ("<p id=p>a<sup><a href='#p'>1</a></sup></p>", "a[1](#p)"),
    ],
)
def test_other_links_stay_links(html, expected):
    assert markdown(html) == expected


def test_the_outline_says_nothing_of_a_heading_s_notes():
    page = written("<h2 id=h>Title<sup><a href='#n'>1</a></sup></h2><ol><li id=n>note</ol>")
    assert page.text == "## Title[^1]\n\n[^1]: note"
    assert [heading.text for heading in page.outline] == ["Title"]


def test_what_a_number_leaves_behind_goes_with_it():
    html = "<p>x<a id=r href=#n><sup>1</sup></a></p><p id=n><a href=#r>1</a>. A note.</p>"
    assert markdown(html) == "x[^1]\n\n[^1]: A note."
