"""Where quoted words stand: a page's Markdown is seen through, its words and numbers are not."""

import html
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from limen.kit.wording import Wording, line_of

PAGE = """# Stores

The **store** in [Lyon](https://x.example/a_(b) "A title") may be booked 35&nbsp;days
ahead, the one in Rome 12.5 to 60 – 70 days a-
head at -5 °C. In [2024](https://x.example/) it boiled[[12]](#cite_note-1) in `my_pot\\_2`.
> It is “well‑known”, *said* the ﬁrst of them, that 1 &lt; 2.
| C++ | $5 | 3&ndash;5 |
日本語のテキストは単語の間に空白がありません。 Le naïve café.
![a picture](data.png) Soup<sup>2</sup> costs €3 — or 4 000 £\\*.
"""
THERE = {
    "plain words": ("the one in Rome", 4),
    "bold and a link": ("The store in Lyon may be booked", 3),
    "across lines": ("may be booked 35 days ahead, the one", 3),
    "another case": ("THE STORE IN lyon", 3),
    "hyphenated at the end of a line": ("70 days ahead at", 4),
    "a range with other dashes": ("Rome 12.5 to 60-70 days", 4),
    "the end of a range": ("70 days", 4),
    "a minus": ("ahead at −5 °C", 4),
    "without the minus": ("5 °C. In 2024", None),
    "a number that is a link": ("In 2024 it boiled", 5),
    "without the number of a note": ("2024 it boiled in my_pot", 5),
    "with it": ("2024 it boiled [12] in my_pot", 5),
    "other marks and hyphens": ('It is "well-known", said the first of them, that 1 < 2', 6),
    "a row": ("C++ $5 3–5", 7),
    "another language": ("C $5", None),
    "another price": ("C++ $6", None),
    "within Japanese": ("テキストは単語の間に", 8),
    "with accents composed otherwise": ("Le nai\u0308ve cafe\u0301", 8),
    "without accents": ("Le naive cafe", None),
    "a picture and a power": ("Soup2 costs €3 or 4\u00a0000 £*", 9),
    "half a word": ("tore in Lyon may be", None),
    "half a number": ("5 to 60", None),
    "a number in another": ("booked 3", None),
    "another number": ("may be booked 36 days", None),
    "another separator": ("Rome 125 to 60", None),
    "cut by an ellipsis": ("the one in Rome 60 …", None),
    "cut inside a word by one": ("the store in Lyon may be boo…", 3),
    "cut behind a word by one": ("the store in Lyon may be …", 3),
    "parted by one": ("the store in Lyon […] days ahead at -5", 3),
    "parted the wrong way round": ("days ahead at -5 ... the store in Lyon", None),
    "parted into single words": ("the … in … may … days", None),
    "nothing": ("  ", None),
    "marks alone": ("** … **", None),
}


@pytest.mark.parametrize(("quotation", "line"), THERE.values(), ids=THERE)
def test_words_are_found_as_a_reader_sees_them(quotation, line):
    assert line_of(quotation, PAGE) == line


def test_lines_count_from_that_of_the_text():
    assert line_of("may be booked 35 days ahead, the one", PAGE, first_line=10) == 12


WORDS = st.one_of(
    st.text(alphabet="abcdeéßø", min_size=1, max_size=8),
    st.integers(0, 99_999).map(str),
    st.sampled_from(
        ["12.5", "-7", "1,000", "C++", "don't", "x_y", "€5", "well-known", "A&B", "<tag", "10", "–", "50%", "日本語", "café"]
    ),
)
# What Markdown may make of a word, a run of words keeping its words.
DRESSES = {
    "plain": "{}", "bold": "**{}**", "emphasised": "*{}*", "code": "`{}`", "linked": "[{}](https://a.example/x_(y)?q=1)",
    "noted": "{}[[3]](#cite_note-3)", "under": "<u>{}</u>", "quoted": "“{}”", "struck": "~~{}~~",
}  # fmt: skip
GAPS = st.sampled_from([" ", " ", " ", "\n", "\u00a0", "  ", "\n\n", "\n> ", " | "])


def dressed(word, dress):
    escaped = re.sub(r"([*_`<&])", r"\\\1", html.escape(word, quote=False) if dress == "linked" else word)
    return DRESSES[dress].format(word if dress == "code" else escaped)


@st.composite
def pages(draw):
    """The words of a page, and its Markdown with the line of each word."""
    words = draw(st.lists(st.tuples(WORDS, st.sampled_from(list(DRESSES)), GAPS), min_size=8, max_size=60))
    text, lines = "", []
    for word, dress, gap in words:
        lines.append(text.count("\n") + 1)
        text += dressed(word, dress) + gap
    return [word for word, _, _ in words], text, lines


@given(pages(), st.data())
def test_any_run_of_words_is_found_on_a_line_on_which_it_begins(page, data):
    words, text, lines = page
    start = data.draw(st.integers(0, len(words) - 4))
    run = words[start : data.draw(st.integers(start + 4, len(words)))]
    assume(any(any(char.isalnum() for char in word) for word in run))
    found = Wording(text).line_of(" ".join(run))
    first = next(index for index, word in enumerate(run) if any(char.isalnum() for char in word))
    same = [index for index in range(len(words)) if words[index] == run[first]]
    assert found in {lines[index] for index in same}
    if len(same) == 1:
        assert found == lines[start + first]


@given(pages(), st.data())
def test_a_changed_word_is_not_found(page, data):
    words, text, _ = page
    start = data.draw(st.integers(0, len(words) - 4))
    run = words[start : data.draw(st.integers(start + 4, len(words)))]
    at = data.draw(st.integers(0, len(run) - 1))
    changed = [*run[:at], data.draw(st.sampled_from(["zebra", "100000", "3.1415", "-71"])), *run[at + 1 :]]
    assert Wording(text).line_of(" ".join(changed)) is None


@given(st.text(alphabet="ab 1.-…[](*>\n\\&;#日\u0301", max_size=200), st.text(alphabet="ab 1.-…[](*>日\u0301", max_size=30))
def test_any_text_is_accepted_and_a_line_of_it_is_named(text, quotation):
    found = line_of(quotation, text)
    assert found is None or 1 <= found <= text.count("\n") + 1


HOSTILE = ["](", "![", "[1]", "<sup ", "\\", "1-", "「", "(((", "](<", "> ", "[IMAGE:", "&#1", "](a ", "[[1", "a\u0301", "ab"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_page_takes_one_pass(piece):
    text = piece * (1_000_000 // len(piece))
    assert Wording(f"{text}\n\nthe words at the end").line_of("the words at the end") == 3


def test_words_that_stand_a_thousand_times_inside_of_others_cost_little():
    assert Wording("a" * 100_000).line_of("a" * 50_000) is None
