"""OpenDocument texts, presentations and workbooks become what their Office Open XML siblings do."""

import pytest
from reading.formats.office.made_office import made_odf

from limen.core.fault import ToolFault
from limen.reading import read

STYLES = (
    '<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
    '<style:style style:name="Hid" style:family="text"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
    '<style:style style:name="Pre" style:parent-style-name="Preformatted_20_Text"/>'
    '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" text:start-value="3"/>'
    '<text:list-level-style-bullet text:level="2"/></text:list-style>'
    '<style:style style:name="off" style:family="table"><style:table-properties table:display="false"/></style:style>'
    '<style:style style:name="dim"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
)


def odt(body, parts=None):
    return read(made_odf("text", body, STYLES, parts))


def entry(text, inner=""):
    return f"<text:list-item><text:p>{text}</text:p>{inner}</text:list-item>"


def test_headings_marks_and_what_the_document_says_of_itself():
    page = odt(
        '<text:p text:style-name="P1">Rules</text:p><text:h text:outline-level="1">Scope</text:h><text:p>a<text:s text:c="2"/>'
        '<text:span text:style-name="B">bold</text:span><text:tab/>x<text:line-break/>y</text:p><text:p>see '
        '<text:a xlink:href="https://e.example/">there</text:a><text:span text:style-name="Hid">unseen</text:span></text:p>'
    )
    assert page.text.startswith("# Rules\n\n## Scope\n\na **bold** x")
    assert page.text.endswith("see [there](https://e.example/)")
    assert (page.title, page.author, page.published) == ("Tariff", "Ada Quill", "2026-03-01T12:00:00")
    assert page.dropped == {"hidden text": 1}
    assert page.media_type == "application/vnd.oasis.opendocument.text"


def test_lists_are_numbered_and_nested_by_their_style():
    inner = f"<text:list>{entry('inner')}</text:list>"
    more = "<text:list-item><text:p>five</text:p><text:p>more of it</text:p></text:list-item>"
    body = f'<text:list text:style-name="L">{entry("three", inner)}{entry("four")}{more}</text:list><text:p>Between.</text:p>'
    goes_on = f'<text:list text:style-name="L" text:continue-numbering="true">{entry("six")}</text:list>'
    assert odt(body + goes_on).text == "3. three\n\n   - inner\n\n4. four\n\n5. five\n\n   more of it\n\nBetween.\n\n6. six"


def test_numbers_that_markdown_cannot_write_stand_as_they_are():
    form = '<text:list-level-style-number text:level="1" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/>'
    styles = f'<text:list-style style:name="L">{form}</text:list-style>'
    body = f'<text:list text:style-name="L">{entry("one")}{entry("two")}</text:list>'
    assert read(made_odf("text", body, styles)).text == "- (a) one\n- (b) two"


def test_a_list_for_each_depth_is_nested_by_the_names_of_its_styles():
    styles = '<style:style style:name="P2" style:parent-style-name="List_20_Bullet_20_2"/>'
    deeper = '<text:list><text:list-item><text:p text:style-name="P2">inner</text:p></text:list-item></text:list>'
    assert read(made_odf("text", f"<text:list>{entry('one')}</text:list>{deeper}", styles)).text == "- one\n  - inner"


def test_notes_comments_changes_and_indexes():
    note = "<text:note><text:note-body><text:p>The note.</text:p></text:note-body></text:note>"
    by = "<dc:creator>Cy</dc:creator><dc:date>2026-02-01T10:00:00</dc:date>"
    remark = f"<office:annotation>{by}<text:p>Check.</text:p></office:annotation>"
    deleted = "<text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region>"
    changes = f"<text:tracked-changes>{deleted}</text:tracked-changes>"
    index = "<text:table-of-content><text:index-body><text:p>Scope 1</text:p></text:index-body></text:table-of-content>"
    page = odt(f"{changes}{index}<text:p>A{note} b{remark}</text:p>")
    assert page.text == "A[^1] b[^c1]\n\n[^1]: The note.\n\n[^c1]: Comment by Cy, 2026-02-01: Check."
    assert page.dropped == {"table of contents": 1}
    nameless = odt(f"<text:p>A{remark.replace('<dc:creator>Cy</dc:creator>', '')}</text:p>")
    assert nameless.text.endswith("[^c1]: Comment, 2026-02-01: Check.")


def test_tables_listings_pictures_boxes_and_formulas():
    cell = "<table:table-cell{0}><text:p>{1}</text:p></table:table-cell>"
    table = (
        f"<table:table><table:table-header-rows><table:table-row>{cell.format('', 'a')}{cell.format('', 'b')}</table:table-row>"
        f"</table:table-header-rows><table:table-row>{cell.format(' table:number-columns-spanned=' + repr('2'), 'wide')}"
        "<table:covered-table-cell/></table:table-row></table:table>"
    )
    math = '<math xmlns="m"><semantics><mi>a</mi><annotation encoding="StarMath 5.0">a over b</annotation></semantics></math>'
    body = (
        f'{table}<text:p text:style-name="Pre">x  = 1</text:p>'
        '<text:p>So <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'
        "<draw:frame><draw:text-box><text:p>Boxed</text:p></draw:text-box></draw:frame></text:p>"
        "<text:p><draw:frame><draw:image/><svg:desc>A plan</svg:desc></draw:frame><draw:frame><draw:image/></draw:frame></text:p>"
    )
    page = odt(body, {"Object 1/content.xml": math})
    assert page.text.startswith("| a | b |\n| --- | --- |\n| wide |  |\n\n```\nx  = 1\n```\n\nSo $a")
    assert page.text.endswith("\n\nBoxed\n\n[IMAGE: A plan]")
    assert page.dropped == {"image": 1}


