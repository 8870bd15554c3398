"""Links with numbers become their words; everything else stays."""

import pytest

from limen.kit.link_numbers import without_link_numbers


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a [b c](3) and [d](4 x.example).", "a b c and d."),
        ("[a](https://x.example/) [b][1] c(3)", "[a](https://x.example/) [b][1] c(3)"),
        ("[![p](https://x.example/i.png)](1)", "[![p](https://x.example/i.png)](1)"),
        ("[](7)", ""),
    ],
)
def test_numbers_go_and_words_stay(text, plain):
    assert without_link_numbers(text) == plain


def test_very_many_brackets_are_read_in_one_pass():
    for text in ("[" * 200_000 + "](1)", "[a](" * 100_000, "](1" * 100_000):
        assert len(without_link_numbers(text)) <= len(text)
