"""Settings as rules: a host that was written with its own letters is the host that addresses come to."""

import msgspec

from limen.config.schema import Config
from limen.web.rules import permission_rules, secret_rules


def config(**web):
    return msgspec.convert({"web": web}, Config)


def test_hosts_are_spelled_as_in_addresses():
    asked = permission_rules(config(permissions=["domain:Bücher.example=deny", "domain:x.example=ask"]))
    assert asked.permission("a.xn--bcher-kva.example") == "deny"
    assert asked.permission("x.example") == "ask"
    assert secret_rules(config(secret_exempt_hosts=["Bücher.example"])).exempt_hosts == {"xn--bcher-kva.example"}
