"""RTF is its text: paragraphs, marks, tables, lists, links; what frames or formats it is left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.reading import read

HEAD = (
    rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Times;}{\f3\fmodern C;}{\f4\fswiss\fprq2 Consolas;}}"
    rb"{\stylesheet{\s1 heading 1;}{\s2\sbasedon0 heading 2;}}"
)
_NOTED = "A[^1] b\n\n[^1]: See [**it**](https://e.example)."
_TYPED = "- a\n  - b\n\n2. c"


def text_of(body):
    return read(HEAD + body + b"}").text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb"One\par Two\par", "One\n\nTwo"),
        (rb"{\pard\s1 Title\par}\pard Text\par", "# Title\n\nText"),
        (rb"a {\b bo}{\b ld} c\par", "a **bold** c"),
        (rb"\'e4\u228?\u8364 ?x \{\}\\ \emdash\~y\par", "ää€x {}\\\\ — y"),
        (rb"seen{\v unseen}{\deleted gone}{\header frame}{\*\unknown x}{\pict 00ff}\par", "seen"),
        (rb'{\field{\*\fldinst{HYPERLINK "https://e.example/"}}{\fldrslt there}} on\par', "[there](https://e.example/) on"),
        (rb"{\listtext 3.\tab}a\par{\listtext 4.\tab}b\par\pard\ilvl1{\listtext\'b7\tab}c\par", "3. a\n4. b\n   - c"),
        (rb"\pard\li360\fi-360 \bullet \tab a\par\pard\li720\fi-360 \endash \tab b\par\pard\li360\fi-360 2.\tab c\par", _TYPED),
        (rb"\pard\li360\fi-360 \bullet \tab a\par\pard\li360 more\par\pard b\par", "- a\n\n  more\n\nb"),
        (rb"{\f3 All of it is typed, as letters were.}\par", "All of it is typed, as letters were."),
        (rb"\pard\s1 {\b\i One and more}\par\pard{\f4 x = 1}\par", "# One and more\n\n```\nx = 1\n```"),
        (rb"so run {\f3 ls -l} now\par{\f3 a:\line   b}\par", "so run `ls -l` now\n\n```\na:\n  b\n```"),
        (rb"Dear {\field{\*\fldinst MACROBUTTON None Your name}},\par", "Dear Your name,"),
        (rb"{\shp{\*\shpinst\shpleft0{\sp{\sn a}{\sv 1}}{\shptxt boxed\par}}{\shprslt gone}} b\par", "boxed\n\nb"),
        (rb"A{\footnote See {\field{\*\fldinst{HYPERLINK https://e.example}}{\fldrslt {\b it}}}.} b\par", _NOTED),
        (rb"A{\super\chftn}{\*\footnote\chftn One.{\par}Two.\par} b\par", "A[^1] b\n\n[^1]: One. Two."),
    ],
)
def test_what_it_says(body, text):
    assert text_of(body) == text


def test_a_table_keeps_its_columns_where_cells_are_merged():
    row = rb"\trowd\cellx1000\cellx2000\cellx3000\pard\intbl a\cell b\cell c\cell\row"
    wide = rb"\trowd\cellx2000\cellx3000\pard\intbl wide\cell c\cell\row\pard after\par"
    assert text_of(row + wide) == "| a | b | c |\n| --- | --- | --- |\n| wide |  | c |\n\nafter"


def test_it_says_who_wrote_it_and_other_code_pages_are_read():
    page = read(rb"{\rtf1\ansi\ansicpg1251{\info{\title Rules}{\author Ada}{\doccomm no}}\'cf\'f0\par}")
    assert (page.title, page.author, page.text) == ("Rules", "Ada", "Пр")
    assert page.media_type == "application/rtf"


def test_depth_and_closing_braces_without_opening_ones_do_no_harm():
    assert read(b"{\\rtf1 " + b"{\\b " * 100_000 + b"x" + b"}" * 150_000 + b" y").text


@given(st.binary(max_size=300))
def test_no_bytes_break_it(data):
    read(b"{\\rtf1 " + data).text.encode()


def test_emphasis_beyond_reason_is_left_out_and_said():
    page = read(b"{\\rtf1 " + b"\\b x\\b0 \\i y\\i0 " * 60_000 + b"}")
    assert page.text == "xy" * 60_000
    assert page.notices == ("The page's emphasis is not shown: it has 120,000 tags of it.",)


@pytest.mark.parametrize(
    "body", [rb"\'e1" * 400_000, rb"{\footnote " + rb"ab\'e1" * 200_000 + b"}", rb"\cellx1" * 60_000 + rb"\row" * 60_000 + b" x"]
)
def test_what_repeats_without_an_end_is_read_in_one_pass(body):
    assert text_of(body)
