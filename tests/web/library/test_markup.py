"""Markdown as the index sees it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.web.library.markup import visible


@given(st.text(alphabet='a[]()!#`~\\\n "<>', max_size=200))
def test_lines_stay_where_they_are(markdown: str) -> None:
    seen = visible(markdown)
    assert seen.text.count("\n") == markdown.count("\n")
    assert 0.0 <= seen.link_share <= 1.0


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("see [the docs](https://x.org/a_(b)) now", "see the docs now"),
        ('[a](b "title") c', "a c"),
        ("![alt text](picture.png)", "alt text"),
        ("[nested [brackets]](x)", "nested [brackets]"),
        ("[angle](<a b>)", "angle"),
        ("## Heading [link](x)", "Heading link"),
        (r"snake\_case \*not bold\*", "snake_case *not bold*"),
        ("```\n# comment\na[i](x)\n```", "```\n# comment\na[i](x)\n```"),
        ("~~~\n[a](b)\n```\n[a](b)\n~~~\n[a](b)", "~~~\n[a](b)\n```\n[a](b)\n~~~\na"),
        ("no link [here] (there)", "no link [here] (there)"),
        ("# A\n```\n# [c](x)\n```\n## [b](x)\n", "A\n```\n# [c](x)\n```\nb\n"),
        ("[a](b) ``` [c](d)\n[e](f)", "a ``` c\ne"),
        ("> ~~~ x ~~~\n[a](b)", "> ~~~ x ~~~\n[a](b)"),
        ("\n\n```\n[a](b)\n```", "\n\n```\n[a](b)\n```"),
        ("![a](b) and [c](d)\n   ### e # f", "a and c\ne # f"),
    ],
)
def test_what_is_seen(markdown: str, text: str) -> None:
    assert visible(markdown).text == text


def test_the_share_of_links_counts_words_alone() -> None:
    assert visible("- [abc](x)\n- [def](y)\n").link_share == 1.0
    assert visible("[abc](x) xyz").link_share == 0.5
    assert visible("![abc](x) xyz").link_share == 0.0


@pytest.mark.parametrize("hostile", ["[" * 50_000, "[a](" * 20_000, "[" + "[]" * 50_000, '[a](b "' * 20_000, "[a" * 50_000])
def test_hostile_brackets_come_to_an_end(hostile: str) -> None:
    assert visible(hostile).text.startswith("[")
