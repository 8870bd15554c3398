"""One text, one question: the passages that answer it, else the text's beginning."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limen.builtin.models.quoting import ExtractiveQuoter, quoted

FILLER = "\n\n".join(f"Paragraph {n} is about garden furniture and how it gets through the winter." for n in range(60))
STORES = "- Lyon: booking opens 35 days ahead\n- Rome: booking opens 60 days ahead\n- Oslo: booking opens 61 days ahead"
PAGE = f"# Garden\n\n{FILLER}\n\n## Booking windows\n\n{STORES}\n"


def test_figures_far_down_a_page_are_found_with_their_line():
    found = quoted("How many days ahead does booking open?", PAGE)
    assert found.fits
    assert all(days in found.passages[0].text for days in ("35", "60", "61"))
    assert found.passages[0].text in PAGE
    assert found.passages[0].line == PAGE[: PAGE.index("- Lyon")].count("\n") + 1
    assert found.passages[0].headings[-1] == "Booking windows"


@pytest.mark.parametrize("question", ["Summarize this page", "What does it say?", "summary"])
def test_who_asks_what_a_text_says_gets_its_beginning(question):
    found = quoted(question, PAGE)
    assert found.fits
    assert found.passages[0].text.startswith(("# Garden", "Paragraph 0"))


def test_a_question_that_nothing_answers_gets_the_beginning_and_says_so():
    found = quoted("Which zebra crossed the Limpopo?", PAGE)
    assert not found.fits
    assert found.passages


def test_an_empty_text_has_no_passages():
    assert quoted("anything?", "").passages == ()


@pytest.mark.anyio
async def test_the_port_answers_the_same():
    quoter = ExtractiveQuoter()
    assert quoter.name == "limen/extractive"
    assert await quoter.quote("How many days ahead does booking open?", PAGE) == quoted(
        "How many days ahead does booking open?", PAGE
    )


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.text(max_size=60))
def test_whatever_is_asked_of_whatever_text_each_passage_stands_in_it(text, question):
    for passage in quoted(question, text).passages:
        assert 1 <= passage.line <= text.count("\n") + 1
