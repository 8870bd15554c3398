"""What hides in a text is looked at too, and findings come back at the text's own positions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.redact import SecretTable, mask
from limen.kit.secret.view import Ways
from limen.kit.spans import Found

HIDING = ["\u200b", "\x1b[32m", "\x1b[0m", "\\\n", "\u00ad", "\U000e0041", "\x1b]8;;https://x\x07"]


def located(text, word):
    for view in Ways(text).of(text):
        start = view.text.find(word)
        if start >= 0:
            yield view.located(Found("word", start, start + len(word)))


@given(
    st.lists(st.sampled_from([*HIDING, "a", "日", " "]), max_size=12), st.lists(st.sampled_from(HIDING), min_size=7, max_size=7)
)
def test_a_word_cut_by_anything_hidden_is_found_where_it_stands(before, between):
    word = "NEEDLE7"
    hidden = "".join(letter + cut for letter, cut in zip(word, ["", *between[:5], ""], strict=True))
    lead = "".join(before)
    text = f"{lead}{hidden} rest"
    found = [text[one.start : one.end] for one in located(text, word)]
    assert hidden in found


def test_plain_text_has_one_view():
    assert [view.text for view in Ways("").of("plain text, nothing hidden")] == ["plain text, nothing hidden"]


def test_an_escape_before_a_word_leaves_a_boundary():
    assert any(" word" in view.text for view in Ways("").of("x\x1b[32mword"))


@pytest.mark.parametrize("escape", ["\\n", "\\r\\n", "\\t", "\\\\n", "\\u0022", "\\u000a"])
def test_a_written_escape_before_a_key_leaves_a_boundary(escape):
    key = "AKIA" + "Q3EGRTW7YPLMN4ZK"
    assert mask(f"x{escape}{key}{escape}y", SecretTable()).text == f"x{escape}⟦masked aws-access-key-id⟧{escape}y"


ENCODED = {"=": "%3D", ":": "%3a", '"': "&quot;", "'": "&#39;", " ": "%20", "&": "&amp;", "<": "&#x3c;"}


@given(st.lists(st.sampled_from([*ENCODED, "a", "日", "%", "&", ";"]), max_size=8), st.sampled_from(list(ENCODED)))
def test_a_word_among_encoded_marks_is_found_where_it_stands(around, mark):
    lead = "".join(ENCODED.get(char, char) for char in around)
    text = f"%22{lead}{ENCODED[mark]}NEEDLE7{ENCODED[mark]}{lead}"
    _, *_, view = Ways(text).of(text)
    start = view.text.index(f"{mark}NEEDLE7{mark}")
    inner = view.located(Found("word", start + 1, start + 8))
    assert text[inner.start : inner.end] == "NEEDLE7"
    whole = view.located(Found("word", start, start + 9))
    assert text[whole.start : whole.end] == f"{ENCODED[mark]}NEEDLE7{ENCODED[mark]}"


def test_wide_letters_are_read_as_plain_ones_at_their_own_places():
    wide = "日本 ｐａｓｓ＝x"
    _, view = Ways(wide).of(wide)
    assert view.text == "日本 pass=x"


@pytest.mark.parametrize("text", ["", "plain", "100 % of it & more;", "日本，。", "a%2Fb"])
def test_what_is_not_encoded_has_no_further_view(text):
    assert len(list(Ways(text).of(text))) == 1
