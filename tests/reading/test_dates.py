"""Dates as documents tell them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.reading.dates import iso_date


@pytest.mark.parametrize(
    ("said", "iso"),
    [
        ("Mon, 01 Jan 2024 10:00:00 +0200", "2024-01-01T08:00:00Z"),
        ("1 Jan 2024 10:00 EST", "2024-01-01T15:00:00Z"),
        ("2024-05-04", "2024-05-04"),
        ("2024/5/4", "2024-05-04"),
        ("2024-05-04 10:20:30.5 Z", "2024-05-04T10:20:30Z"),
        ("2024-05-04T10:20:30.123456789", "2024-05-04T10:20:30"),
        ("20240504T1020Z", "2024-05-04T10:20Z"),
        ("20240504", "2024-05-04"),
        ("20240504071829+02'00'", "2024-05-04T07:18:29"),
        ("2024", "2024"),
        ("2024-13-01", ""),
        ("12345", ""),
        ("yesterday", ""),
        ("Mon, 99 Jan 99999999 10:00:00 GMT", ""),
        ("", ""),
    ],
)
def test_dates_are_told_one_way(said, iso):
    assert iso_date(said) == iso


@given(st.text(max_size=60))
def test_no_text_breaks_it(said):
    assert iso_date(iso_date(said)) == iso_date(said)
