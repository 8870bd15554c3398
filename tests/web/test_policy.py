"""Block-lists: what a rule covers, and what it does not."""

import pytest

from limen.kit.log import fail_open_counts
from limen.web.gates.policy import BlockList, Rule


def blocked(*rules):
    return BlockList(Rule(rule, "test") for rule in rules)


@pytest.mark.parametrize(
    ("rule", "host", "hit"),
    [
        ("example.com", "example.com", True),
        ("example.com", "a.b.example.com", True),
        ("example.com", "notexample.com", False),
        ("www.example.com", "example.com", True),
        ("EXAMPLE.com.", "Example.COM.", True),
        ("https://example.com/path", "example.com", True),
        ("*.example.com", "a.example.com", True),
        ("*.example.com", "example.com", False),
        ("ads?.example.com", "ads1.example.com", True),
        ("# example.com", "example.com", False),
        ("", "example.com", False),
    ],
)
def test_a_rule_covers(rule, host, hit):
    assert (blocked(rule).match(host) is not None) == hit


def test_a_bad_rule_is_said_and_the_rest_still_holds():
    before = fail_open_counts["policy.bad_rule"]
    rules = blocked("///", "example.com")
    assert rules.match("example.com") is not None
    assert fail_open_counts["policy.bad_rule"] == before + 1
