"""Tables in text become Markdown tables with the cells that they have, whatever divides them."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.reading import read


def rows_of(markdown):
    """The cells of a Markdown table without its rule."""
    lines = markdown.split("\n")
    cells = [[cell.strip().replace("\\|", "|") for cell in line.replace("\\|", "\x00")[2:-2].split(" | ")] for line in lines]
    return [[cell.replace("\x00", "|") for cell in row] for n, row in enumerate(cells) if n != 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name,n\nx,1\n", "| name | n |\n| --- | --- |\n| x | 1 |"),
        ("name;price\r\nx;1,5\r\ny;2,5\r\n", "| name | price |\n| --- | --- |\n| x | 1,5 |\n| y | 2,5 |"),
        ('\ufeff"a"\t"b"\n"two\nlines"\tx|y\n', "| a | b |\n| --- | --- |\n| two lines | x\\|y |"),
        ("sep=|\na|b\nc|d\n", "| a | b |\n| --- | --- |\n| c | d |"),
        ("a,b,c\n1\n\n2,3\n", "| a | b | c |\n| --- | --- | --- |\n| 1 | | |\n| 2 | 3 | |"),
        ("1,2\n3,4\n", "| 1 | 2 |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"),
        ("Land,2019,2020\nA,1,2\n", "| Land | 2019 | 2020 |\n| --- | --- | --- |\n| A | 1 | 2 |"),
        ('a,b\n"never closed,1\nx,2\ny,3\n', '| a | b |\n| --- | --- |\n| "never closed | 1 |\n| x | 2 |\n| y | 3 |'),
        ('a,b\nx "y" z,1\n', '| a | b |\n| --- | --- |\n| x "y" z | 1 |'),
        ("one\ntwo\n", "one\ntwo"),
    ],
)
def test_a_table_is_written_with_its_cells(text, expected):
    assert read(text.encode(), "https://e.example/t.csv", "text/csv").text == expected


def test_a_table_is_known_by_its_content():
    assert read("name;price\nx;1,5\ny;2,5\n").media_type == "text/csv"
    assert read("a\tb\nc\td\ne\tf\n").media_type == "text/tab-separated-values"
    assert read("Dear all, hello,\nwe met, we spoke, we left.\nBye, all\n").media_type == "text/plain"


def test_a_field_beyond_the_limit_leaves_the_text_as_it_is():
    text = f'a,b\n"{"x" * 200_000}",1'
    page = read(text, "t.csv")
    assert page.text == text
    assert "does not hold together" in page.notices[0]


def test_of_a_long_table_first_and_last_rows_are_shown():
    text = "n,word\n" + "".join(f"{n},word\n" for n in range(2_500_000))
    page = read(text, "t.csv")
    lines = page.text.split("\n")
    assert lines[2] == "| 0 | word |"
    assert lines[-1] == "| 2499999 | word |"
    assert any("more rows" in line for line in lines)
    assert "2,500,001 rows" in page.notices[0]


@given(
    st.lists(
        st.lists(st.text(alphabet='ab1 ",;|é', min_size=1, max_size=6).filter(str.strip), min_size=3, max_size=3),
        min_size=2,
        max_size=6,
    )
)
def test_every_cell_survives(rows):
    buffer = io.StringIO()
    csv.writer(buffer, quoting=csv.QUOTE_ALL).writerows([["head one", "head two", "head three"], *rows])
    shown = rows_of(read(buffer.getvalue(), "t.csv", "text/csv").text)
    assert shown[1:] == [[cell.strip() for cell in row] for row in rows]


@pytest.mark.parametrize("text", ["," * 2_000_000, '"' * 2_000_000, "|" * 200_000 + "\na\n" * 20_000, '"a",' * 300_000 + '"'])
def test_hostile_tables_are_taken(text):
    read(text, "t.csv", "text/csv")
