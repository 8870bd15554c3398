"""Tables in PDFs: where cells stand in columns, and nowhere else."""

from reading.made_pdf import column, made_pdf

from limen.reading.formats.pdf import read_pdf

PLACES = (72, 200, 320)


def page_of(rows):
    return [(x, 700 - 14 * index, said) for index, row in enumerate(rows) for x, said in zip(PLACES, row, strict=False) if said]


def text_of(page):
    return read_pdf(made_pdf(page), "").text


def test_cells_in_columns_are_a_table():
    rows = [("Town", "People", "Since"), ("Ayr", "46,000", "1205"), ("Oban", "8,500", "1811"), ("a|b", "1", "2")]
    expected = (
        "| Town | People | Since |\n| --- | --- | --- |\n| Ayr | 46,000 | 1205 |\n| Oban | 8,500 | 1811 |\n| a\\|b | 1 | 2 |"
    )
    assert text_of(page_of(rows)) == expected


def test_a_cell_goes_on_in_the_next_row_and_others_may_be_empty():
    rows = [
        ("Town", "People", "Since"),
        ("Ayr", "46,000", "1205"),
        ("", "by count"),
        ("Oban", "", "1811"),
        ("Nairn", "9,000", "1190"),
    ]
    assert "| Ayr | 46,000 by count | 1205 |\n| Oban |  | 1811 |" in text_of(page_of(rows))


def test_two_rows_are_no_table():
    assert "|" not in text_of(page_of([("Town", "People", "Since"), ("Ayr", "46,000", "1205")]))


def test_cells_out_of_line_are_no_table():
    page = [(72 + 9 * row * row, 700 - 14 * row, "one") for row in range(5)]
    assert "|" not in text_of([*page, *[(300 + 17 * row * (5 - row), 700 - 14 * row, "two") for row in range(5)]])


def test_columns_of_prose_are_no_table():
    sides = [[f"{side} {row} says so and goes on to the end of it" for row in range(6)] for side in ("one", "two")]
    across = [item for pair in zip(column(72, 700, sides[0]), column(330, 700, sides[1]), strict=True) for item in pair]
    assert "|" not in text_of(across)


def test_a_note_over_all_columns_is_no_row_of_the_table():
    rows = [("Town", "People", "Since"), ("Ayr", "46,000", "1205"), ("Oban", "8,000", "1811"), ("Nairn", "9,000", "1190")]
    note = [
        (72, 640, "1", 6),
        (80, 640, "Counted by those who live there, and once more by those who had only come to see it.", 9),
    ]
    text = text_of([*page_of(rows), *note])
    assert "| Nairn | 9,000 | 1190 |\n\n1" in text
