"""A long text is looked through in stretches, and nothing is lost or made up where they meet."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.secret.made import made

from limen.kit.redact import SecretTable
from limen.kit.secret.stretch import SHARED_CHARS, STRETCH_CHARS, stretches

TABLE = SecretTable()
FILLERS = ["a line of a log, like any other\n", "word ", "QUJD", "A_", "日本 ", "x" * 5_000 + "\n", "\r\n"]
MEETING = STRETCH_CHARS + SHARED_CHARS


@given(st.sampled_from(FILLERS), st.integers(0, 200_000), st.sampled_from(["", "tail", "\n"]))
@settings(max_examples=60)
def test_stretches_are_parts_of_the_text_that_share_enough_and_leave_nothing_out(filler, length, end):
    text = (filler * (length // len(filler) + 1))[:length] + end
    last_start, last_end = 0, 0
    for start, stretch in stretches(text):
        assert text[start : start + len(stretch)] == stretch
        assert start <= last_end
        assert start == 0 or (start > last_start and last_end - start >= SHARED_CHARS // 2)
        last_start, last_end = start, start + len(stretch)
    assert last_end == len(text)


@given(st.sampled_from(FILLERS), st.integers(-300, 300), st.sampled_from([0, STRETCH_CHARS, MEETING, 2 * STRETCH_CHARS]))
@settings(max_examples=60, deadline=None)
def test_a_credential_is_found_whole_wherever_it_stands(filler, shift, near):
    secret = made("ghp_{A36}", 1)
    before = (filler * (near // len(filler) + 200))[: max(near + shift, 0)]
    text = f"{before} {secret} {filler * (100_000 // len(filler))}"
    assert [(one.start, one.end) for one in TABLE.in_text(text)] == [(len(before) + 1, len(before) + 1 + len(secret))]


@pytest.mark.parametrize("shift", range(-2_400, 2_400, 160))
def test_an_armoured_key_that_lies_across_a_meeting_goes_whole(shift):
    head, foot = "-----BEGIN OPENSSH " + "PRIVATE KEY-----", "-----END OPENSSH " + "PRIVATE KEY-----"
    key = "\n".join([head, *[made("{B70}", line) for line in range(45)], foot])
    before = ("a line of a log, like any other\n" * 3_000)[: STRETCH_CHARS + shift] + "\n"
    text = f"{before}{key}\n" + "another line\n" * 8_000
    (found,) = TABLE.in_text(text)
    assert text[found.start : found.end] == key


def test_what_a_rule_must_find_anywhere_in_the_text_may_be_far_away():
    value = made("{B40}", 3)
    text = "kind: Secret\n" + "# a comment\n" * 10_000 + f"data:\n  tls.key: {value}\n"
    assert [text[one.start : one.end] for one in TABLE.in_text(text)] == [value]


@pytest.mark.parametrize("unit", ["0123456789abcdef", "QUJD", "A_", "sha512-"])
def test_cuts_in_one_endless_word_make_nothing_up(unit):
    assert TABLE.in_text(unit * 40_000) == []
