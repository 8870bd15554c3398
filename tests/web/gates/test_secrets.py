"""Which parameters of an address are credentials by their names."""

import msgspec
import pytest
from web.rig import secrets_gate

from limen.config.schema import Config
from limen.web.gates.secrets import SecretRules
from limen.web.rules import secret_rules


def code(query, rules=None):
    refusal = secrets_gate(rules).judge_url(f"https://x.example/?{query}")
    return None if refusal is None else refusal.code


@pytest.mark.parametrize(
    "name",
    ["token", "Access_Token", "access-token", "accessToken", "api-key", "api.key", "ApiKey", "session-id", "X-Amz-Signature",
     "user[password]", "password[]", "user[credentials][access_token]", "client%2Dsecret"],
)  # fmt: skip
def test_a_name_that_says_credential_is_one_however_it_is_written(name):
    assert code(f"{name}=tulip") == "secrets.parameter"


@pytest.mark.parametrize(
    "name",
    ["code", "key", "auth", "session", "sig", "tokens", "next_page_token_count", "password_policy", "token_type", "secretary",
     "user[name]", "token[type]", "[]", "-", "passwords"],
)  # fmt: skip
def test_everyday_names_are_none(name):
    assert code(f"{name}=tulip") is None


def test_a_name_that_was_taken_off_is_off_in_each_spelling():
    config = msgspec.convert({"web": {"secret_params": {"remove": ["api_key"], "add": ["Ticket_ID"]}}}, Config)
    rules = secret_rules(config)
    assert isinstance(rules, SecretRules)
    assert [code(f"{name}=x", rules) for name in ("api_key", "apikey", "api-key", "token", "ticketId")] == [
        None, None, None, "secrets.parameter", "secrets.parameter",
    ]  # fmt: skip


@pytest.mark.parametrize("inner", ["http://b.example/?token=tulip", "http%3A%2F%2Fb.example%2F%3Fx%3D1%26token%3Dtulip"])
def test_an_address_within_an_address_is_looked_into(inner):
    assert code(f"u={inner}") == "secrets.parameter"
    assert code(f"a=1&next={inner}&b=2") == "secrets.parameter"
    assert code("u=http://b.example/token?page=2") is None


def test_addresses_in_addresses_are_looked_into_to_the_last():
    assert code("u=http://b.example/?" * 300 + "w=1") is None
    assert code("u=http://b.example/?" * 300 + "token=1") == "secrets.parameter"
