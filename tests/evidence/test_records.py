"""JSON of few records keeps what decides, and shortens its texts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from limen.core.untrusted import fence, unfence
from limen.evidence.records import KEPT_CHARS, shortened

RATIOS = (0.55, 0.8)
ID = "ev_0123456789ab"
NONCE = "0123456789abcdef"
PROSE = "A gate refuses a request, changes it or passes it on; what it said stands in the ledger. "


def same(text):
    return text


def hits(count, chars=600, address_chars=60):
    """Hits of a search as a model is given them, each snippet in a fence of its own."""
    return [
        {
            "title": f"How gate {number} is opened and shut, a title that is long enough to say what the page is about",
            "url": (url := f"https://docs{number}.example/{'guide/' * (address_chars // 6)}gate-{number}?id={number * 7919}"),
            "snippet": fence((f"{number} " + PROSE * 20)[:chars], NONCE, url),
            "position": number,
            "ref": f"s1:{number}",
            "site": f"docs{number}.example",
            "published": "2026-03-15",
        }
        for number in range(1, count + 1)
    ]


@pytest.mark.parametrize(("count", "ratio"), [(10, 0.55), (20, 0.8), (25, 0.8)])
def test_hits_keep_their_titles_and_addresses_and_their_snippets_get_shorter(count, ratio):
    before = hits(count)
    raw = json.dumps(before, ensure_ascii=False)
    text = shortened(raw, RATIOS, same).kept_as(ID)
    after = json.loads(text)
    assert len(text) <= ratio * len(raw)
    assert [{**hit, "snippet": ""} for hit in after] == [{**hit, "snippet": ""} for hit in before]
    for then, now in zip(before, after, strict=True):
        words, _, mark = unfence(now["snippet"]).partition("…")
        assert unfence(then["snippet"]).startswith(words)
        assert len(words) >= 50
        assert mark == f"[+{len(unfence(then['snippet'])) - len(words):,}]"
    assert text.count(ID) == 1


def test_what_tells_of_errors_and_exact_numbers_stay_to_the_letter():
    record = {
        "id": 10**30,
        "price": 1,
        "error": {"message": PROSE * 9},
        "reason": PROSE * 3,
        "note": PROSE * 90,
        "hash": "a1" * 900,
    }
    raw = json.dumps(record).replace('"price": 1', '"price": 1.10')
    text = shortened(raw, RATIOS, same).kept_as(ID)
    after = json.loads(text)
    assert '"price":1.10' in text
    assert {**after, "note": ""} == {**json.loads(raw), "note": ""}
    assert len(after["note"]) < 1_000


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps([{"id": number, "text": PROSE * 3} for number in range(41)]),
        json.dumps([{"id": number, "state": "ok"} for number in range(30)]),
        json.dumps({f"key {number}": "a" * 50 for number in range(300)}),
        "[" * 40 + json.dumps(PROSE * 9) + "]" * 40,
    ],
)
def test_many_records_and_those_without_long_texts_are_another_s(raw):
    assert shortened(raw, RATIOS, same) is None


def test_a_text_is_masked_when_it_is_taken_out_of_its_escapes():
    raw = json.dumps({"id": 1, "log": "\u0067 secret " + PROSE * 90})
    text = shortened(raw, RATIOS, lambda text: text.replace("g secret", "[masked]")).kept_as(ID)
    assert json.loads(text)["log"].startswith("[masked]")


VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=900),
    lambda inner: some.lists(inner, max_size=5) | some.dictionaries(some.text(max_size=12), inner, max_size=5),
    max_leaves=30,
)


@given(VALUES)
def test_any_json_stays_json_of_the_same_shape_within_its_room(value):
    raw = json.dumps(value)
    made = shortened(raw, RATIOS, same)
    if made is None:
        return
    text = made.kept_as(ID)
    assert len(text) <= min(0.8 * len(raw), KEPT_CHARS)
    assert shape(json.loads(text)) == shape(value)


def shape(value):
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    return [shape(one) for one in value] if isinstance(value, list) else type(value).__name__ if isinstance(value, str) else value
