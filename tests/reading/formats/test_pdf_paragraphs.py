"""Lines of a PDF put together to paragraphs, and kept where they are lists, code or addresses."""

import pytest
from reading.made_pdf import column, made_pdf

from limen.reading.formats.pdf import read_pdf

LONG = "These are the words of a line that is as long as its column"


def text_of(*page):
    return read_pdf(made_pdf(list(page)), "").text


def test_lines_of_a_paragraph_become_one_and_a_gap_begins_another():
    first, second = column(72, 700, [LONG, LONG, "and ends."]), column(72, 640, [LONG, "and ends as well."])
    assert text_of(*first, *second) == f"{LONG} {LONG} and ends.\n\n{LONG} and ends as well."


def test_an_indent_begins_a_paragraph():
    lines = [
        (72, 700, LONG),
        (72, 688, LONG),
        (90, 676, "Another begins with words, and its line ends here too"),
        (72, 664, "so."),
    ]
    assert text_of(*lines) == f"{LONG} {LONG}\n\nAnother begins with words, and its line ends here too so."


def test_short_lines_stay_lines():
    assert text_of(*column(72, 700, ["12 High Street", "Lower Town", "LT1 2AB"])) == "12 High Street\nLower Town\nLT1 2AB"


def test_items_of_a_list_stay_apart_and_their_lines_come_together():
    page = [
        (72, 700, "•"), (84, 700, LONG), (84, 688, "and goes on below."),
        (72, 676, "•"), (84, 676, LONG), (84, 664, "and so does this."),
    ]  # fmt: skip
    assert text_of(*page) == f"- {LONG} and goes on below.\n- {LONG} and so does this."


@pytest.mark.parametrize(
    ("broken", "rest", "whole"),
    [
        ("a line that ends where a word is bro-", "ken in two, as words are.", "word is broken in two"),
        ("the well-known case and again the well-", "known case of it in print.", "again the well-known case"),
        ("a line that ends with a name as Anglo-", "Saxon, which keeps its own.", "as Anglo-Saxon, which"),
        ("a line of numbers from 1990 and up to 20-", "25 keeps what it says of it.", "up to 20- 25 keeps"),
    ],
)
def test_a_word_broken_at_the_end_of_a_line_is_whole_again(broken, rest, whole):
    assert whole in text_of(*column(72, 700, [broken, rest]))


def test_code_keeps_its_lines_and_its_indentation():
    code = [(90, 670, "def f(x):", 10, "code"), (114, 658, "return x", 10, "code"), (90, 634, "f(1)", 10, "code")]
    page = [*column(72, 700, [LONG, LONG]), *code, *column(72, 610, [LONG])]
    assert "```\ndef f(x):\n    return x\n\nf(1)\n```" in text_of(*page)


def test_a_document_that_is_typewritten_throughout_is_no_code():
    assert "```" not in text_of(*column(72, 700, [LONG, LONG, "and ends."], font="code"))


def test_dots_that_lead_to_a_number_are_one_sign():
    page = column(72, 700, ["Introduction . . . . . . . . . . . . . 1", "The second chapter ............... 22"])
    assert text_of(*page) == "Introduction … 1\nThe second chapter … 22"


def test_lines_with_numbers_of_their_own_stay_lines():
    page = [(x, 700 - 12 * row, said) for row in range(6) for x, said in ((72, f"{row + 1}"), (90, LONG))]
    assert text_of(*page).split("\n") == [f"{row + 1} {LONG}" for row in range(6)]


@pytest.mark.parametrize("line", ["# not a heading", "```", "~~~ neither"])
def test_what_would_be_markdown_at_the_start_of_a_line_is_not(line):
    assert text_of((72, 700, line)) == "\\" + line
