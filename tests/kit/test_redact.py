"""Masking: credentials go, everything else stays to the letter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.redact import SecretTable, mask

TABLE = SecretTable()
SECRETS = {
    "github-token": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "aws-access-key-id": "AKIA" + "IDVWTFKTANGPVYQ2",
    "openai-key": "sk-proj-" + "T3BlbkFJa1b2c3d4e5f6g7h8",
    "slack-token": "xoxb-" + "12345678901-abcdefGHIJKL",
    "jwt": "eyJhbGciOiJI" + "UzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJlMTIz",
    "google-api-key": "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
}


@pytest.mark.parametrize(("rule", "secret"), SECRETS.items())
@pytest.mark.parametrize("frame", ["{}", "key={}", '"{}"', "see {}, then", "\n{}\n", "日本{}語", "https://x.example/?a={}&b=1"])
def test_a_credential_is_masked_wherever_it_stands(rule, secret, frame):
    masked = mask(frame.format(secret), TABLE)
    assert secret not in masked.text
    assert masked.text == frame.format(f"⟦masked {rule}⟧")
    assert masked.masked == 1


@pytest.mark.parametrize(
    "text",
    ["sk-learn-contrib-imbalanced-ensembles", "password: ${DB_PASSWORD}", "max_tokens: 4096", "Authorization: Bearer $TOKEN",
     "https://user@example.com/", "git@github.com:owner/repository.git", "AKIAIOSFODNN7" + "EXAMPLE", "tokenizer: cl100k_base"],
)  # fmt: skip
def test_ordinary_text_stays_to_the_letter(text):
    assert mask(text, TABLE) == (text, 0)


def test_what_is_no_character_neither_stops_masking_nor_hides_a_credential():
    secret = SECRETS["github-token"]
    assert mask(f"\udcff {secret} \ud83d é", TABLE) == ("\udcff ⟦masked github-token⟧ \ud83d é", 1)


def test_a_private_key_goes_with_its_body_even_when_it_is_cut():
    head = "-----BEGIN RSA " + "PRIVATE KEY-----\n"
    body = "MIIEowIBAAKCAQEA\n" * 3
    assert "MIIE" not in mask(head + body + "-----END RSA " + "PRIVATE KEY-----", TABLE).text
    assert "MIIE" not in mask(head + body, TABLE).text


@pytest.mark.parametrize("end", ["\n", "\\n", "\r\n"])
def test_armour_goes_whole_in_json_too_and_the_text_around_it_stays(end):
    lines = ["MIIEowIBAAKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gun", "VTLw7onLRnrq0/IzW7yWR7QkrmBL7jTKEn5u", "Zg=="]
    head, foot = "-----BEGIN RSA " + "PRIVATE KEY-----", "-----END RSA " + "PRIVATE KEY-----"
    whole = end.join([head, *lines, foot])
    assert mask(f'"before" {whole} and after it', TABLE).text == '"before" ⟦masked private-key⟧ and after it'
    without_head = end.join([*lines, foot])
    assert mask(without_head, TABLE).text == "⟦masked private-key⟧"
    without_foot = end.join([head, lines[0]])
    assert mask(f'{without_foot}", "next": "words stay"', TABLE).text == '⟦masked private-key⟧", "next": "words stay"'


@given(st.text(max_size=300))
def test_masking_twice_changes_nothing_more(text):
    once = mask(text, TABLE).text
    assert mask(once, TABLE).text == once


@pytest.mark.parametrize("text", ["the password is hunter2", "Password for the wifi: hunter2!", "password is: 'hunter2'"])
def test_a_password_that_is_told_in_a_sentence_goes(text):
    assert "hunter2" not in mask(text, TABLE).text


def test_a_credential_in_an_encoded_text_goes_with_its_own_characters_and_no_others():
    assert mask("x=1&y=password%3DTr0ub4dor-x7%26z", TABLE).text == "x=1&y=password%3D⟦masked named-password⟧%26z"
    assert mask("&quot;password&quot;:&quot;Tr0ub4dor-x7&quot;", TABLE).text.endswith("⟦masked named-password⟧&quot;")


def test_hostile_text_takes_one_pass():
    mask("token is " * 50_000 + "password%3D" * 50_000 + "&quot;secret " * 50_000, TABLE)
    mask("password=" * 100_000 + "-----BEGIN " * 50_000, TABLE)


def test_a_key_that_a_person_configured_is_masked_whatever_its_shape():
    table = SecretTable()
    table.know("correct horse battery")
    table.know("short")
    table.know("lm-studio")
    table.know("correct horse battery")
    said = mask("say correct horse battery, twice: correct horse battery; short and lm-studio stay", table)
    assert said.text == "say ⟦masked configured-key⟧, twice: ⟦masked configured-key⟧; short and lm-studio stay"
    assert said.masked == 2
    assert table.in_value("x=correct horse battery")
    assert mask("nothing of it", table).masked == 0


def test_a_configured_key_that_is_hidden_in_escapes_is_found():
    table = SecretTable()
    table.know("abcd1234efgh")
    assert "1234" not in mask("abcd\u200b1234efgh and \x1b[1mabcd1234efgh\x1b[0m", table).text
