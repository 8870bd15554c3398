"""Settings written as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.config.keys import ANY, KEYS, find
from limen.config.value import parse_free, parse_value, show_value
from limen.core.fault import ConfigFault
from limen.net.policy import AddressPolicy


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
        ("security.website_blocklist.domains", "[a.com, 'b.com']", ("a.com", "b.com")),
        ("security.website_blocklist.domains", "[]", ()),
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


@pytest.mark.parametrize(
    "entry",
    ["wiki", "nas.local:8080", ".corp.example", "*.corp.example", "10.0.0.1", "10.0.0.1:8080", "10.0.0.0/8", "10.0.0.0/8:443",
     "::1", "fd00::/8", "[fd00::1]", "[fd00::1]:8080", "[fd00::/8]:443", "::ffff:10.0.0.1", "my_host-1"],
)  # fmt: skip
def test_hosts_that_the_network_reads_are_settings(entry):
    assert read("security.allow_private_hosts", entry) == (entry,)
    assert AddressPolicy((entry,)).allow_private_hosts == (entry,)


@pytest.mark.parametrize(
    "entry",
    ["http://wiki", "wiki/path", "10.0.0.0/33", "10.0.0.0/", "300.0.0.0/8", "fd00::/129", "[fd00::1", "wiki:port", "a@b", "*",
     "a?b", "läb", "wiki:8080:1", "wiki:80/x", "a b"],
)  # fmt: skip
def test_hosts_that_it_does_not_read_are_none(entry):
    with pytest.raises(ConfigFault):
        read("security.allow_private_hosts", entry)
    with pytest.raises(ConfigFault):
        AddressPolicy((entry,))


@pytest.mark.parametrize("entry", ["198.18.0.0/15", "240.0.0.0/4", "fc00::/18", "fe00::/7"])
def test_stand_in_networks(entry):
    assert read("security.fake_ip_ranges", entry) == AddressPolicy((), (entry,)).fake_ip_ranges


@pytest.mark.parametrize(
    "entry", ["0.0.0.0/0", "0.0.0.0/3", "::/0", "::/6", "198.18.0.0", "198.18.0.0/33", "fc00::/129", "x/8", "wiki"]
)
def test_what_is_too_wide_for_a_stand_in_is_refused(entry):
    with pytest.raises(ConfigFault):
        read("security.fake_ip_ranges", entry)
