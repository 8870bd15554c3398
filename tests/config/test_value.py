"""Settings written as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.config.keys import ANY, KEYS, find
from limen.config.value import parse_free, parse_value, show_value
from limen.core.fault import ConfigFault


def read(name, text):
    key = find(name)
    assert key is not None
    return parse_value(key, text)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("web.max_urls", " 8 ", 8),
        ("limits.cost_usd", "0.5", 0.5),
        ("limits.cost_usd", "1", 1.0),
        ("limits.cost_usd", "none", None),
        ("limits.tokens", "", None),
        ("web.mode", "off", "off"),
        ("web.backend", "", ""),
        ("web.backend", "none", "none"),
        ("security.website_blocklist.enabled", "On", True),
        ("security.website_blocklist.enabled", "0", False),
        ("security.website_blocklist.domains", "a.com, b.com,", ("a.com", "b.com")),
        ("security.website_blocklist.domains", '["a,b"]', ("a,b",)),
        ("security.website_blocklist.domains", "none", ()),
        ("security.allow_private_hosts", "10.0.0.0/8,wiki.lan:80,fd00::/8", ("10.0.0.0/8", "wiki.lan:80", "fd00::/8")),
        ("providers.my-own.quirks", "no_system,strict", ("no_system", "strict")),
        ("providers.my-own.quirks", "null", None),
        ("model.route", "openrouter/a/b:free", "openrouter/a/b:free"),
    ],
)  # fmt: skip
def test_text_is_read_by_the_type_of_its_key(name, text, value):
    assert read(name, text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("web.max_urls", "many"), ("web.max_urls", "0"), ("web.max_urls", "51"), ("web.max_urls", "8.5"), ("web.max_urls", ""),
        ("limits.cost_usd", "nan"), ("limits.cost_usd", "inf"), ("limits.cost_usd", "-1"), ("limits.time_s", "0"),
        ("limits.tokens", "9" * 5_000), ("web.mode", "on"), ("web.mode", "LIVE"),
        ("security.website_blocklist.enabled", "perhaps"), ("security.website_blocklist.domains", "[1]"),
        ("security.website_blocklist.domains", "[" * 100_000), ("security.website_blocklist.domains", '["a"'),
        ("security.allow_private_hosts", "http://wiki.lan"), ("security.allow_private_hosts", "a b"),
        ("security.fake_ip_ranges", "198.18.0.1"), ("providers.x.endpoint", "ftp://h"), ("providers.x.api_key_env", "sk-abc"),
        ("providers.x.model", "a\0b"), ("model.route", "gpt"), ("model.route", "/x"), ("web.backend", "\udc80"),
    ],
)  # fmt: skip
def test_text_that_does_not_fit_is_refused_without_being_quoted(name, text):
    with pytest.raises(ConfigFault) as caught:
        read(name, text)
    assert caught.value.code == "config.bad_value"
    assert name in caught.value.reason
    if len(text) > 3:
        assert text not in str(caught.value)


@given(st.sampled_from([key for name, key in KEYS.items() if ANY not in name]), st.text(max_size=30))
def test_any_text_is_read_or_refused(key, text):
    try:
        value = parse_value(key, text)
    except ConfigFault:
        return
    assert key.convert(value) == value


@pytest.mark.parametrize("key", [key for name, key in KEYS.items() if ANY not in name], ids=lambda key: key.name)
def test_a_default_survives_being_shown_and_read(key):
    assert parse_value(key, show_value(key.default)) == key.default


def test_a_free_value_is_json_or_text():
    assert parse_free('{"a": [1, null]}') == {"a": [1, None]}
    assert parse_free("true") is True
    assert parse_free("words") == "words"
    assert parse_free("NaN") == "NaN"
    assert parse_free("[" * 100_000) == "[" * 100_000
