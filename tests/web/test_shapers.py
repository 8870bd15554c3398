"""Shapers: linear whatever a page holds."""

from hypothesis import given
from hypothesis import strategies as st

from limen.web.shapers.images import without_inline_images

DATA = "data:image/png;base64,AAAA"


def test_pictures_with_and_without_alternative_text():
    assert without_inline_images(f"![a b]({DATA})") == ("[IMAGE: a b]", 1)
    assert without_inline_images(f"![]({DATA})") == ("[IMAGE]", 1)
    assert without_inline_images(f"x {DATA} y") == ("x [IMAGE] y", 1)
    assert without_inline_images("![a](https://example.com/a.png)") == ("![a](https://example.com/a.png)", 0)
    assert without_inline_images(f'![a]({DATA} "title")') == ('[IMAGE: a] "title")', 1)


@given(st.lists(st.sampled_from(["![", "](", ")", DATA, " ", "\n", "word"])))
def test_no_data_survives_and_nothing_else_is_lost(pieces):
    text = "".join(pieces)
    shaped, count = without_inline_images(text)
    assert "data:image/" not in shaped
    if count == 0:
        assert shaped == text


def test_a_million_openings_take_one_pass():
    shaped, count = without_inline_images("![" * 1_000_000 + DATA)
    assert count == 1
    assert shaped.endswith("[IMAGE]")
