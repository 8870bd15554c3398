import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.models.oauth.claims import account_of, claims_of
from limen.testing.oauth_server import ACCOUNT, token


def jwt(claims):
    return f"e30.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.sig"


def test_a_token_names_its_account_and_its_end():
    assert account_of(token(1, 5_000.0)) == ACCOUNT
    assert claims_of(token(1, 5_000.0)).exp == 5_000.0
    assert account_of(jwt({"chatgpt_account_id": "top"})) == "top"


@pytest.mark.parametrize(
    "text", ["", "sk-plain-key", "a.b", "a.b.c", "a.!!!.c", "..", f"e30.{'A' * 20_000}.x", jwt([]), jwt({"exp": "soon"})]
)
def test_anything_else_says_nothing(text):
    assert claims_of(text) is None
    assert account_of(text) is None


@pytest.mark.parametrize("account", ["", "two words", "line\nbreak", "a\r\nHost: evil", "sché"])
def test_an_account_that_cannot_stand_in_a_header_is_none(account):
    assert account_of(jwt({"https://api.openai.com/auth": {"chatgpt_account_id": account}})) is None


@given(st.text(max_size=200))
def test_no_text_breaks_it(text):
    account_of(text)
    account_of(f"a.{text}.b")
