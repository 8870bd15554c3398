"""What counts as a secret's value and what only stands for one."""

import pytest

from limen.kit.secret.value import entropy_bits, is_generated, is_random, is_stand_in


@pytest.mark.parametrize(
    "value",
    ["your-api-key", "changeme", "xxxxxxxx", "abcabcabc", "${TOKEN}", "$TOKEN", "%TOKEN%", "{{ token }}", "<token>", "[token]", "get_token()",
     "os.environ", "process.env.KEY", "https://example.com/reset2", "./keys/file1", "sk-...", "⟦masked jwt⟧", "AKIAIOSFODNN7" + "EXAMPLE"],
)  # fmt: skip
def test_a_placeholder_stands_for_a_secret(value):
    assert is_stand_in(value)


@pytest.mark.parametrize(
    "value", ["hvs.E0A1zye7KQ5Z", "s.A8HOR1i6Llvea9h", "$apr1$e8dn1Pm9$PKA63r", "Tr0ub4dor-Snb3OE", "p4ssw0rd-of-mine"]
)
def test_a_real_value_does_not(value):
    assert not is_stand_in(value)


def test_entropy_is_in_bits_a_character():
    assert entropy_bits("") == 0
    assert entropy_bits("aaaa") == 0
    assert entropy_bits("abcd") == 2


def test_words_joined_into_a_name_are_not_generated():
    assert not is_generated("exampleIdentifierLongNameHere1")
    assert not is_generated("searchresultscount2")
    assert is_generated("q7Xb2LmP9sVdR4tY")
    assert is_random("q7Xb2LmP9sVdR4tY")
    assert not is_random("a1a1a1a1a1a1a1a1a1")
