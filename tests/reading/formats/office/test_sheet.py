"""Workbooks become one table a sheet part, with exact values."""

from reading.formats.office.made_office import made_xlsx, relations, rows

from limen.reading import read
from limen.reading.formats.office.sheet import ROW_END, STRING_END, closed

STYLES = (
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="#,##0.00 &quot;EUR&quot;"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="10"/><xf numFmtId="164"/></cellXfs></styleSheet>'
)
STRINGS = "<si><t>Item</t></si><si><r><t>La</t></r><r><t>mp</t></r><rPh><t>ranpu</t></rPh></si>"


def c(name, held, kind="n", style=0):
    return f'<c r="{name}" t="{kind}" s="{style}">{held if held.startswith("<") else f"<v>{held}</v>"}</c>'


def row(number, *cells, extra=""):
    return f'<row r="{number}"{extra}>{"".join(cells)}</row>'


def data(*lines):
    return f"<sheetData>{''.join(lines)}</sheetData>"


def test_cells_have_their_values_with_dates_percent_and_units():
    inline = c("B1", "<is><t>Since</t></is>", "inlineStr")
    cells = data(
        row(1, c("A1", "0", "s"), inline, c("C1", "Share", "str"), c("D1", "Price", "str")),
        row(2, c("A2", "1", "s"), c("B2", "46082", style=1), c("C2", "0.12345", style=2), c("D2", "1234.5", style=3)),
        row(
            3,
            c("A3", "1", "b"),
            c("B3", "#DIV/0!", "e"),
            c("C3", "<f>A1</f><v>0.30000000000000004</v>"),
            c("D3", "<f>SUM(D2)</f>"),
        ),
    )
    page = read(made_xlsx({"Prices": cells}, styles=STYLES, strings=STRINGS))
    assert page.text == (
        "## Prices\n\n| Item | Since | Share | Price |\n| --- | --- | --- | --- |\n"
        "| Lamp | 2026-03-01 | 12.345% | 1234.50 EUR |\n| TRUE | #DIV/0! | 0.3 | =SUM(D2) |"
    )
    assert (page.title, page.author) == ("Tariff", "Ada Quill")
    assert page.outline[0].text == "Prices"


def test_hidden_sheets_rows_and_columns_are_left_out_and_named():
    hidden = '<cols><col min="2" max="16384" hidden="1"/></cols>'
    shown = hidden + data(
        row(1, c("A1", "seen", "str"), c("B1", "unseen", "str")), row(2, c("A2", "unseen", "str"), extra=' hidden="1"')
    )
    page = read(made_xlsx({"Open": shown, "Secret": rows("str:unseen")}, states={"Secret": "veryHidden"}))
    assert page.text == "## Open\n\nseen"
    assert page.notices == ("Hidden sheets, left out: Secret.",)
    assert page.dropped == {"hidden sheet": 1, "hidden row": 1, "hidden column": 1}


def test_tables_of_a_sheet_stand_apart_and_a_sum_below_a_gap_stays_with_its_columns():
    cells = rows("str:Report", "", "str:a|str:b|str:c", "1|2|3", "4|5|6", "", "str:Sum||9", "", "str:x|str:y", "7|8")
    text = read(made_xlsx({"S": cells})).text
    assert text == (
        "## S\n\nReport\n\n| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |\n| Sum |  | 9 |\n\n"
        "| x | y |\n| --- | --- |\n| 7 | 8 |"
    )


def test_links_and_comments_of_cells():
    cells = rows("str:Lamp|str:Fan") + '<hyperlinks><hyperlink ref="A1" r:id="h1"/></hyperlinks>'
    said = "<comment ref='B1' authorId='0'><text><t>spins</t></text></comment>"
    comments = f"<comments><authors><author>Ann</author></authors><commentList>{said}</commentList></comments>"
    related = relations(("h1", "hyperlink", "https://lamp.example/"), ("c1", "comments", "../comments1.xml"))
    parts = {"xl/worksheets/_rels/sheet1.xml.rels": related, "xl/comments1.xml": comments}
    text = read(made_xlsx({"S": cells}, parts=parts)).text
    assert "[Lamp](https://lamp.example/)" in text
    assert "Fan[^c1]" in text
    assert "[^c1]: Comment by Ann: spins" in text


def test_a_sheet_as_large_as_sheets_can_be_is_its_cells():
    cells = data(row(1, c("A1", "1")), row(1_048_576, c("XFD1048576", "2")))
    assert read(made_xlsx({"S": cells})).text == "## S\n\n1\n\n2"


def test_of_a_long_sheet_the_first_rows_are_shown_and_how_many_says_a_notice():
    cells = '<dimension ref="A1:B150000"/>' + rows(*("1|2" for _ in range(150_000)))
    page = read(made_xlsx({"S": cells, "T": rows("str:late|str:x")}))
    assert page.text.count("\n| 1 | 2 |") == 95_000
    assert page.notices[0] == "Of the sheet S the first 95,000 rows are shown; it says that it holds A1:B150000."
    assert page.notices[1] == "Of the sheet T the first 0 rows are shown."


def test_a_part_that_was_cut_is_read_up_to_its_last_whole_row():
    whole = f'<x:worksheet xmlns:x="urn:x">{data(*(row(n, c(f"A{n}", str(n))) for n in range(1, 9)))}</x:worksheet>'
    cut = closed(whole.replace("<row", "<x:row").replace("</row", "</x:row").encode()[:-90], ROW_END, "sheetData")
    assert cut.endswith(b"</x:row></x:sheetData></x:worksheet>")
    assert closed(b"<sst><si><t>www", STRING_END) == b"<sst/>"


def test_scattered_cells_make_no_table_of_nothing():
    line = '<row r="{0}"><c r="A{0}"><v>1</v></c><c r="{1}{0}"><v>2</v></c></row>'
    names = [a + b for a in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for b in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    cells = "".join(line.format(number, name) for number, name in enumerate(names, 1))
    assert len(read(made_xlsx({"S": f"<sheetData>{cells}</sheetData>"})).text) < 3_000_000


def test_formatted_numbers_without_a_style_and_odd_references():
    first = "<row><c><v>1</v></c><c s='77'><v>2</v></c><c t='s'><v>99</v></c></row>"
    cells = data(first, "<row r='x'><c r='??'><v>3</v></c></row>")
    assert read(made_xlsx({"S": cells})).text.endswith("| 1 | 2 | … |\n| --- | --- | --- |\n| 3 |  |  |")


def test_a_sheet_without_its_part_is_passed_over():
    broken = made_xlsx({"S": rows("1|2")}).replace(b"xl/worksheets/sheet1.xml", b"xl/worksheets/shoot1.xml")
    assert read(broken).text == ""


def test_rows_that_lie_apart_below_a_table_are_each_looked_at_once():
    lines = [row(1, c("A1", "1"), c("B1", "2")), *(row(n, c(f"A{n}", "1"), c(f"B{n}", "2")) for n in range(2, 30_000, 2))]
    assert read(made_xlsx({"S": data(*lines)})).text.count("\n") > 14_000
