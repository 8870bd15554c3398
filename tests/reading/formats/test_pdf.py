"""PDFs as a whole: pages in order and marked, outline, facts, and what is said where there is no text or none to believe."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reading.made_pdf import attached, made_pdf

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


def test_pages_are_marked_and_bookmarks_lead_to_them():
    page = read_pdf(WHOLE, "https://e.example/r.pdf")
    assert page.text == "[Page 1]\n\nFirst page\nsecond line\n\n[Page 2, no text]\n\n[Page 3]\n\nThird page"
    assert page.title == "Report"
    assert page.outline == (Heading(1, "In", 1, "page=1"), Heading(1, "Out", 8, "page=3"))
    assert page.notices == ("No text, perhaps a picture of it, on 1 of 3 pages (2).",)


def test_without_bookmarks_and_headings_the_outline_is_the_pages():
    page = read_pdf(made_pdf("One", "Two"), "")
    assert page.outline == (Heading(1, "Page 1", 1, "page=1"), Heading(1, "Page 2", 5, "page=2"))
    assert page.title == "One"
    assert read_pdf(made_pdf("Only"), "").outline == ()
    assert read_pdf(made_pdf("Only"), "").text == "Only"


def test_the_number_printed_on_a_page_stands_in_its_mark():
    labels = b"/PageLabels << /Nums [0 << /S /r >> 1 << /S /D >>] >>"
    text = read_pdf(made_pdf("Before", "After", catalog=labels), "").text
    assert text == '[Page 1, "i"]\n\nBefore\n\n[Page 2, "1"]\n\nAfter'


@pytest.mark.parametrize("title", ["", "Untitled", "report-final.docx", "Microsoft Word - report.doc"])
def test_a_title_that_is_a_files_name_is_none(title):
    big = [(72, 700, "Annual Report", 24), (72, 660, "Some text of the usual size follows here.")]
    assert read_pdf(made_pdf(big, title=title), "").title == "Annual Report"


def test_language_and_attached_files_are_said():
    catalog, objects = attached(b"data.xml")
    page = read_pdf(made_pdf("Text", catalog=b"/Lang (de-AT) " + catalog, more=objects), "")
    assert page.language == "de-AT"
    assert page.notices == ("The PDF carries 1 file, which were not read: data.xml.",)


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (made_pdf("", ""), "reading.pdf_no_text", "2 pages"),
        (made_pdf("a", "b", "c", locked=True), "reading.pdf_encrypted", "3 pages"),
        (made_pdf("a", locked=True).replace(b"/Count", b"/Kount"), "reading.pdf_encrypted", "number of pages is locked"),
        (WHOLE[:-600], "reading.pdf_damaged", "bytes"),
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


def test_a_table_of_places_that_is_wrong_is_made_anew():
    assert outcome(made_pdf("The text").replace(b"0 00000 n", b"7 00000 n")) == "The text"


def test_letters_without_meaning_are_said_and_a_few_bullets_are_not():
    assert "unreliable" in read_pdf(made_pdf("some words", private_use=True), "").notices[0]
    assert read_pdf(made_pdf("some words"), "").notices == ()


def test_when_the_time_is_up_the_first_pages_are_given_and_how_to_read_on():
    page = read_pdf(made_pdf(*["text"] * 5), "", budget_s=0.0)
    assert page.text == "[Page 1]\n\ntext"
    assert page.notices == ("Pages 1 to 1 of 5 were read; on from there: #page=2",)


def test_an_address_with_a_page_reads_from_there_on():
    data, url = made_pdf("one", "two", "three"), "https://e.example/a.pdf"
    page = read_pdf(data, f"{url}#page=2")
    assert page.text == "[Page 2]\n\ntwo\n\n[Page 3]\n\nthree"
    assert page.notices == (f"Read from page 2 of 3 on; from the first: {url}",)
    cut = read_pdf(data, f"{url}#page=2", budget_s=0.0)
    assert cut.notices[-1] == f"Pages 2 to 2 of 3 were read; on from there: {url}#page=3"
    beyond = read_pdf(data, f"{url}#page=4")
    assert beyond.text.startswith("[Page 1]")
    assert beyond.notices == ("There is no page 4: the PDF has 3 pages.",)


def test_bookmarks_that_lead_in_a_circle_end():
    data = made_pdf("One", bookmarks=(("A", 0), ("B", 0))).replace(b"/Next 1001 0 R", b"/Next 1000 0 R")
    assert [heading.text for heading in read_pdf(data, "").outline] == ["A"]


def test_the_text_of_a_pdf_has_no_marks_and_no_html_is_made_of_it():
    data = made_pdf([(72, 700, "Heading", 24), (72, 660, "Some text of the usual size follows here.")])
    forms = {name: read(data, "", "application/pdf", name) for name in ("markdown", "text", "html")}
    assert forms["markdown"].text == "# Heading\n\nSome text of the usual size follows here."
    assert forms["text"].text == "Heading\n\nSome text of the usual size follows here."
    assert forms["html"].text == forms["markdown"].text
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
