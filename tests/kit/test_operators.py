"""What a query demands, and what only looks like a demand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.operators import Demands, holds, plainly, read_query

OPERATORS = [
    ('"event loop" policy', '"event loop" policy', Demands(phrases=("event loop",))),
    ('set the "event loop  policy" early', 'set the "event loop policy" early', Demands(phrases=("event loop policy",))),
    ("“event loop”, «boucle»", '"event loop" , "boucle"', Demands(phrases=("event loop", "boucle"))),
    ('"->>"', '"->>"', Demands(phrases=("->>",))),
    ("jaguar -car", "jaguar", Demands(without=("car",))),
    ("jaguar -car speed", "jaguar speed", Demands(without=("car",))),
    ("东京 -大阪", "东京", Demands(without=("大阪",))),
    ('jaguar -"sports car"', "jaguar", Demands(without_phrases=("sports car",))),
    ("title:install", "install", Demands(titles=("install",))),
    ('Title:"first steps" path:docs/*.md', "first steps", Demands(titles=("first steps",), paths=("docs/*.md",))),
    ("python -title:changelog -path:old", "python", Demands(without_titles=("changelog",), without_paths=("old",))),
    ("loop site:example.org -site:old.example.org", "loop", Demands(sites=("example.org",), without_sites=("old.example.org",))),
    ("title:install -windows", "install", Demands(titles=("install",), without=("windows",))),
    ("path:docs", "", Demands(paths=("docs",))),
    ('path:"my docs" x', "x", Demands(paths=("my docs",))),
    ("How do I install it path:docs/a.md?", "How do I install it", Demands(paths=("docs/a.md",))),
    ("How do I title:install this?", "How do I install this?", Demands(titles=("install",))),
]

NO_OPERATORS = [
    "what does -v do",
    "what does rm -rf do",
    "why does find -name find nothing",
    "find with -name is slow, why?",
    "I want -name to work",
    "tar -xzf file",
    "git commit --no-verify",
    "-draft",
    "- item",
    "a - b -- c",
    "minus -5 degrees",
    "e-mail",
    "ratio 3:2",
    "std::move",
    "path::Path",
    "path: the docs",
    "C:\\path",
    "https://example.org/title:x",
    "subtitle:x",
    'a 5" disk and a 3" disk',
    'say""',
    "",
    "-",
    '"',
]


@pytest.mark.parametrize(("query", "words", "demands"), OPERATORS)
def test_an_operator_is_taken_out_of_the_words(query: str, words: str, demands: Demands) -> None:
    read = read_query(query)
    assert (read.words, read.demands) == (words, demands)


@pytest.mark.parametrize("query", NO_OPERATORS)
def test_what_only_looks_like_an_operator_stays_among_the_words(query: str) -> None:
    read = read_query(query)
    assert (read.words, read.demands, read.operators) == (query, Demands(), ())


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("title: install", "title: has no value"),
        ("filetype:pdf report", "filetype: is looked for as a word"),
        ('"event loop', "the quotation mark before event has no partner"),
    ],
)
def test_an_operator_that_is_wrong_is_taken_for_words_and_said(query: str, said: str) -> None:
    read = read_query(query)
    assert (read.words, read.demands) == (query, Demands())
    assert [notice[: len(said)] for notice in read.notices] == [said]


def test_a_question_is_not_told_of_operators() -> None:
    assert read_query("What does title: mean in YAML?").notices == ()


@pytest.mark.parametrize(
    ("text", "phrase", "held"),
    [
        ("The Event Loop runs", "event loop", True),
        ("the event\n  loop", "event loop", True),
        ("the **event** `loop`", "event loop", True),
        ("event loops", "event loop", False),
        ("the event of a loop", "event loop", False),
        ("call _wait_for()", "wait_for", True),
        ("call wait for", "wait_for", False),
        ("use std::move(x)", "std::move", True),
        ("use std move", "std::move", False),
        ("a ->> 'b'", "->>", True),
        ("C and C#", "C++", False),
        ("我爱北京天安门", "北京", True),
        ("", "x", False),
    ],
)
def test_a_phrase_stands_word_for_word(text: str, phrase: str, held: bool) -> None:
    assert holds(text, phrase) is held


@given(st.text(alphabet=st.one_of(st.sampled_from('"“”«»-:()?* pathile'), st.characters()), max_size=200))
def test_any_query_is_read(query: str) -> None:
    read = read_query(query)
    assert bool(read.demands) == bool(read.operators)
    assert len(read.words) <= 2 * len(query)


def test_words_can_be_written_so_that_they_are_no_operators() -> None:
    words = plainly(["find", "-name", "--force", "-v", "a-b"])
    assert words == ["find", "name", "--force", "-v", "a-b"]
    assert not read_query(" ".join(words)).demands


@given(st.text(max_size=40).filter(str.strip))
def test_a_text_holds_itself(text: str) -> None:
    assert holds(text, text)
