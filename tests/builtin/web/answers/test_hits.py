"""Rows as hits, dates, regions, waits, and which answer belongs to which page."""

from email.utils import format_datetime, parsedate_to_datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.builtin.web.answers.dates import published, since, span_name
from limen.builtin.web.answers.hits import Can, Row, answer, openable
from limen.builtin.web.answers.matching import by_url
from limen.builtin.web.calling.region import Region, region_of
from limen.builtin.web.calling.reply import decode, rows_of
from limen.core.fault import Refusal
from limen.core.web import Location, SearchRequest
from limen.kit.retry_after import retry_after_s

NOW_S = 1_790_000_000.0


@pytest.mark.parametrize(
    ("given_as", "shown"),
    [
        ("2026-03-15", "2026-03-15"),
        ("2026-03-15T10:00:00+02:00", "2026-03-15T08:00:00Z"),
        ("2026-03-15T10:00:00", "2026-03-15T10:00:00"),
        ("Sun, 15 Mar 2026 10:00:00 +0200", "2026-03-15T08:00:00Z"),
        (1_773_568_800, "2026-03-15T10:00:00Z"),
        ("1773568800000", "2026-03-15T10:00:00Z"),
        ("3 weeks ago", "3 weeks ago"),
        ("October 1, 2026", "October 1, 2026"),
        ("N/A", "N/A"),
        ("", ""),
        (None, ""),
        ("2026-13-45T99:00:00", "2026-13-45T99:00:00"),
        ("0001-01-01T00:00:00+23:59", "0001-01-01T00:00:00+23:59"),
        ("Fri, 31 Dec 9999 23:59:59 -2300", "Fri, 31 Dec 9999 23:59:59 -2300"),
    ],
)
def test_dates_are_read_or_left_and_never_guessed(given_as, shown):
    assert published(given_as) == shown


@given(st.one_of(st.text(), st.floats(), st.integers()))
def test_any_date_is_a_short_line(value):
    shown = published(value)
    assert len(shown) <= 60
    assert "\n" not in shown


@pytest.mark.parametrize(
    ("text", "region", "tongue"),
    [
        ("br", ("br", ""), "pt"),
        ("br-pt", ("br", "pt"), "pt"),
        ("pt-BR", ("br", "pt"), "pt"),
        ("BR", ("br", ""), "pt"),
        ("uk", ("gb", ""), "en"),
        ("ch-fr", ("ch", "fr"), "fr"),
        ("", ("", ""), "en"),
        ("Brazil", ("", ""), "en"),
        ("b", ("", ""), "en"),
        ("../..", ("", ""), "en"),
    ],
)
def test_regions_as_people_write_them(text, region, tongue):
    read = region_of(SearchRequest("q", region=text), Location())
    assert (read, read.tongue) == (Region(*region), tongue)


def test_the_persons_country_counts_where_none_was_asked_for():
    assert region_of(SearchRequest("q"), Location("DE")) == Region("de")
    assert region_of(SearchRequest("q", region="fr"), Location("DE")) == Region("fr")


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "45"}, 45.0),
        ({"retry-after": format_datetime(parsedate_to_datetime("Mon, 21 Sep 2026 14:14:20 +0000"))}, 60.0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "99999999"}, 31 * 86_400.0),
        ({"x-ratelimit-reset": "5"}, 5.0),
        ({"x-ratelimit-reset": "1, 900", "x-ratelimit-remaining": "0, 12"}, 1.0),
        ({"x-ratelimit-reset": "1, 900", "x-ratelimit-remaining": "0, 0"}, 900.0),
        ({"x-ratelimit-reset": "1, 900", "x-ratelimit-remaining": "3, 12"}, None),
        ({"x-ratelimit-reset": str(int(NOW_S) + 30), "x-ratelimit-remaining": "0"}, 30.0),
        ({}, None),
    ],
)
def test_a_wait_is_read_in_every_form(headers, wait):
    assert retry_after_s(headers, lambda: NOW_S) == wait


@given(st.text(), st.text(), st.text())
def test_no_header_breaks_the_wait(after, reset, left):
    wait = retry_after_s({"retry-after": after, "x-ratelimit-reset": reset, "x-ratelimit-remaining": left})
    assert wait is None or 0 <= wait <= 31 * 86_400


def test_spans_and_days():
    assert [span_name(days) for days in (0, 1, 2, 7, 8, 31, 32, 366, 367)] == [
        "day", "day", "week", "week", "month", "month", "year", "year", "",
    ]  # fmt: skip
    assert since(1, lambda: 1_773_568_800.0).isoformat() == "2026-03-14"
    assert since(-5, lambda: 1_773_568_800.0).isoformat() == "2026-03-15"


def test_domains_become_operators():
    can = Can(operators=True)
    assert can.query(SearchRequest("q")) == "q"
    assert can.query(SearchRequest("q", allowed_domains=("a.test",))) == "q site:a.test"
    assert can.query(SearchRequest("q", allowed_domains=("a.test", "b.test"))) == "q (site:a.test OR site:b.test)"
    assert can.query(SearchRequest("q", blocked_domains=("a.test", "b.test"))) == "q -site:a.test -site:b.test"
    assert Can().query(SearchRequest("q", blocked_domains=("a.test",))) == "q"


