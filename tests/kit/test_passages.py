"""Passages: verbatim stretches with their lines and headings, whatever the text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.passages import split

PAGE = """# Tasks

Tasks run coroutines. They can be
cancelled at any time.

## Cancelling

To cancel a task, call:

```python
# this is no heading
task.cancel()

await task
```

- **`cancel(msg=None)`**

  Request the task to be cancelled.

  This raises an error inside it.

- `done()`

  Return whether it is over.

## Kinds

- one
- two
- three

| name | use |
| --- | --- |
| gather | many |
"""

markdown = st.lists(
    st.sampled_from(
        [
            "# A",
            "## B",
            "text",
            "- item",
            "  more",
            "    deep",
            "```",
            "```py",
            "~~~",
            "",
            "| a |",
            "***",
            "`x`",
            "1. n",
            "> q",
            "a" * 60,
        ]
    ),
    max_size=60,
).map("\n".join)


def by_start(text, start):
    return next(passage for passage in split(text) if passage.text.lstrip().startswith(start))


def test_a_paragraph_knows_its_lines_and_headings():
    passage = by_start(PAGE, "Tasks run")
    assert (passage.line, passage.end_line, passage.headings, passage.kind) == (3, 4, ("Tasks",), "paragraph")


def test_code_stays_whole_with_the_sentence_before_it():
    passage = by_start(PAGE, "To cancel")
    assert passage.kind == "code"
    assert passage.text.endswith("await task\n```")
    assert passage.headings == ("Tasks", "Cancelling")


def test_a_term_stands_with_its_definition_and_over_it():
    passage = by_start(PAGE, "- **`cancel")
    assert "Request the task" in passage.text
    assert "Return whether" not in passage.text
    assert passage.headings == ("Tasks", "Cancelling", "cancel(msg=None)")


def test_short_items_go_together_and_a_table_is_one_passage():
    kinds = [(passage.kind, passage.text) for passage in split(PAGE) if passage.headings[-1] == "Kinds"]
    assert kinds == [("table", "- one\n- two\n- three\n\n| name | use |\n| --- | --- |\n| gather | many |")]


def test_a_heading_of_the_same_level_ends_the_one_before():
    assert [passage.headings for passage in split("# A\n\n## B\n\none\n\n# C\n\ntwo")] == [("A", "B"), ("C",)]


def test_an_underlined_heading_counts():
    assert split("NAME\n----\ngit-clean - Remove files\n")[0].headings == ("NAME",)


def test_an_unclosed_fence_ends_with_the_text():
    (passage,) = split("```\na\n\n# b\n")
    assert passage.kind == "code"
    assert "# b" in passage.text


def test_a_stretch_may_begin_inside_of_code():
    first, second = split("await task\n```\n\nAfter it, a paragraph.\n", whole=False)
    assert (first.kind, second.kind) == ("code", "paragraph")
    assert first.text.endswith("```")


@pytest.mark.parametrize("fence", ["```", "```python", "~~~"])
def test_a_stretch_may_begin_before_code(fence):
    close = fence.removesuffix("python")
    first, second = split(f"Before.\n\n{fence}\ncode()\n{close}\n\nAfter.", whole=False)
    assert (first.kind, second.kind) == ("code", "paragraph")
    assert first.text.startswith("Before.")


def test_a_line_too_long_to_quote_is_cut_at_sentences():
    passages = split("A sentence of words. " * 200)
    assert len(passages) > 2
    assert all(passage.line == passage.end_line == 1 for passage in passages)
    assert all(passage.text.endswith(".") for passage in passages)


@given(markdown)
def test_passages_are_verbatim_in_order_and_lose_no_text(text):
    lines = text.split("\n")
    passages = split(text)
    for passage in passages:
        assert passage.text == "\n".join(lines[passage.line - 1 : passage.end_line])
    for one, following in pairwise(passages):
        assert one.end_line < following.line
    covered = {number for passage in passages for number in range(passage.line, passage.end_line + 1)}
    for number, line in enumerate(lines, 1):
        if line.strip() and line.strip().isalpha():
            assert number in covered


@given(st.text(), st.booleans())
def test_any_text_splits_into_its_own_parts(text, whole):
    for passage in split(text, whole=whole):
        assert passage.text
        assert passage.text in text
        assert 1 <= passage.line <= passage.end_line <= text.count("\n") + 1


@pytest.mark.parametrize(
    "text",
    [
        "a" * 3_000_000,
        "- x\n" * 200_000,
        "#" * 500_000,
        "- **`t`**\n\n" + "  x\n\n" * 100_000,
        "```\n" * 200_000,
        "|\n" * 200_000,
        "a. " * 500_000,
    ],
)
def test_hostile_texts_give_passages_that_can_be_quoted(text):
    assert max(len(passage.text) for passage in split(text) or split("x")) <= 5_500
