"""Block-lists: what a rule covers, and what it does not."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "badexample.com", False),
        ("ads?.example.com", "ads1.example.com", True),
        ("ads?.example.com", "ads12.example.com", False),
        ("ads-*.example.com", "ads-1.x.example.com", True),
        ("*ads*", "my.ads.example", True),
        ("ad[1-3].example.com", "ad2.example.com", True),
        ("ad[!1-3].example.com", "ad2.example.com", False),
        ("ad[!1-3].example.com", "ad7.example.com", True),
        ("a.*.example", "axb.example", False),
        ("# example.com", "example.com", False),
        ("", "example.com", False),
    ],
)
def test_a_rule_covers(rule, host, hit):
    assert (blocked(rule).match(host) is not None) == hit


def test_a_bad_rule_is_said_and_the_rest_still_holds():
    before = fail_open_counts["policy.bad_rule"]
    rules = blocked("///", "a[z-a]b.example", "x*.example", "example.com")
    assert rules.match("example.com") is not None
    assert rules.match("xy.example").text == "x*.example"
    assert fail_open_counts["policy.bad_rule"] == before + 2


PIECES = st.text("ab.*?[]!-", max_size=6)


@given(PIECES, PIECES, st.text("ab.-", max_size=8))
def test_a_glob_means_what_the_shell_means(before, after, middle):
    """The standard library's own reading is the judge; `www.`, a leading `*.` and last dots have rules of their own."""
    glob, host = f"a{before}*{after}b", f"a{middle}b"
    assert (blocked(glob).match(host) is not None) == fnmatchcase(host, glob)
