"""What a failure's page and a redirect home say."""

import pytest

from limen.builtin.web.arrival import LED_HOME, failure_of, noted
from limen.core.fault import Refusal
from limen.core.web import Page, Shell

FAILURE = Refusal("network", "network.http_status", "shop.example answered with status 403", "read another", {"status": 403})


def wall(kind):
    return Page(shell=Shell("reader.wall", "The site checks first.", kind))


def test_a_bot_check_behind_a_status_is_one():
    refusal = failure_of(wall("captcha"), FAILURE)
    assert (refusal.gate, refusal.code, refusal.mend) == ("local", "reader.wall", "read another")
    assert refusal.reason == "shop.example answered with status 403: the site checks first."
    assert refusal.detail == {"status": 403, "kind": "captcha"}


@pytest.mark.parametrize("page", [Page(text="no"), wall("blocked"), wall("login"), Page(shell=Shell("reader.not_found", "No."))])
def test_a_status_says_the_same_as_such_a_page(page):
    assert failure_of(page, FAILURE) is FAILURE


@pytest.mark.parametrize(
    ("asked", "came_to", "home"),
    [
        ("https://a.example/2024/05/harbour", "https://a.example/", True),
        ("https://a.example/news/harbour.html", "https://www.a.example", True),
        ("https://a.example/a-long-article-on-harbours", "https://a.example/", True),
        ("https://a.example/en", "https://a.example/", False),
        ("https://a.example/index.html", "https://a.example/", False),
        ("https://a.example/", "https://a.example/", False),
        ("https://a.example/2024/05/harbour", "https://b.example/", False),
        ("https://a.example/2024/05/harbour", "https://a.example/2024", False),
        ("https://a.example/2024/05/harbour", "https://a.example/?p=12", False),
    ],
)
def test_a_page_that_leads_home_is_probably_gone(asked, came_to, home):
    assert noted(Page(notices=("x",)), asked, came_to).notices == ((LED_HOME, "x") if home else ("x",))
