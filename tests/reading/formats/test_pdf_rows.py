"""The order in which a PDF's rows are read."""

from reading.made_pdf import column, made_pdf

from limen.reading.formats.pdf import read_pdf

LEFT = [f"left {row} says so and goes on to its own end" for row in range(8)]
RIGHT = [f"right {row} says it and goes on to another end" for row in range(8)]


def words(page):
    return [word for word in read_pdf(made_pdf(page), "").text.split() if word.isdecimal() or word in ("left", "right", "Over")]


def expected(*sides):
    return [word for side in sides for row in range(8) for word in (side, str(row))]


def test_columns_whose_lines_are_drawn_across_the_page_are_read_one_after_the_other():
    across = [item for pair in zip(column(72, 600, LEFT), column(330, 600, RIGHT), strict=True) for item in pair]
    assert words(across) == expected("left", "right")


def test_a_title_over_columns_comes_before_both():
    across = [item for pair in zip(column(72, 600, LEFT), column(330, 600, RIGHT), strict=True) for item in pair]
    title = [(72, 640, "Over all of the columns stands a title as wide as both of them together are", 12)]
    assert words([*across, *title]) == ["Over", *expected("left", "right")]


def test_three_columns_are_read_from_left_to_right():
    narrow = [[f"{side} {row} and then goes on" for row in range(8)] for side in ("left", "mid", "right")]
    columns = [column(40 + 180 * index, 600, lines) for index, lines in enumerate(narrow)]
    across = [item for row in zip(*columns, strict=True) for item in row]
    text = read_pdf(made_pdf(across), "").text
    assert text.index("left 7") < text.index("mid 0") < text.index("mid 7") < text.index("right 0")


def test_columns_in_their_own_order_stay_so():
    assert words([*column(72, 600, LEFT), *column(330, 600, RIGHT)]) == expected("left", "right")


def test_what_is_drawn_last_but_stands_on_top_is_read_first():
    page = [*column(72, 600, LEFT), (72, 700, "Over", 10)]
    assert words(page)[0] == "Over"


def test_rows_whose_cells_are_drawn_in_no_order_are_rows_again():
    swapped = [row ^ 1 for row in range(14)]
    page = [(72, 600 - 12 * row, f"Name {row}") for row in range(14)]
    for x, said in ((200, "{}"), (300, "of Name {}")):
        page += [(x, 600 - 12 * row, said.format(row)) for row in swapped]
    assert "| Name 3 | 3 | of Name 3 |" in read_pdf(made_pdf(page), "").text


def test_a_page_from_right_to_left_begins_at_the_right():
    # One glyph for each Hebrew letter, drawn from the left as a viewer would show the words.
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange "
        b"<00> <FF> endcodespacerange 1 beginbfrange <61> <7A> <05D0> endbfrange 1 beginbfchar <20> <0020> endbfchar "
        b"endcmap end end"
    )
    page = [(72, 600, "dcb cba"), (300, 600, "feg"), (72, 580, "abc")]
    data = made_pdf(page, private_use=True, more={4: b"<< /Length %d >>\nstream\n%s\nendstream" % (len(cmap), cmap)})
    text = read_pdf(data, "").text
    assert text.index("\u05d6") < text.index("\u05d3")


def test_small_print_under_a_column_does_not_part_a_sentence():
    note = column(72, 490, ["1 A note in small print stands under the column.", "It has two lines of its own."], size=7)
    body = [*LEFT[:-1], "the column breaks off within a sentence that"]
    over = ["goes on at the top of the next column", *RIGHT]
    text = read_pdf(made_pdf([*column(72, 600, body), *note, *column(330, 600, over)]), "").text
    assert "within a sentence that goes on at the top" in text
    assert text.endswith("It has two lines of its own.")
    ended = [*LEFT[:-1], "the column ends with its sentence."]
    text = read_pdf(made_pdf([*column(72, 600, ended), *note, *column(330, 600, over)]), "").text
    assert text.index("A note") < text.index("right 0")
