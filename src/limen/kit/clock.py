"""Time as a value that can be handed in: wall clock for records, monotonic clock for spans."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], float]

wall_s: Clock = time.time
monotonic_s: Clock = time.monotonic


def iso_utc(unix_s: float) -> str:
    """Unix seconds as ISO 8601 in UTC, to the second: `2026-11-30T10:00:00Z`."""
    return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
