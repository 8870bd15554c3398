"""Block-lists: what a rule covers, and what it does not."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kit.log import fail_open_counts, logger
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
        ("bücher.example", "xn--bcher-kva.example", True),
        ("BÜCHER.example", "a.xn--bcher-kva.example", True),
        ("*.bücher.example", "a.xn--bcher-kva.example", True),
        ("ads-*.bücher.example", "ads-1.xn--bcher-kva.example", True),
        ("ｅｘａｍｐｌｅ.com", "example.com", True),
        ("example.com:8080", "example.com", True),
        ("http://user@example.com:8080/path?a", "example.com", True),
        ("http://example.com?a", "example.com", True),
        ("93.184.216.34", "93.184.216.34", True),
        ("2606:2800::0:1", "2606:2800::1", True),
        ("[2606:2800::1]", "2606:2800::1", True),
        ("http://[2606:2800::1]:80/", "2606:2800::1", True),
        ("", "example.com", False),
    ],
)
def test_a_rule_covers(rule, host, hit):
    assert (blocked(rule).match(host) is not None) == hit


@pytest.mark.parametrize(
    "rule",
    [
        "///", "a[z-a]b.example", "||ads.example^", "0.0.0.0 ads.example", "ads.example, more.example", "http://[::1/",
        "a..example", "*ü*.example", "93.184.216.0/24", "2606:2800::/32", "a" * 300, "\x00", "http://",
        "bücher\u200b.example\u2024x y",
    ],
)  # fmt: skip
def test_a_bad_rule_is_said_and_the_rest_still_holds(rule):
    before = fail_open_counts["policy.bad_rule"]
    rules = blocked(rule, "x*.example", "example.com")
    assert rules.match("example.com") is not None
    assert rules.match("xy.example").text == "x*.example"
    assert fail_open_counts["policy.bad_rule"] == before + 1


def test_a_list_in_a_format_of_its_own_is_said_once(caplog):
    logger.propagate = True
    blocked(*(f"||ads{number}.example^" for number in range(2_000)))
    (record,) = caplog.records
    assert record.getMessage() == "policy.bad_rule: '||ads0.example^' in test names no host, nor do 1,999 more rules there"


@given(st.text(max_size=40))
def test_no_line_of_a_list_breaks_the_others(line):
    assert blocked(line, "example.com").match("example.com") is not None


PIECES = st.text("ab.*?[]!-", max_size=6)


@given(PIECES, PIECES, st.text("ab.-", max_size=8))
def test_a_glob_means_what_the_shell_means(before, after, middle):
    """The standard library's own reading is the judge; `www.`, a leading `*.` and last dots have rules of their own."""
    glob, host = f"a{before}*{after}b", f"a{middle}b"
    assert (blocked(glob).match(host) is not None) == fnmatchcase(host, glob)
