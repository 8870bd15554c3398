"""Words of a PDF in their places, whichever way the page is turned; what is raised, and what old fonts say, told apart."""

import pytest
from reading.made_pdf import made_pdf, stream

from limen.reading.formats.pdf import read_pdf

LINES = [("The first line of a page that reads upwards", 0), ("and its second line, which follows it.", 1)]
TURNS = {0: b"1 0 0 1", 90: b"0 1 -1 0", 180: b"-1 0 0 -1", 270: b"0 -1 1 0"}


def text_of(*page, **options):
    return read_pdf(made_pdf(list(page), **options), "").text


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("rotation", [0, 90, 270])
def test_text_that_runs_any_way_is_read_along_its_own(turn, rotation):
    steps = {0: (72, -12, 0, 1), 90: (300, 12, 1, 0), 180: (540, 12, 0, 1), 270: (300, -12, 1, 0)}
    x, step, along_x, along_y = steps[turn]
    page = [(x + step * row * along_x, 400 + step * row * along_y, said, 10, "plain", TURNS[turn]) for said, row in LINES]
    assert text_of(*page, turned=rotation) == "The first line of a page that reads upwards and its second line, which follows it."


def test_text_beside_the_page_is_no_part_of_its_lines():
    lines = [(100, 700 - 12 * row, f"Row {row} of the text, long enough to be a line of its own here.") for row in range(6)]
    text = text_of((40, 300, "stamped at the side", 10, "plain", TURNS[90]), *lines)
    assert "stamped at the side" in text.split("\n\n")


@pytest.mark.parametrize(
    ("before", "raised", "said"),
    [("costs 10", "5", "costs 10^5 euro"), ("a claim", "12", "a claim^12 euro"), ("kept at 10", "-3", "kept at 10^-3 euro")],
)
def test_a_raised_number_is_no_part_of_the_number_or_word_before_it(before, raised, said):
    draw = b"BT /F1 10 Tf 72 700 Td (%s) Tj /F1 6 Tf 4 Ts (%s) Tj 0 Ts /F1 10 Tf ( euro) Tj ET"
    data = made_pdf("x").replace(b"BT /F1 12 Tf 72 720 Td (x) Tj 0 -14 Td ET", draw % (before.encode(), raised.encode()))
    assert read_pdf(data, "").text == said


@pytest.mark.parametrize(("before", "said"), [("claim ", "claim^12 is"), ("x = ", "x = 12 is")])
def test_a_raised_number_that_stands_alone_is_that_of_the_word_before_it(before, said):
    draw = b"BT /F1 10 Tf 72 700 Td (%s) Tj /F1 6 Tf 4 Ts (12) Tj 0 Ts /F1 10 Tf ( is) Tj ET BT /F1 10 Tf 72 680 Td (end) Tj ET"
    data = made_pdf("x").replace(b"BT /F1 12 Tf 72 720 Td (x) Tj 0 -14 Td ET", draw % before.encode())
    assert said in read_pdf(data, "").text


def test_the_mark_before_a_note_stands_apart_from_its_first_word():
    data = made_pdf("x").replace(
        b"BT /F1 12 Tf 72 720 Td (x) Tj 0 -14 Td ET", b"BT /F1 6 Tf 72 700 Td 4 Ts (3) Tj 0 Ts /F1 10 Tf (See there.) Tj ET"
    )
    assert read_pdf(data, "").text == "3 See there."


def test_glyphs_for_several_letters_and_accents_beside_letters_are_the_letters():
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange "
        b"<00> <FF> endcodespacerange 3 beginbfchar <61> <FB01> <62> <00B4> <63> <0065> endbfchar endcmap end end"
    )
    data = made_pdf("ac bc", private_use=True, more={4: b"<< /Length %d >>\nstream\n%s\nendstream" % (len(cmap), cmap)})
    assert "fie" in read_pdf(data, "").text
    assert "é" in read_pdf(data, "").text


def test_an_accent_at_the_end_of_a_word_is_on_its_letter():
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange "
        b"<00> <FF> endcodespacerange 1 beginbfchar <62> <00B4> endbfchar "
        b"1 beginbfrange <63> <7a> <0063> endbfrange endcmap end end"
    )
    assert "né here" in read_pdf(made_pdf("nbe here", private_use=True, more={4: stream(cmap)}), "").text


def test_what_lies_beside_the_page_is_not_on_it():
    spread = [
        (72, 700, "The page's own words."),
        (900, 700, "Words of the next page."),
        (72, 900, "Above it."),
        (72, -40, "A slug."),
    ]
    assert text_of(*spread) == "The page's own words."


def test_lam_and_alef_in_one_glyph_are_in_their_order():
    """One glyph stands for both letters; PDFium turns them round with the line, which runs from right to left."""
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange "
        b"<00> <FF> endcodespacerange 4 beginbfchar <61> <0633> <62> <06440627> <63> <0645> <64> <0628> endbfchar endcmap end end"
    )
    data = made_pdf([(300, 700, "cba", 12)], private_use=True, more={4: stream(cmap)})
    assert read_pdf(data, "").text == "\u0633\u0644\u0627\u0645"
