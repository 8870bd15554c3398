"""Secrets that are known are found in the forms that programs give them, wherever a stream is cut."""

import base64
import html
import json
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from limen.kit.secret.echo import Echoes, EchoMask
from limen.kit.spans import MASK

KEY = "sk-Ab/1+" + 'c3&"D\\4='
OTHER = "sk-Ab99" + "zzTop"
ECHOES = Echoes([KEY, OTHER], "key")
MARK = MASK.format(rule="key")


def in_base64(text, before="", behind=""):
    return base64.b64encode((before + text + behind).encode()).decode()


FORMS = [
    KEY, KEY.upper(), KEY.lower(), quote(KEY), quote(KEY, safe="").lower(), json.dumps(KEY)[1:-1], html.escape(KEY),
    json.dumps(KEY)[1:-1].replace("/", "\\/"), OTHER,
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("frame", ["{}", "say {}, twice: {}", "sk-{}", "日本İ{}語", "{}{}"])
def test_each_form_is_masked_and_the_text_around_it_stays(form, frame):
    assert ECHOES.masked(frame.format(form, form)) == frame.format(MARK, MARK)


@pytest.mark.parametrize("before", ["", "u", "us", "user:", "apikey:"])
@pytest.mark.parametrize("behind", ["", "\n", ":pass"])
@pytest.mark.parametrize("secret", [KEY, OTHER])
def test_in_base64_no_more_is_left_than_what_the_neighbours_decide_too(before, behind, secret):
    encoded = in_base64(secret, before, behind)
    for written in (encoded, encoded.replace("+", "-").replace("/", "_")):
        masked = ECHOES.masked(f"Basic {written} it was")
        left = masked.removeprefix("Basic ").removesuffix(" it was").replace(MARK, "")
        assert MARK in masked
        assert len(left) <= 4 + len(in_base64(before)) + len(in_base64(behind))


PARTS = st.sampled_from(
    [*FORMS, in_base64(KEY), in_base64(OTHER, "u"), "s", "sk-", "sk-Ab", "İ", "日本", "a task, ", "\n", KEY[1:]]
)


@given(st.lists(PARTS, max_size=8).map("".join), st.lists(st.integers(0, 80), max_size=40))
@example(OTHER[:7] + OTHER, [1] * 30)
def test_a_stream_is_masked_as_the_whole_is_wherever_it_is_cut(text, sizes):
    stream, given_out, position = EchoMask(ECHOES), "", 0
    for size in sizes:
        given_out += stream.add(text[position : position + size])
        position += size
        seen = text[:position]
        assert KEY not in given_out
        assert ECHOES.masked(seen[: ECHOES.certain(seen)]).startswith(given_out)
    assert given_out + stream.add(text[position:]) + stream.rest() == ECHOES.masked(text)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.data())
def test_nothing_is_held_back_but_what_may_be_the_beginning_of_a_secret(text, data):
    cut = data.draw(st.integers(0, len(OTHER) - 1))
    stream = EchoMask(Echoes([OTHER], "key"))
    given_out = stream.add(text + OTHER[:cut])
    held = (text + OTHER[:cut])[len(given_out) :]
    begins = [OTHER, in_base64(OTHER), in_base64(OTHER, "u")[2:], in_base64(OTHER, "us")[3:]]
    assert len(held) >= cut
    assert not held or any(form.lower().startswith(held.lower()) for form in begins)
    assert given_out + stream.rest() == text + OTHER[:cut]


def test_ordinary_words_pass_at_once():
    stream = EchoMask(ECHOES)
    assert [stream.add(word) for word in ("Please ", "ask ", "me,\n", "50% ")] == ["Please ", "ask ", "me,\n", "50% "]


def test_after_a_pause_the_rest_of_a_secret_is_masked_all_the_same():
    stream = EchoMask(ECHOES)
    assert stream.add("yes") == "ye"
    assert stream.pause() == "s"
    assert stream.add("k-Ab99zzTop!") == f"{MARK}!"
    assert stream.add("yes") == "ye"
    assert stream.pause() == "s"
    assert stream.add(" and no") == " and no"
    assert stream.add("sk-Ab9") == ""
    assert stream.pause() == ""
    assert stream.rest() == "sk-Ab9"


@given(st.lists(st.sampled_from([OTHER, OTHER[:5], OTHER[5:], "", "and ", OTHER[3:4]]), max_size=6))
def test_a_secret_that_lies_across_texts_is_masked_once(texts):
    assert "".join(ECHOES.masked_each(texts)) == ECHOES.masked("".join(texts))
    assert len(ECHOES.masked_each(texts)) == len(texts)


def test_nothing_known_changes_nothing():
    stream = EchoMask(Echoes())
    assert (stream.add(KEY), stream.rest()) == (KEY, "")
