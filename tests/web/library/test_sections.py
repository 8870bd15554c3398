"""Sections: they cover a document, keep its lines, and are neither too long nor only a heading."""

import re

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from limen.core.web import Heading, Page
from limen.web.library.sections import LONGEST_CHARS, sections, spans

lines = st.lists(
    st.one_of(
        st.text(alphabet="ab #`~|>-\t", max_size=20),
        st.sampled_from(["# One", "## Two", "### Three", "```", "~~~", "", "x" * 5_000, "word " * 900, "東京都" * 1_000]),
        st.text(max_size=30).map(lambda text: text.replace("\n", " ")),
    ),
    max_size=60,
)
outlines = st.lists(
    st.builds(Heading, level=st.integers(1, 6), text=st.text(max_size=12), line=st.integers(-2, 70), anchor=st.text(max_size=4)),
    max_size=12,
)


@given(lines, outlines)
def test_spans_cover_the_text_without_gap_or_overlap(parts: list[str], outline: list[Heading]) -> None:
    text = "\n".join(parts)
    found = spans(text, outline)
    assert "".join(text[span.start : span.end] for span in found) == text
    assert all(span.start < span.end for span in found)


@given(lines, outlines)
def test_a_span_begins_in_the_line_it_names(parts: list[str], outline: list[Heading]) -> None:
    text = "\n".join(parts)
    for span in spans(text, outline):
        assert span.line == text.count("\n", 0, span.start) + 1


@given(lines, outlines)
def test_no_span_is_longer_than_a_hit_can_show(parts: list[str], outline: list[Heading]) -> None:
    assert all(span.end - span.start <= LONGEST_CHARS for span in spans("\n".join(parts), outline))


@given(lines, outlines)
def test_a_section_has_as_many_lines_as_its_span(parts: list[str], outline: list[Heading]) -> None:
    text = "\n".join(parts)
    found = sections(Page(text=text, outline=tuple(outline)))
    by_line = {(span.line, text[span.start : span.end].count("\n")) for span in spans(text, outline)}
    assert all((section.line, section.text.count("\n")) in by_line for section in found)


def page(text: str) -> Page:
    """A page whose outline is its Markdown headings, each with its own name as anchor."""
    outline = tuple(
        Heading(len(line) - len(line.lstrip("#")), line.lstrip("# "), number, line.lstrip("# ").lower())
        for number, line in enumerate(text.split("\n"), 1)
        if line.startswith("#")
    )
    return Page(text=text, outline=outline)


LONG = "A sentence that says something about the matter at hand. " * 6


def test_a_section_stands_under_the_path_of_its_headings() -> None:
    found = sections(page(f"# A\n{LONG}\n## B\n{LONG}\n### C\n{LONG}\n## D\n{LONG}"))
    assert [(section.heading, section.anchor, section.line) for section in found] == [
        ("A", "a", 1), ("A › B", "b", 3), ("A › B › C", "c", 5), ("A › D", "d", 7),
    ]  # fmt: skip


def test_a_heading_without_text_goes_with_what_follows_it() -> None:
    found = sections(page(f"# A\n## B\n{LONG}\n## C\n{LONG}"))
    assert [(section.heading, section.anchor, section.line) for section in found] == [("A › B", "b", 1), ("A › C", "c", 4)]


def test_short_subsections_join_their_parent_and_leave_their_names() -> None:
    found = sections(page(f"# A\n{LONG}\n## B\nshort\n## C\nbrief\n## D\n{LONG}"))
    assert [section.heading for section in found] == ["A › B, C", "A › D"]
    assert "brief" in found[0].text


def test_a_short_section_beside_others_stays_by_itself() -> None:
    found = sections(page(f"# A\n{LONG}\n## B\n{LONG}\n## C\npip install limen"))
    assert found[-1].heading == "A › C"


def test_a_long_section_is_cut_at_paragraphs_and_keeps_its_anchor() -> None:
    found = sections(page("# A\n" + "\n\n".join([LONG] * 30)))
    assert len(found) > 3
    assert {section.anchor for section in found} == {"a"}
    assert all(section.text.rstrip().endswith(".") for section in found)


def test_code_is_not_cut_inside_while_it_fits() -> None:
    code = "```\n" + "\n\n".join(["print(1)" * 5] * 12) + "\n```"
    found = sections(page("# A\n" + "\n\n".join([LONG] * 5) + f"\n\n{code}\n\n{LONG}\n\n{LONG}"))
    assert all(section.text.count("```") % 2 == 0 for section in found)


def test_stretches_without_a_word_are_no_sections() -> None:
    assert sections(Page(text="\n\n---\n***\n")) == ()


def test_contents_are_set_apart_from_what_they_point_to() -> None:
    contents = "\n".join(f"- [Chapter {number}](c{number}.html)" for number in range(40))
    found = sections(page(f"# Contents\n{contents}\n# Text\n{LONG}\nSee [there](x.html).\n{LONG * 4}"))
    assert [section.listing for section in found] == [True, False]


def test_a_long_part_of_a_pdf_leads_to_the_page_it_begins_on() -> None:
    """A chapter goes over many pages, whose marks stand in the text."""
    marks = ("[Page 1]", '[Page 2, "ii"]', "[Page 3]", '[Page 4, "x, y"]', "[Page 5]")
    said = "has words enough to stand by itself among all the others of that page"
    pages = ["\n\n".join([mark, *(f"Paragraph {n} of page {at} {said}." for n in range(20))]) for at, mark in enumerate(marks, 1)]
    page = Page(text="\n\n".join(pages), media_type="application/pdf", outline=(Heading(1, "Chapter", 1, "page=1"),))
    found = sections(page)
    assert len(found) > 3
    for section in found:
        begins = re.search(r"of page (\d)", section.text)
        assert begins is not None
        assert section.anchor == f"page={begins[1]}"
    plain = msgspec.structs.replace(page, media_type="text/markdown")
    assert {section.anchor for section in sections(plain)} == {"page=1"}


def test_a_long_page_without_headings_is_cut_into_parts_that_begin_at_paragraphs() -> None:
    text = "\n\n".join(f"Paragraph {number} says that {number} is a number and nothing else." for number in range(400))
    found = sections(Page(text=text, media_type="text/plain"))
    assert len(found) > 5
    assert all(300 < len(section.text) <= LONGEST_CHARS for section in found[:-1])
    lines = text.split("\n")
    assert all(lines[section.line - 1].startswith("Paragraph ") for section in found)
