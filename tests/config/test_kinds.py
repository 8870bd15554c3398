"""The kinds of values that settings have."""

import re

from hypothesis import given
from hypothesis import strategies as st

from limen.config.kinds import KeyReference, fits

LINE = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), max_size=40)
REST = LINE.filter(lambda text: text[:1].strip() != "")
REFERENCES = st.one_of(
    st.from_regex(r"env:[A-Za-z_][A-Za-z0-9_]{0,20}", fullmatch=True),
    REST.map(lambda rest: f"file:{rest}"),
    REST.map(lambda rest: f"cmd:{rest}"),
    st.tuples(REST.filter(lambda text: "/" not in text), REST.filter(lambda text: text[0] != "/")).map(
        lambda pair: f"keyring:{pair[0]}/{pair[1]}"
    ),
    st.from_regex(r"oauth:[a-z0-9][a-z0-9._-]{0,20}", fullmatch=True),
)


@given(REFERENCES)
def test_a_reference_of_each_kind_is_one(text):
    assert fits(text, KeyReference)


@given(st.one_of(st.text(max_size=60), REFERENCES.map(lambda text: text[text.index(":") + 1 :]), REFERENCES.map(" {}".format)))
def test_nothing_else_is_one(text):
    """What fits names its kind and what stands behind it, so that a key itself is never taken for a reference."""
    kind, parted, rest = text.partition(":")
    if fits(text, KeyReference):
        assert kind in ("env", "file", "cmd", "keyring", "oauth")
        assert parted
        assert rest == rest.lstrip()
        assert rest
    else:
        assert not re.fullmatch(r"env:[A-Za-z_][A-Za-z0-9_]*", text, re.ASCII)


@given(REFERENCES, st.sampled_from(["\n", "\r\nfile:x"]))
def test_a_reference_is_one_line(text, more):
    assert not fits(text + more, KeyReference)


@given(st.integers(980, 1_020))
def test_a_reference_has_an_end(length):
    assert fits("cmd:" + "x" * (length - 4), KeyReference) == (length <= 1_000)
