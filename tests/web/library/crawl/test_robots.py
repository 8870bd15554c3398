"""`robots.txt`: which groups count, which rule decides, and that nothing in it can break the reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.web.library.crawl.robots import NOTHING_ALLOWED, Robots, parse_robots


def robots(*lines: str) -> Robots:
    return parse_robots("\n".join(lines).encode())


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("Disallow: /", "/a", False), ("Disallow:", "/a", True), ("", "/a", True), ("Disallow: /", "/robots.txt", True),
        ("Disallow: /a", "/ab", False), ("Disallow: /a/", "/ab", True), ("Disallow: /A", "/a", True),
        # The longest rule decides, and of equal ones the one that allows.
        ("Disallow: /a\nAllow: /a/b", "/a/b/c", True), ("Allow: /a\nDisallow: /a/b", "/a/b", False),
        ("Disallow: /page\nAllow: /page", "/page", True), ("Allow: /folder\nDisallow: /folder", "/folder/page", True),
        ("Allow: /\nDisallow: /*.htm", "/page.htm", False), ("Allow: /page\nDisallow: /*.htm", "/page.htm", False),
        # Wildcards and ends.
        ("Disallow: /*.php$", "/x.php", False), ("Disallow: /*.php$", "/x.php?a", True), ("Disallow: /*.php", "/x.php5", False),
        ("Disallow: /fish*.php", "/fish/a/b.php", False), ("Disallow: /fish*.php", "/Fish.php", True),
        ("Disallow: /a*b*c$", "/aXbYc", False), ("Disallow: /a*b*c$", "/aXbYcd", True), ("Disallow: /x$", "/x", False),
        ("Disallow: /x$", "/xy", True), ("Disallow: *", "/", False), ("Disallow: /*?", "/a?b", False),
        ("Disallow: /*?", "/a", True), ("Disallow: /a**b", "/axb", False), ("Disallow: /ab*b$", "/ab", True),
        # One spelling of escapes.
        ("Disallow: /%61b", "/ab", False), ("Disallow: /ab", "/%61%62", False), ("Disallow: /a%2fb", "/a%2Fb", False),
        ("Disallow: /a%2fb", "/a/b", True), ("Disallow: /ü", "/%C3%BC", False), ("Disallow: /%c3%bc", "/ü", False),
        ("Disallow: /a # comment", "/a", False),
    ],
)  # fmt: skip
def test_which_rule_decides(rules: str, path: str, allowed: bool) -> None:
    assert robots("User-agent: *", *rules.split("\n")).allows(path) is allowed


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("User-agent: limen\nDisallow: /\n\nUser-agent: *\nAllow: /", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Limen/1.0\nDisallow: /b", True),
        ("User-agent: limenbot\nDisallow: /", True),
        ("User-agent: other\nUser-agent: LIMEN\nDisallow: /a", False),
        ("User-agent: limen\nDisallow: /b\n\nUser-agent: limen\nDisallow: /a", False),
        ("User-agent: limen\nSitemap: https://x/s.xml\nDisallow: /a", False),
        ("User-agent: limen\n\n# pause\n\nDisallow: /a", False),
        ("Disallow: /a", True),
        ("\ufeffUser-agent: *\r\nDisallow: /a\r\n", False),
        ("User-agent: *\rDisallow: /a", False),
        ("USER-AGENT : *\n DISALLOW : /a", False),
        ("User-agent: *\nCrawl-delay: 2\nUser-agent: other\nDisallow: /a", True),
        ("<html><body>404</body></html>", True),
    ],
)
def test_which_group_counts(text: str, allowed: bool) -> None:
    assert parse_robots(text.encode()).allows("/a") is allowed


def test_delay_and_sitemaps() -> None:
    found = robots(
        "Sitemap: https://x.test/s.xml", "User-agent: *", "Crawl-delay: 2.5", "Disallow: /x", "sitemap: https://x.test/t.xml",
        "Sitemap: https://x.test/s.xml",
    )  # fmt: skip
    assert (found.delay_s, found.sitemaps) == (2.5, ("https://x.test/s.xml", "https://x.test/t.xml"))
    for delay in ("-1", "nan", "inf", "soon", ""):
        assert robots("User-agent: *", f"Crawl-delay: {delay}").delay_s == 0


def test_what_cannot_be_asked_allows_nothing() -> None:
    assert not NOTHING_ALLOWED.allows("/a")
    assert NOTHING_ALLOWED.allows("/robots.txt")


@given(st.binary(max_size=300), st.text(max_size=40))
def test_anything_is_read(data: bytes, path: str) -> None:
    parse_robots(b"User-agent: *\nDisallow: " + data).allows(f"/{path}")


def test_many_wildcards_take_one_walk() -> None:
    assert robots("User-agent: *", f"Disallow: /{'*a' * 2_000}$").allows(f"/{'a' * 20_000}b")
