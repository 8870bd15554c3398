"""The published shape of a page: what is said of it, and who was given its address."""

import pytest

from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict, Treatment
from limen.core.web import Fetched, Page, Unread, published_entry, sent_to

URL = "https://example.com/"
PASSED = tuple(GateVerdict(gate, "allow") for gate in ("secrets", "network"))
CHOSEN = (*PASSED, GateVerdict("resolve", "allow", "resolve.exa"))
AT_HAND = (*CHOSEN, GateVerdict("policy", "allow"), GateVerdict("permission", "allow"))
OUT = (*AT_HAND, GateVerdict("cache", "miss"))


def page(*gates, provider="exa", rescued_from=None, **fields):
    treatment = Treatment(gates=gates, rescued_from=rescued_from)
    return Fetched(URL, Page(url=URL, text="text"), provider, "", "text", 4, 4, treatment=treatment, **fields)


def refused(gates, gate, code="x.y", **detail):
    return Unread(URL, Refusal(gate, code, "no", "", detail), Treatment(gates=(*gates, GateVerdict(gate, "refuse", code))))


@pytest.mark.parametrize(
    ("entry", "readers"),
    [
        (page(*OUT), ("exa",)),
        (page(*AT_HAND, GateVerdict("cache", "hit", "cache.hit")), ()),
        (page(*AT_HAND, GateVerdict("cache", "hit", "cache.library"), provider="library"), ()),
        (page(*AT_HAND, GateVerdict("cache", "hit", "cache.unchanged"), provider="local"), ("local",)),
        (page(*OUT, provider="local", readers_failed=("tavily: web.no_key", "exa: web.timeout")), ("exa", "local")),
        (
            page(*OUT, provider="keenable", rescued_from="exa", readers_failed=("exa: search.billing", "parallel: web.timeout")),
            ("exa", "parallel", "keenable"),
        ),
        (refused(PASSED[:1], "network"), ()),
        (refused(CHOSEN, "policy"), ()),
        (refused(AT_HAND, "cache", "web.mode"), ()),
        (refused(OUT, "policy"), ("exa",)),
        (refused(OUT, "network"), ("exa",)),
        (refused(OUT, "exa", "web.timeout"), ("exa",)),
        (refused(OUT, "exa", rescue={"ring": "all paid [rescue.all_paid]"}), ("exa",)),
        (
            refused(OUT, "exa", rescue={"parallel": "down [web.timeout]", "firecrawl": "gone"}, readers={"exa": "x [x.y]"}),
            ("exa", "parallel", "firecrawl"),
        ),
        (refused((), "web_extract", "web.bad_entry"), ()),
    ],
)  # fmt: skip
def test_who_was_given_the_address(entry, readers):
    assert sent_to(entry) == readers
    assert published_entry(entry)["source"]["sent_to"] == list(readers)


def test_a_failed_entry_keeps_its_place_and_says_who_was_to_read_it():
    shape = published_entry(refused(OUT, "exa", "search.billing", rescue={"local": "down [network.timeout]"}))
    assert (shape["url"], shape["title"], shape["content"]) == (URL, "", "")
    assert shape["error"]["code"] == "search.billing"
    assert shape["error"]["rescue"] == {"local": "down [network.timeout]"}
    assert shape["source"] == {"provider": "exa", "sent_to": ["exa", "local"]}


def test_what_a_rescue_means_for_privacy_is_said_beside_the_page():
    failed = ("exa: web.timeout", "parallel: web.no_answer")
    rescued = published_entry(page(*OUT, provider="keenable", rescued_from="exa", readers_failed=failed))["source"]
    (notice,) = rescued["notices"]
    assert "parallel and keenable" in notice
    assert "web.keyless_rescue" in notice
    ours = published_entry(page(*OUT, provider="local", rescued_from="exa", readers_failed=failed[:1]))["source"]
    assert ours["notices"] == []


def test_what_is_said_of_a_page():
    entry = page(*OUT, snapshot_at="2026-01-02T03:04:05Z", notices=("cut otherwise",), next_line=3, next_char=7)
    source = published_entry(entry)["source"]
    assert (source["snapshot_at"], source["notices"]) == ("2026-01-02T03:04:05Z", ["cut otherwise"])
    assert (source["next_line"], source["next_char"]) == (3, 7)
    assert published_entry(page(*OUT))["source"]["snapshot_at"] is None