def test_code_is_told_by_the_name_of_its_style_in_one_piece():
    tokens = (
        '<text:span text:style-name="Source_20_Text">a(</text:span><text:span text:style-name="Verbatim_20_Char">)</text:span>'
    )
    assert odt(f"<text:p>Call {tokens} now</text:p>").text == "Call `a()` now"
    assert odt(f'<text:p text:style-name="Source_20_Code">{tokens}</text:p>').text == "```\na()\n```"


def test_slides_have_titles_notes_and_hidden_ones_are_named():
    frame = '<draw:frame presentation:class="{}"><draw:text-box>{}</draw:text-box></draw:frame>'
    nested = entry("One", f"<text:list>{entry('Nested')}</text:list>")
    points = f"<text:list>{nested}</text:list>"
    notes = f"<presentation:notes>{frame.format('notes', '<text:p>Say hello.</text:p>')}</presentation:notes>"
    body = (
        f"<draw:page>{frame.format('title', '<text:p>Points</text:p>')}{frame.format('outline', points)}"
        f"{frame.format('footer', '<text:p>Imprint</text:p>')}{notes}</draw:page>"
        f'<draw:page draw:style-name="dim">{frame.format("title", "<text:p>unseen</text:p>")}</draw:page>'
    )
    page = read(made_odf("presentation", body, STYLES))
    assert page.text == "## Slide 1: Points\n\n- One\n  - Nested\n\n> **Notes**\n>\n> Say hello."
    assert page.notices == ("Hidden slides, left out: 2.",)


def value(kind, said, shown, more=""):
    return f'<table:table-cell office:value-type="{kind}" {said} {more}><text:p>{shown}</text:p></table:table-cell>'


def sheet(*rows, name="S", style=""):
    made = "".join(row if row.startswith("<table:table-row") else f"<table:table-row>{row}</table:table-row>" for row in rows)
    return f'<table:table table:name="{name}" table:style-name="{style}">{made}</table:table>'


def test_cells_are_exact_and_say_their_unit():
    head = value("string", "", "a") + value("string", "", "b")
    filled = '<table:table-cell table:number-columns-repeated="16384"/>'
    rows = [
        head + filled,
        value("float", 'office:value="1234.5"', "1,234.50 EUR") + value("float", 'office:value="0.33333"', "0.33"),
        value("percentage", 'office:value="0.12345"', "12.3%")
        + value("date", 'office:date-value="2026-03-01T14:30:00"', "1.3.26"),
        value("time", 'office:time-value="PT09H05M00S"', "9:05") + value("float", 'office:value="0.5"', "0,5"),
        value("currency", 'office:value="0.333" office:currency="EUR"', "0.33 €")
        + value("date", 'office:date-value="2026-03-01"', "x"),
    ]
    empty = f'<table:table-row table:number-rows-repeated="1048570">{filled}</table:table-row>'
    page = read(made_odf("spreadsheet", sheet(*rows, empty) + sheet("", name="Secret", style="off"), STYLES))
    assert page.text == (
        "## S\n\n| a | b |\n| --- | --- |\n| 1,234.50 EUR | 0.33333 |\n| 12.345% | 2026-03-01 14:30 |\n| 09:05 | 0.5 |\n"
        "| 0.333 EUR | 2026-03-01 |"
    )
    assert page.notices == ("Hidden sheets, left out: Secret.",)


def test_repeated_cells_and_rows_are_bounded():
    cell = '<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>'
    page = read(made_odf("spreadsheet", sheet(row)))
    assert page.notices == ("Of the sheet S the first 190 rows are shown.",)


def test_an_encrypted_document_says_so():
    manifest = "<manifest><file-entry><encryption-data/></file-entry></manifest>"
    with pytest.raises(ToolFault) as caught:
        odt("", {"META-INF/manifest.xml": manifest})
    assert caught.value.code == "reading.encrypted"
    assert caught.value.mend


def test_remarks_are_counted_through_all_sheets():
    remark = "<office:annotation><text:p>Why?</text:p></office:annotation>"
    cells = [f'<table:table-cell office:value-type="string">{remark}<text:p>{word}</text:p></table:table-cell>' for word in "ab"]
    text = read(made_odf("spreadsheet", sheet(cells[0], name="S") + sheet(cells[1], name="T"))).text
    assert "[^c1]: Comment: Why?" in text
    assert "[^c2]: Comment: Why?" in text


def test_cells_repeated_many_times_over_are_bounded():
    repeated = (
        '<table:table-cell table:number-columns-repeated="1000" office:value-type="string"><text:p>x</text:p></table:table-cell>'
    )
    page = read(made_odf("spreadsheet", sheet(repeated * 3_000)))
    assert page.notices == ("Of the sheet S the first 0 rows are shown.",)
