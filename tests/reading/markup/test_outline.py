"""Headings are found where a Markdown reader finds them, and marks come back as lines."""

from hypothesis import given
from hypothesis import strategies as st
from turbohtml import parse

from limen.reading.formats.text_outline import outline_of
from limen.reading.markup.outline import Marks, anchor_of


def found(markdown):
    return [(heading.level, heading.text, heading.line) for heading in outline_of(markdown)]


def test_atx_and_setext_headings():
    assert found("# One\n\nTwo\n===\n\ntext\nThree\n---\n## Four ##\n####### seven\n#no") == [
        (1, "One", 1), (1, "Two", 3), (2, "Three", 7), (2, "Four", 9),
    ]  # fmt: skip


def test_code_is_not_searched():
    assert found("```\n# a\n~~~\n```\n# b\n~~~~ sh\n# c\n~~~\n~~~~\n# d\n    # indented") == [(1, "b", 5), (1, "d", 10)]


def test_rules_and_lists_are_no_headings():
    assert found("---\n\n- item\n---\n> quote\n===\n| a |\n---") == []


def test_anchors_are_taken_off():
    heading = outline_of("## Set up {#set-up}")[0]
    assert (heading.text, heading.anchor) == ("Set up", "set-up")


@given(st.lists(st.sampled_from(["# h", "text", "", "```", "---", "===", "- x", "    code"]), max_size=30))
def test_each_line_is_where_its_heading_stands(lines):
    for heading in outline_of("\n".join(lines)):
        assert heading.text in lines[heading.line - 1]


def test_marks_come_back_as_lines_and_leave_nothing():
    document = parse("<h1>A</h1><p>b</p><h2>C</h2>")
    marks = Marks()
    for heading in document.select("h1,h2"):
        marks.heading(heading, int(heading.tag[1]), heading.text, "")
    text, outline = marks.resolve(document.to_markdown())
    assert text == "# A\n\nb\n\n## C"
    assert [(heading.level, heading.text, heading.line) for heading in outline] == [(1, "A", 1), (2, "C", 5)]


def test_an_anchor_is_found_on_within_before_and_around_a_heading():
    def anchor(html):
        return anchor_of(parse(html).select_one("h2"))

    assert anchor('<h2 id="on">x</h2>') == "on"
    assert anchor('<h2><a name="within"></a>x</h2>') == "within"
    assert anchor('<a id="before"></a><h2>x</h2>') == "before"
    assert anchor('<section id="around"><div><h2>x</h2></div></section>') == "around"
    assert anchor('<section id="around"><p>first</p><h2>x</h2></section>') == ""
    assert anchor('<p id="other">text</p><h2>x</h2>') == ""
