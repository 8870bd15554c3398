"""Addresses: which are one page, which lie in a source, which lead in circles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.net.url import SafeUrl, parse
from limen.web.library.crawl.addresses import Scope, Traps, cleaned, is_no_document, page_key


def url(text: str) -> SafeUrl:
    found = parse(text)
    assert isinstance(found, SafeUrl)
    return found


@pytest.mark.parametrize(
    "other",
    [
        "http://x.test/a/b", "https://www.x.test/a/b", "https://x.test/a/b/", "https://x.test/a/b#part", "https://x.test/a/b/index.html",
        "https://x.test/a/b/INDEX.HTM", "https://x.test/a/b?utm_source=n&utm_medium=m", "https://x.test/a/b?gclid=1&fbclid=2",
        "https://x.test/a/b?print=1", "https://x.test/a/b?view=print", "https://x.test/a/b;jsessionid=77", "https://x.test:443/a/b",
        "https://x.test/a/b?PHPSESSID=3", "https://X.test/a/b?", "https://x.test/a/./c/../b", "https://x.test/a/b?&",
    ],
)  # fmt: skip
def test_one_page_under_many_addresses(other: str) -> None:
    assert page_key(url(other)) == page_key(url("https://x.test/a/b"))


@pytest.mark.parametrize(
    "other",
    ["https://x.test/a", "https://x.test/a/B", "https://x.test/a/b?page=2", "https://y.test/a/b", "https://x.test:8443/a/b",
     "https://x.test/a/b.html", "https://x.test/a/b?view=printing", "https://docs.x.test/a/b", "https://x.test/a/b?printer_model=2"],
)  # fmt: skip
def test_another_page(other: str) -> None:
    assert page_key(url(other)) != page_key(url("https://x.test/a/b"))


def test_parameters_that_matter_stay_and_their_order_does_not() -> None:
    assert cleaned(url("https://x.test/a?b=2&utm_id=1&a=1#c")) == "https://x.test/a?b=2&a=1"
    assert page_key(url("https://x.test/a?b=2&a=1")) == page_key(url("https://x.test/a?a=1&b=2"))


@given(st.text(alphabet="ab/.?&=;%#1", max_size=40))
def test_cleaning_keeps_the_page_and_ends(path: str) -> None:
    found = parse(f"https://x.test/{path}")
    if isinstance(found, SafeUrl):
        again = url(cleaned(found))
        assert page_key(again) == page_key(found)
        assert cleaned(again) == cleaned(found)


@pytest.mark.parametrize(
    ("root", "address", "holds"),
    [
        ("https://x.test/", "https://x.test/anything", True), ("https://x.test", "http://www.x.test/", True),
        ("https://x.test/docs/", "https://x.test/docs/a", True), ("https://x.test/docs/", "https://x.test/docs", True),
        ("https://x.test/docs", "https://x.test/docs/a", True), ("https://x.test/docs", "https://x.test/docs2", False),
        ("https://x.test/docs/i.html", "https://x.test/docs/b.html", True), ("https://x.test/docs/", "https://x.test/", False),
        ("https://x.test/v1.2/", "https://x.test/v1.2/a", True), ("https://x.test/", "https://y.test/", False),
        ("https://x.test/", "https://sub.x.test/", False), ("https://x.test/", "https://x.test:8443/", False),
    ],
)  # fmt: skip
def test_what_lies_below(root: str, address: str, holds: bool) -> None:
    assert Scope.below(url(root)).holds(url(address)) is holds


def test_traps() -> None:
    traps = Traps()
    for address in ("/ab/cd/ab/cd/ab/cd", "/" + "x/" * 30, f"/{'y' * 2_000}", "/s?a=1&b=2&c=3&d=4&e=5&f=6&g=7"):
        assert traps.holds(url(f"https://x.test{address}")), address
    for address in ("/2026/11/2026", "/a/a/b", "/s?a=1&b=2", "/docs/guide/docs/"):
        assert not traps.holds(url(f"https://x.test{address}")), address
    assert [traps.holds(url(f"https://x.test/cal?day={day}")) for day in range(60)].index(True) == 40


def test_what_is_no_document() -> None:
    for path in ("a.png", "a.tar.gz", "A.ZIP", "a.css", "feed.xml", "a.mp4"):
        assert is_no_document(url(f"https://x.test/{path}"))
    for path in ("a", "a.html", "a.pdf", "a.md", "a.txt", "v1.2", "a.docx"):
        assert not is_no_document(url(f"https://x.test/{path}"))
