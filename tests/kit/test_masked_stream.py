"""A text that comes in pieces is masked as it would be in one, wherever the pieces are cut."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.secret.made import made

from limen.kit.masked_stream import masked_pieces
from limen.kit.redact import SecretTable, mask

TABLE = SecretTable()
BLOCK = 16_384
SECRET = made("ghp_{A36}", 1)
KEY = "\n".join(
    ["-----BEGIN RSA " + "PRIVATE KEY-----", *[made("{B64}", n) for n in range(40)], "-----END RSA " + "PRIVATE KEY-----"]
)
FILLERS = ["a line of a log, like any other\n", "word ", "日本 ", "\x1b[1mbold\x1b[0m\n", "\r", "\udcff\n"]


def masked(pieces, block=BLOCK):
    made_of = list(masked_pieces(pieces, TABLE, block))
    return "".join(one.text for one in made_of), sum(one.masked for one in made_of)


@pytest.mark.parametrize("cut", range(len(SECRET) + 12))
def test_a_credential_is_masked_at_every_cut(cut):
    text = f"see {SECRET} here"
    assert masked([text[:cut], text[cut:]]) == mask(text, TABLE)


@pytest.mark.parametrize("at", range(BLOCK - 60, BLOCK + 20, 5))
@pytest.mark.parametrize("shared", [0, 8_192])
def test_a_credential_across_a_block_goes_whole(at, shared):
    text = "x " * ((at + shared) // 2) + SECRET + " y" * 20_000
    assert masked([text]) == mask(text, TABLE)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(FILLERS), st.integers(0, 900), st.sampled_from([SECRET, KEY, ""])), max_size=8),
    st.lists(st.integers(0, 60_000), max_size=8),
)
def test_where_it_is_cut_changes_nothing(parts, cuts):
    text = "".join(filler * many + "\n" + secret + "\n" for filler, many, secret in parts)
    marks = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    assert masked(text[start:end] for start, end in pairwise(marks)) == mask(text, TABLE)


def test_what_a_block_says_of_the_values_behind_it_is_remembered():
    value = made("{B40}", 3)
    text = "kind: Secret\n" + "# a comment\n" * 10_000 + f"data:\n  tls.key: {value}\n"
    assert value not in masked([text])[0]


def test_a_key_without_an_end_neither_stops_the_stream_nor_shows():
    head = "-----BEGIN RSA " + "PRIVATE KEY-----\n"
    shown, _ = masked([head, *["MIIEowIBAAKCAQEA" * 4 + "\n"] * 100], BLOCK)
    assert "MIIE" not in shown
    assert masked(["a" * 100_000] * 3)[0] == "a" * 300_000
