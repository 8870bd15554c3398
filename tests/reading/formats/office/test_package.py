"""Whatever a package holds, opening it takes bounded time and memory and ends in a page or a typed fault."""

import io
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading.formats.office.made_office import W, made_docx, made_epub, made_odf, made_pptx, made_xlsx, p, rows, shape, zipped

from limen.core.fault import ToolFault
from limen.reading import read
from limen.reading.formats.office.package import PART_LIMIT_BYTES, Package

WHOLE = {
    "a.docx": made_docx(p("words")),
    "a.xlsx": made_xlsx({"S": rows("1|2", "3|4")}),
    "a.pptx": made_pptx(shape("words")),
    "a.odt": made_odf("text", "<text:p>words</text:p>"),
    "a.epub": made_epub({"c.xhtml": "<h1>One</h1>"}),
}


def code_of(data, url=""):
    with pytest.raises(ToolFault) as caught:
        read(data, url)
    assert caught.value.mend
    return caught.value.code


def test_a_part_that_unpacks_to_too_much_is_refused():
    assert code_of(made_docx(" " * PART_LIMIT_BYTES)) == "reading.too_large"


def test_the_parts_together_are_bounded():
    package = Package(zipped({f"p{n}": b"\0" * 30_000_000 for n in range(8)}))
    with pytest.raises(ToolFault) as caught:
        for n in range(8):
            package.read(f"p{n}")
    assert caught.value.code == "reading.too_large"


def test_entities_of_its_own_are_never_expanded():
    bomb = '<!DOCTYPE a [<!ENTITY x "yyyy"><!ENTITY z "&x;&x;&x;">]>' + f"<w:document {W}><w:body>&z;</w:body></w:document>"
    assert code_of(zipped({"word/document.xml": bomb})) == "reading.damaged"


def test_a_size_that_lies_changes_nothing():
    data = bytearray(WHOLE["a.docx"])
    place = data.rfind(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 0xFFFFFFF0)
    assert read(bytes(data)).text == "words"


def test_entries_that_lie_upon_each_other_are_read_once_each():
    data = zipped({"word/document.xml": f"<w:document {W}><w:body>{p('words')}</w:body></w:document>"}, zipfile.ZIP_STORED)
    start, end = data.find(b"PK\x01\x02"), data.find(b"PK\x05\x06")
    entry = data[start:end]
    listed = entry + b"".join(entry.replace(b"document.xml", b"docum%03d.xml" % n) for n in range(500))
    tail = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 501, 501, len(listed), start, 0)
    assert read(data[:start] + listed + tail).text == "words"


def test_names_that_lead_out_of_the_package_lead_nowhere():
    links = (("x", "styles", "../../../../etc/passwd"),)
    assert read(made_docx(p("words"), links=links)).text == "words"


def test_a_list_of_too_many_files_is_refused_before_it_is_read():
    data = bytearray(WHOLE["a.docx"])
    place = data.rfind(b"PK\x05\x06")
    data[place + 12 : place + 16] = struct.pack("<I", 2_000_000_000)
    assert code_of(bytes(data), "a.docx") == "reading.too_large"


@pytest.mark.parametrize("name", WHOLE)
def test_a_package_that_was_cut_off_is_damaged(name):
    assert code_of(WHOLE[name][:-30], name) == "reading.damaged"


def test_what_lacks_its_main_part_or_has_an_empty_one_is_damaged():
    assert code_of(zipped({"[Content_Types].xml": "x"}), "a.docx") == "reading.damaged"
    assert code_of(zipped({"word/document.xml": ""})) == "reading.damaged"


def test_a_part_with_a_password_is_encrypted():
    data = bytearray(WHOLE["a.docx"])
    place = 0
    while (place := data.find(b"PK\x01\x02", place)) >= 0:
        data[place + 8] |= 1
        place += 4
    assert code_of(bytes(data)) == "reading.encrypted"


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(WHOLE)), st.data())
def test_broken_bytes_give_a_page_or_a_typed_fault(name, drawn):
    data = bytearray(WHOLE[name])
    for _ in range(drawn.draw(st.integers(1, 6))):
        data[drawn.draw(st.integers(0, len(data) - 1))] = drawn.draw(st.integers(0, 255))
    end = drawn.draw(st.integers(len(data) // 2, len(data)))
    try:
        read(bytes(data[:end]), f"https://e.example/{name}").text.encode()
    except ToolFault as fault:
        if not fault.code.startswith("reading."):
            raise


def test_a_package_of_utf_16_parts_is_read():
    document = f'<?xml version="1.0" encoding="UTF-16"?><w:document {W}><w:body>{p("größer")}</w:body></w:document>'
    assert read(zipped({"word/document.xml": document.encode("utf-16")})).text == "größer"


def test_names_are_found_whatever_their_case():
    buffer = io.BytesIO(zipped({"Word/Document.xml": "<x/>"}))
    assert "word/document.xml" in Package(buffer.getvalue())


HOLDERS = {
    "docx": lambda said: made_docx(
        f'<w:p><w:pPr><w:outlineLvl w:val="{said}"/><w:numPr><w:ilvl w:val="{said}"/><w:numId w:val="1"/></w:numPr></w:pPr>'
        f'<w:r><w:t>words</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="{said}"/></w:tcPr></w:tc>'
        "</w:tr></w:tbl>",
        {
            "word/numbering.xml": f'<w:numbering {W}><w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="{said}"/>'
            '<w:lvl w:ilvl="0">'
            f'<w:start w:val="{said}"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
            f'<w:num w:numId="1"><w:abstractNumId w:val="2"/><w:lvlOverride w:ilvl="{said}"><w:startOverride w:val="{said}"/>'
            "</w:lvlOverride></w:num></w:numbering>"
        },
    ),
    "odt": lambda said: made_odf(
        "text",
        f'<text:h text:outline-level="{said}">words<text:s text:c="{said}"/></text:h><table:table><table:table-row>'
        f'<table:table-cell table:number-columns-spanned="{said}"><text:p>a</text:p></table:table-cell></table:table-row>'
        "</table:table>",
    ),
    "ods": lambda said: made_odf(
        "spreadsheet",
        f'<table:table table:name="words"><table:table-row table:number-rows-repeated="{said}"><table:table-cell '
        f'office:value-type="float" office:value="{said}" table:number-columns-repeated="{said}"><text:p>1</text:p>'
        "</table:table-cell></table:table-row></table:table>",
    ),
    "xlsx": lambda said: made_xlsx(
        {
            "S": f'<cols><col min="{said}" max="{said}" hidden="1"/></cols><sheetData><row r="{said}"><c t="inlineStr"><is>'
            "<t>words</t></is>"
            f'</c><c t="s"><v>{said}</v></c><c s="{said}"><v>{said}</v></c></row></sheetData>'
        }
    ),
}


@pytest.mark.parametrize("kind", HOLDERS)
@pytest.mark.parametrize("said", ["²", "٣", "9" * 5_000, "999999999", "-1", "", "1e400", "NaN"])
def test_numbers_that_are_none_do_no_harm(kind, said):
    assert "words" in read(HOLDERS[kind](said)).text
