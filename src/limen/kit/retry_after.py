"""When a vendor takes requests again, from its headers, as seconds from now."""

from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from limen.kit.clock import Clock, wall_s

# Beyond this a number is an instant in Unix time, not a span.
_EPOCH_S = 1_000_000_000
_LONGEST_S = 31 * 86_400.0


def retry_after_s(headers: Mapping[str, str], now: Clock = wall_s) -> float | None:
    """`Retry-After` as seconds or date, else the reset of the window that is used up; None when nothing can be read.

    `headers` must be case-insensitive or in lower case. `x-ratelimit-reset` may list several windows, beside
    `x-ratelimit-remaining` in the same order; the longest wait among those used up counts.
    """
    stated = _seconds(headers.get("retry-after", ""), now)
    if stated is not None:
        return stated
    resets = headers.get("x-ratelimit-reset", "").split(",")
    left = headers.get("x-ratelimit-remaining", "").split(",")
    known = len(left) == len(resets) and any(one.strip() for one in left)
    waits = [
        wait
        for reset, remaining in zip(resets, left if known else ["0"] * len(resets), strict=True)
        if remaining.strip() == "0" and (wait := _seconds(reset, now)) is not None
    ]
    return max(waits, default=None)


def _seconds(value: str, now: Clock) -> float | None:
    text = value.strip()
    try:
        number = float(text)
    except ValueError:
        return _until(text, now)
    if not 0 <= number < float("inf"):
        return None
    return _bounded(number - now() if number >= _EPOCH_S else number)


def _until(text: str, now: Clock) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return _bounded((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now())


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), _LONGEST_S)
