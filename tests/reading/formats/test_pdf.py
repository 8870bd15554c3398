"""PDFs: their pages in order, their outline, and what is said where there is no text or none to believe."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reading.made_pdf import made_pdf

from limen.core.fault import ToolFault
from limen.core.web import Heading
from limen.reading import read
from limen.reading.formats.pdf import read_pdf

WHOLE = made_pdf("First page\nsecond line", "", "Third page", title="Microsoft Word - Report", bookmarks=(("In", 0), ("Out", 2)))


def outcome(data):
    try:
        return read_pdf(data, "").text
    except ToolFault as fault:
        return fault.code


def test_pages_stand_apart_and_bookmarks_lead_to_them():
    page = read_pdf(WHOLE, "https://e.example/r.pdf")
    assert page.text == "First page\nsecond line\n\nThird page"
    assert page.title == "Report"
    assert page.outline == (Heading(1, "In", 1, "page=1"), Heading(1, "Out", 4, "page=3"))
    assert page.notices == ("No text, perhaps a picture of it, on 1 of 3 pages (2).",)


def test_without_bookmarks_the_outline_is_the_pages():
    page = read_pdf(made_pdf("One", "Two"), "")
    assert page.outline == (Heading(1, "Page 1", 1, "page=1"), Heading(1, "Page 2", 3, "page=2"))
    assert page.title == "One"
    assert read_pdf(made_pdf("Only"), "").outline == ()


def test_a_bookmark_to_a_page_without_text_leads_nowhere():
    assert read_pdf(made_pdf("One", "", bookmarks=(("A", 1), ("B", 0))), "").outline == (Heading(1, "B", 1, "page=1"),)


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (made_pdf("", ""), "reading.pdf_no_text", "2 pages"),
        (made_pdf("a", "b", "c", locked=True), "reading.pdf_encrypted", "3 pages"),
        (made_pdf("a", locked=True).replace(b"/Count", b"/Kount"), "reading.pdf_encrypted", "number of pages is locked"),
        (WHOLE[:-300], "reading.pdf_damaged", "bytes"),
        (b"%PDF-1.7\n", "reading.pdf_damaged", "bytes"),
    ],
    ids=["pictures", "locked", "locked without a count", "cut off", "a head alone"],
)
def test_what_cannot_be_read_is_said_by_its_kind(data, code, said):
    with pytest.raises(ToolFault) as caught:
        read(data, "https://e.example/a.pdf", "application/pdf")
    assert caught.value.code == code
    assert said in caught.value.reason
    assert caught.value.mend


def test_letters_without_meaning_are_said_and_a_few_bullets_are_not():
    assert "unreliable" in read_pdf(made_pdf("some words", private_use=True), "").notices[0]
    assert read_pdf(made_pdf("some words"), "").notices == ()


def test_text_and_markdown_of_a_pdf_are_the_same_and_no_html_is_made_of_it():
    forms = {name: read(WHOLE, "", "application/pdf", name) for name in ("markdown", "text", "html")}
    assert len({page.text for page in forms.values()}) == 1
    assert forms["html"].format == "markdown"
    assert forms["text"].format == "text"


@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=30), st.integers(0, len(WHOLE)))
@example([], len(WHOLE))
def test_any_damage_gives_a_text_or_a_code(changes, length):
    data = bytearray(WHOLE[:length])
    for place, value in changes:
        if place < len(data):
            data[place] = value
    found = outcome(bytes(data))
    found.encode("utf-8")
