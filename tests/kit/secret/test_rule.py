"""A rule's parts, and the set that asks only the rules whose keywords occur."""

from limen.kit.redact import vendored_rules
from limen.kit.secret.named import NAMED
from limen.kit.secret.rule import Rule, RuleSet
from limen.kit.secret.shapes import FORMATS
from limen.kit.secret.view import Ways


def found(text, *rules):
    return [(one.rule, text[one.start : one.end]) for one in RuleSet(rules).find(text, Ways(text))]


def test_the_first_group_is_the_secret_and_without_one_the_whole_match():
    assert found("key=abc1", Rule("a", r"key=(\w+)", ("key",))) == [("a", "abc1")]
    assert found("key=abc1", Rule("a", r"key=\w+", ("key",))) == [("a", "key=abc1")]
    assert found("b:xyz1", Rule("a", r"a:(\w+)|b:(\w+)", (":",))) == [("a", "xyz1")]


def test_a_rule_is_asked_only_where_its_keyword_occurs_in_any_case():
    rule = Rule("a", r"\d+", ("token",))
    assert found("12345", rule) == []
    assert found("ToKeN 12345", rule) == [("a", "12345")]


def test_entropy_context_and_judgement_each_refuse():
    assert found("k aaaaaaa1", Rule("a", r"(a+1)", ("k",), entropy=3)) == []
    assert found("k a1b2c3d4", Rule("a", r"(\w{8})", ("k",), within="cookie")) == []
    assert found("cookie k a1b2c3d4", Rule("a", r"(\w{8})", ("k",), within="cookie")) == [("a", "a1b2c3d4")]
    assert found("k a1b2c3d4", Rule("a", r"(\w{8})", ("k",), accepts=lambda value: False)) == []


def test_what_stands_before_a_secret_may_say_that_it_is_none():
    rule = Rule("a", r"[\w.]*token=(\w+)", ("token",), unless=r"next_?token")
    assert found("nexttoken=1 my.next_token=2 token=3 nexus_token=4", rule) == [("a", "3"), ("a", "4")]


def test_two_rules_of_one_name_are_both_asked():
    assert found("k 12 ab", Rule("n", r"(\d\d)", ("k",)), Rule("n", r"(ab)", ("k",))) == [("n", "12"), ("n", "ab")]


def test_every_rule_compiles_and_has_lower_case_keywords_that_its_findings_hold():
    for rule in (*FORMATS, *NAMED, *vendored_rules()):
        list(rule.find("x"))
        assert rule.keywords, rule.name
        assert all(keyword == keyword.lower() for keyword in rule.keywords), rule.name
