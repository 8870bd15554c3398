"""What lies upon a PDF's pages: links, fields that were filled in, notes."""

import pytest
from reading.made_pdf import made_pdf

from limen.core.web import Link
from limen.reading.formats.pdf import read_pdf

AREA = (72, 716, 130, 735)


def page_of(text, url, area=AREA):
    return read_pdf(made_pdf(text, links=[(0, area, url)]), "")


def test_words_under_a_link_lead_to_it():
    page = page_of("Read this\nand go on", "https://e.example/a?b=1")
    assert page.text == "[Read this](https://e.example/a?b=1)\nand go on"
    assert page.links == (Link(1, "Read this", "https://e.example/a?b=1"),)


def test_an_address_that_is_written_out_stays_as_it_is():
    assert page_of("https://e.example/a", "https://e.example/a", (72, 716, 300, 735)).text == "https://e.example/a"


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "notes.pdf", ""])
def test_what_is_no_address_of_the_web_is_no_link(url):
    page = page_of("Read this", url)
    assert page.text == "Read this"
    assert page.links == ()


def test_an_address_cannot_break_out_of_its_link():
    page = page_of("Read this", "https://e.example/a) [b](https://evil.example/")
    assert page.text == "[Read this](https://e.example/a%29%20%5Bb%5D%28https://evil.example/)"


def test_one_address_under_several_words_is_one_link():
    page = read_pdf(made_pdf("Read", "this", links=[(0, AREA, "https://e.example/"), (1, AREA, "https://e.example/")]), "")
    assert page.links == (Link(1, "Read", "https://e.example/"),)
    assert page.text.count("](https://e.example/)") == 2


def field(name, value, more=b""):
    return b"<< /Type /Annot /Subtype /Widget /Rect [72 600 200 620] /FT /Tx /T (%s) /V (%s) %s >>" % (name, value, more)


def test_fields_that_were_filled_in_are_said_by_their_names():
    fields = {800: field(b"f[0]", b"Ada", b"/TU (First name)"), 801: field(b"page[0].city[0]", b"Oban"), 802: field(b"none", b"")}
    data = made_pdf("A form", catalog=b"/AcroForm << /Fields [800 0 R 801 0 R 802 0 R] >>", more=fields)
    data = made_pdf("A form", catalog=b"/AcroForm << /Fields [800 0 R 801 0 R 802 0 R] >>", more=fields | _with_annotations(data))
    assert read_pdf(data, "").text == "A form\n\n- First name: Ada\n- city: Oban"


def _with_annotations(data):
    """The first page's object with the fields upon it."""
    start = data.index(b"10 0 obj\n") + len(b"10 0 obj\n")
    page = data[start : data.index(b"\nendobj", start)]
    return {10: page.replace(b"/Annots []", b"/Annots [800 0 R 801 0 R 802 0 R]")}


def test_notes_on_a_page_are_said():
    note = {800: b"<< /Type /Annot /Subtype /FreeText /Rect [72 600 200 620] /Contents (Please check) /DA (/F1 10 Tf) >>"}
    data = made_pdf("A text", more=note)
    data = made_pdf("A text", more=note | {10: _with_annotations(data)[10].replace(b" 801 0 R 802 0 R", b"")})
    assert read_pdf(data, "").text == "A text\n\n- Note: Please check"
