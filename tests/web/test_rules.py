"""Settings as rules: a host that was written with its own letters is the host that addresses come to."""

import msgspec
import pytest

from limen.config.schema import Config, Reader
from limen.net.tunnel import parse_proxy
from limen.net.url import MAX_URL_CHARS
from limen.web.rules import permission_rules, secret_rules


def config(**web):
    return msgspec.convert({"web": web}, Config)


def test_hosts_are_spelled_as_in_addresses():
    asked = permission_rules(config(permissions=["domain:Bücher.example=deny", "domain:x.example=ask"]))
    assert asked.permission("a.xn--bcher-kva.example") == "deny"
    assert asked.permission("x.example") == "ask"
    assert secret_rules(config(secret_exempt_hosts=["Bücher.example"])).exempt_hosts == {"xn--bcher-kva.example"}


def test_no_longer_url_is_allowed_than_can_be_read():
    schema = msgspec.json.schema(Reader)["$defs"]["Reader"]["properties"]["max_url_chars"]
    assert (schema["maximum"], schema["default"]) == (MAX_URL_CHARS, MAX_URL_CHARS)


@pytest.mark.parametrize(
    "proxy", ["http://h:1", "https://me:a%40b@[fd00::1]:3128/", "http://bücher.example:80", "http://proxy.invalid:9"]
)
def test_a_proxy_that_the_settings_take_can_be_used(proxy):
    assert msgspec.convert({"security": {"proxy": proxy}}, Config).security.proxy == proxy
    assert parse_proxy(proxy).port
