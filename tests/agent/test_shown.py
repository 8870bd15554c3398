"""What counts as shown, and by whom."""

import pytest

from limen.agent.shown import ShownAddresses, addresses
from limen.core.ledger import LedgerEntry, Treatment, Trust
from limen.core.message import Text, ToolResult
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
