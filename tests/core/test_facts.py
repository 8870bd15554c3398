"""The time at an offset: what is read as one, and what is not."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.facts import time_at
from limen.core.fault import Refusal

NOON = 1_794_916_800.0  # 2026-11-17, a Tuesday, 12:00 UTC


@pytest.mark.parametrize(
    ("offset", "told"),
    [
        ("+03:00", "2026-11-17T15:00:00+03:00 (Tuesday)"),
        ("-03:30", "2026-11-17T08:30:00-03:30 (Tuesday)"),
        ("+13:00", "2026-11-18T01:00:00+13:00 (Wednesday)"),
        ("UTC+5", "2026-11-17T17:00:00+05:00 (Tuesday)"),
        ("+0545", "2026-11-17T17:45:00+05:45 (Tuesday)"),
        (" z ", "2026-11-17T12:00:00+00:00 (Tuesday)"),
        ("utc", "2026-11-17T12:00:00+00:00 (Tuesday)"),
        ("-12:00", "2026-11-17T00:00:00-12:00 (Tuesday)"),
        ("+14:00", "2026-11-18T02:00:00+14:00 (Wednesday)"),
    ],
)
def test_an_offset_gives_the_time_there(offset: str, told: str) -> None:
    assert time_at(offset, NOON) == told


@pytest.mark.parametrize(
    "offset", ["", "3", "03:00", "+", "+15:00", "-12:01", "+03:60", "+3:0", "Europe/Berlin", "+٠٣:٠٠", "+03:00\x00", "9" * 9_000]
)
def test_what_is_no_offset_is_refused_with_a_way_out(offset: str) -> None:
    refusal = time_at(offset, NOON)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "web.bad_offset"
    assert refusal.mend
    assert len(refusal.reason) < 300


@given(st.integers(-12 * 60, 14 * 60), st.integers(0, 4_102_444_800))
def test_every_offset_in_use_names_the_same_instant(minutes: int, now: int) -> None:
    sign, size = ("-", -minutes) if minutes < 0 else ("+", minutes)
    told = time_at(f"{sign}{size // 60:02}:{size % 60:02}", float(now))
    assert isinstance(told, str)
    moment = datetime.fromisoformat(told.partition(" ")[0])
    assert moment.timestamp() == now
    assert moment.utcoffset() == timedelta(minutes=minutes)
