"""What a browser's errors mean to whoever asked for the page."""

import pytest
from playwright.async_api import Error
from playwright.async_api import TimeoutError as TookTooLong

from limen.builtin.browser.admission import NOT_ASKED
from limen.builtin.browser.failure import explained, notices_of
from limen.core.fault import Refusal
from limen.net.checking_proxy import Blocked

URL = "https://shop.example/a"


def blocked(url, code="network.private_address"):
    return Blocked(url, Refusal("network", code, "no", "mend"))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Error("Page.goto: net::ERR_NAME_NOT_RESOLVED at https://shop.example/a\nCall log:"), "browser.failed"),
        (TookTooLong("Timeout 30000ms exceeded."), "browser.timeout"),
        (Error("Target page, context or browser has been closed"), "browser.closed"),
        (Error("Page crashed"), "browser.closed"),
    ],
)
def test_errors_have_a_code_and_a_way_on(error, code):
    refusal = explained(error, URL, [blocked("https://other.example/")])
    assert refusal.code == code
    assert refusal.mend
    assert "\n" not in refusal.reason


def test_a_gate_behind_an_error_speaks_for_itself():
    seen = [blocked("https://shop.example/", "network.dns_failed"), blocked("https://shop.example/x", "policy.blocked")]
    assert explained(Error("net::ERR_TUNNEL_CONNECTION_FAILED"), URL, seen).code == "policy.blocked"


def test_hosts_that_were_refused_are_told_once_and_not_for_ever():
    assert notices_of([]) == ()
    assert notices_of([blocked("https://a.example/"), blocked("https://a.example/b")]) == (
        "The page was refused: a.example [network.private_address].",
    )
    assert notices_of([blocked("https://accounts.example/", NOT_ASKED)]) == ()
    (told,) = notices_of([blocked(f"https://h{number}.example/") for number in range(9)])
    assert told.endswith("and 4 more.")
