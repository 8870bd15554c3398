"""What is written down of addresses: never the value of a parameter that the gate would refuse, in whatever form it stands."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web.rig import masking

from limen.web.gates.secrets import SECRET_PARAMETERS, SecretRules

VALUE = "tulip4711"
MASKED = "⟦masked parameter⟧"


@pytest.mark.parametrize(
    "address",
    [
        "https://x.example/?token={}",
        "https://x.example/?a=1&TOKEN={}&b=2",
        "https://x.example/?a=1;token={}",
        "https://x.example/#token={}",
        "https://x.example/p#/route?token={}",
        "https://x.example/?access%5Ftoken={}",
        "https://x.example/?acc\u200bess_token={}",
        "https://x.example/?u=http://y.example/?token={}",
        "https://x.example/?u=http%3A%2F%2Fy.example%2F%3Fa%3D1%26token%3D{}&b",
        "https://x.example/?u=http%253A%252F%252Fy.example%252F%253Ftoken%253D{}",
        "Two: https://x.example/?token={} https://y.example/?jwt={}",
        "a path /?secret={} and more",
    ],
)
def test_a_credential_parameter_loses_its_value_and_nothing_else(address):
    written = re.sub("⟦masked [a-z-]+⟧", MASKED, masking()(address.format(VALUE, VALUE)))
    assert written == address.format(MASKED, MASKED)


@pytest.mark.parametrize(
    "text",
    ["https://x.example/?code=a&key=b&session=c", "https://x.example/?token", "https://x.example/token=a", "no address", ""],
)
def test_everyday_words_stay(text):
    assert masking()(text) == text


def test_an_encoded_delimiter_ends_no_value():
    assert masking()("https://x.example/?jwt=tulip%26rose%3Dlily&a=b") == f"https://x.example/?jwt={MASKED}&a=b"


def test_the_names_are_those_of_the_operator():
    rules = SecretRules(frozenset({"ticket"}))
    assert masking(rules)("https://x.example/?ticket=a&token=b") == f"https://x.example/?ticket={MASKED}&token=b"


def test_a_password_before_the_host_is_masked_too():
    assert "Hunter2Kx" not in masking()("refused https://bob:Hunter2Kx@x.example/?token=a")


@given(st.sampled_from(sorted(SECRET_PARAMETERS)), st.text("?&;#=%3dDfF25abc ", max_size=200))
def test_what_stands_around_hides_no_value(name, around):
    assert VALUE not in masking()(f"{around} https://x.example/?{name}={VALUE}&{around}")
