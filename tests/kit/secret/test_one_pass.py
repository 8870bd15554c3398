"""One pass finds what every rule finds that is asked about the whole of every form of a text."""

import json
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limen.kit.redact import SecretTable, vendored_rules
from limen.kit.secret.named import NAMED
from limen.kit.secret.rule import RuleSet
from limen.kit.secret.shapes import FORMATS
from limen.kit.secret.view import Ways
from limen.kit.spans import merge

RULES = (*FORMATS, *vendored_rules(), *NAMED)
ROWS = [json.loads(line) for line in Path(__file__).with_name("secrets.jsonl").read_text().splitlines()]
TEXTS = [row["a"] + row["b"] for row in ROWS]
HIDING = ["\u200b", "\x1b[32m", "\x1b[0m", "\\\n", "\u00ad", "\\n", "\\u0022"]
ENCODED = str.maketrans({"=": "%3D", ":": "%3a", '"': "&quot;", " ": "%20"})
LINES = [
    "a line of a log\n",
    "TEST-PASS | http://a.example/c%20d -u x\n",
    "key: value\n",
    "\x1b[31mred\x1b[0m\n",
    "日本 ｐａｓｓ\n",
    "kind: Secret\n",
]
TABLE = SecretTable()
# Their keywords are fewer than their shapes allow, since the rest would be asked of most texts or belongs to another rule.
NARROWED = {"prefixed-key", "airtable-personnal-access-token"}


def slowly(text):
    """Where each rule finds something whose keywords occur anywhere, without stretches."""
    ways = list(Ways(text).of(text))
    asked = [rule for rule in RULES if any(RuleSet([rule])._asked(view.text) for view in ways)]
    return [one[1:] for one in merge(view.located(found) for view in ways for rule in asked for found in rule.find(view.text))]


def disguised(text, seed):
    cut = seed % (len(text) + 1)
    return [text, text[:cut] + HIDING[seed % len(HIDING)] + text[cut:], text.translate(ENCODED), text.replace("\n", "\\n")][
        seed % 4
    ]


DISGUISED = st.builds(disguised, st.sampled_from(TEXTS), st.integers(0, 10_000))


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.name not in NARROWED], ids=lambda rule: rule.name)
def test_what_a_rule_finds_holds_one_of_its_keywords(rule):
    only = RuleSet([rule])
    for text in TEXTS:
        if list(rule.find(text)):
            assert only._asked(text), text


@settings(max_examples=40, deadline=None)
@given(st.lists(DISGUISED, min_size=1, max_size=3))
def test_a_short_text(texts):
    text = "\n".join(texts)
    assert [one[1:] for one in TABLE.in_text(text)] == slowly(text)


@settings(max_examples=8, deadline=None)
@given(st.lists(st.tuples(DISGUISED, st.integers(0, 700), st.sampled_from(LINES)), min_size=2, max_size=6))
def test_a_text_of_several_stretches(parts):
    text = "".join(chain.from_iterable((line * (many + 400), secret, "\n") for secret, many, line in parts))
    assert [one[1:] for one in TABLE.in_text(text)] == slowly(text)