LISTS = frozenset({"allowed_domains", "blocked_domains"})


def test_a_long_question_is_cut_before_its_operators_and_that_is_said():
    can = Can(LISTS, operators=True, max_chars=60, max_words=6)
    request = SearchRequest("one two three four five six", blocked_domains=("a.test", "b.test"))
    assert can.query(request) == "one two three four -site:a.test -site:b.test"
    assert can.ignored(request, Location()) == ("query (its end)",)
    assert can.ignored(SearchRequest("one  two", blocked_domains=("a.test",)), Location()) == ()


def test_domains_that_would_fill_the_query_are_left_out_and_that_is_said():
    request = SearchRequest("gates", allowed_domains=tuple(f"{name}.test" for name in "abcdefgh"))
    can = Can(LISTS, operators=True, max_chars=60)
    assert (can.query(request), can.ignored(request, Location())) == ("gates", ("allowed_domains",))


@given(
    st.text(max_size=300), st.lists(st.text("ab.", min_size=1, max_size=20), max_size=6), st.integers(10, 80), st.integers(2, 9)
)
def test_no_query_is_longer_than_the_vendor_takes(query, domains, chars, words):
    can = Can(LISTS, operators=True, max_chars=chars, max_words=words)
    asked = can.query(SearchRequest(query, blocked_domains=tuple(domains)))
    assert len(asked) <= chars
    assert len(asked.split()) <= words


@given(st.lists(st.tuples(st.text(), st.text(), st.text()), max_size=30), st.integers(1, 10))
def test_whatever_the_rows_are_hits_can_be_opened_and_are_numbered(rows, limit):
    given_back = answer("v", [Row(url, title, text) for url, title, text in rows], SearchRequest("q", limit=limit))
    assert len(given_back.hits) <= limit
    assert [hit.position for hit in given_back.hits] == list(range(1, len(given_back.hits) + 1))
    for hit in given_back.hits:
        assert openable(hit.url)
        assert hit.title
        assert "\n" not in hit.title + hit.snippet


def test_images_without_a_file_are_no_images():
    rows = [
        Row("https://a.test/1", image_url="data:image/png;base64,AAAA"),
        Row("https://a.test/2", image_url="https://a.test/2.png"),
    ]
    found = answer("v", rows, SearchRequest("q", type="images"))
    assert [hit.url for hit in found.hits] == ["https://a.test/2"]
    assert Can().refuse(SearchRequest("q", type="images"), "v").code == "search.unsupported"


def test_a_news_picture_makes_no_two_articles_one():
    rows = [Row(f"https://a.test/{n}", image_url="https://a.test/logo.png") for n in range(2)]
    assert len(answer("v", rows, SearchRequest("q", type="news")).hits) == 2


URLS = st.sampled_from(
    [
        "https://a.test/", "https://a.test", "https://A.test/#x", "https://a.test:443/", "https://a.test/p?q=%7e", "https://a.test/p?q=~",
        "http://a.test/", "https://b.test/", "not a url", "https://a.test/ö", "https://a.test/%C3%B6",
    ]
)  # fmt: skip


@given(st.lists(URLS, unique=True), st.lists(st.tuples(URLS, st.integers())))
def test_a_page_is_never_given_to_another_address(requested, found):
    matched = by_url(requested, found)
    assert set(matched) <= set(requested)
    for url, value in matched.items():
        behind = {name for name, given_value in found if given_value == value}
        host = url.lower().removeprefix("https://").removeprefix("http://")[:6]
        assert any(name.lower().removeprefix("https://").removeprefix("http://")[:6] == host for name in behind)


def test_spelling_matters_only_where_nothing_matches_exactly():
    found = [("https://a.test/x/", 1), ("https://a.test/x", 2), ("https://a.test/x", 3)]
    assert by_url(["https://a.test/x", "https://a.test/x/", "https://A.test/x#part"], found) == {
        "https://a.test/x": 2,
        "https://a.test/x/": 1,
        "https://A.test/x#part": 1,
    }
    assert by_url(["http://a.test/x"], found) == {}


class Shape(msgspec.Struct):
    url: str


@given(st.binary())
def test_whatever_a_vendor_sends_is_a_value_or_a_refusal(body):
    got = decode(body, Shape, "search", "v")
    assert isinstance(got, Shape | Refusal)


def test_an_entry_of_another_shape_costs_itself():
    raw = msgspec.json.decode(b'[{"url": "a"}, 17, {"url": 3}, null, {"url": "b", "more": 1}]', type=list[msgspec.Raw])
    assert [row.url for row in rows_of(raw, Shape, "search", "v")] == ["a", "b"]
    assert rows_of(raw[1:4], Shape, "search", "v").code == "search.malformed"
    assert rows_of([], Shape, "search", "v") == []
