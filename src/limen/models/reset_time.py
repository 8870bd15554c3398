"""When a vendor will take requests again: the many ways its answer may say so, as seconds from now."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from limen.kit.clock import Clock

# Beyond this a stamp is an instant, not a span: a billion seconds is the year 2001 as Unix time, or 31 years as a wait.
_EPOCH_S = 1_000_000_000
_EPOCH_MS = 1_000_000_000_000
# The longest wait that is believed.
_LONGEST_S = 14 * 86_400.0

_PAUSES = ("retry-after-ms", "retry-after")
_HEADERS = (
    *_PAUSES, "x-ratelimit-reset-requests", "x-ratelimit-reset-tokens", "x-ratelimit-reset",
    "ratelimit-reset", "x-ratelimit-reset-after", "anthropic-ratelimit-requests-reset", "anthropic-ratelimit-tokens-reset",
    "anthropic-ratelimit-input-tokens-reset", "anthropic-ratelimit-output-tokens-reset", "anthropic-ratelimit-unified-reset",
)  # fmt: skip
# Some come with every answer; of those only the one that has run out is being waited for.
_LEFT = {
    "x-ratelimit-reset-requests": "x-ratelimit-remaining-requests", "x-ratelimit-reset-tokens": "x-ratelimit-remaining-tokens",
    "x-ratelimit-reset": "x-ratelimit-remaining", "ratelimit-reset": "ratelimit-remaining",
    **{name: name.removesuffix("reset") + "remaining" for name in _HEADERS if name.startswith("anthropic-")},
}  # fmt: skip
_FIELDS = ("retry_after", "retry_after_seconds", "resets_in_seconds", "resets_at", "reset_at", "retryDelay", "quotaResetDelay")
_SPAN = re.compile(
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])", re.IGNORECASE
)
_WORDS = re.compile(
    r"(?:try again in|retry after|retry in|resets? in|reset after|wait)\s+((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?){1,4})",
    re.IGNORECASE,
)
_UNITS_S = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}


def wait_s(
    headers: Mapping[str, str], error: Mapping[str, Any], message: str, now: Clock, *, limited: bool = True
) -> float | None:
    """Seconds until the vendor's reset: from a header, a field of its error object, or its words; None when it says nothing.

    `headers` must be in lower case or a case-insensitive mapping. A time already past is 0. Where no limit was reached
    (`limited` False) only a header that asks for a pause counts: the figures of limits come with every answer.
    """
    for header in _HEADERS if limited else _PAUSES:
        value = headers.get(header, "").strip()
        if not value or headers.get(_LEFT.get(header, ""), "").strip() not in ("", "0"):
            continue
        seconds = _seconds(value, now, milliseconds=header.endswith("-ms"))
        if seconds is not None:
            return seconds
    for field in _FIELDS:
        if field in error:
            seconds = _seconds(str(error[field]), now)
            if seconds is not None:
                return seconds
    found = _WORDS.search(message)
    return _span(found[1]) if found else None


def _seconds(value: str, now: Clock, *, milliseconds: bool = False) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return _until(value, now) if ":" in value else _span(value)
    if number != number or number < 0:
        return None
    if number >= _EPOCH_MS:
        number = number / 1_000 - now()
    elif number >= _EPOCH_S:
        number -= now()
    elif milliseconds:
        number /= 1_000
    return _bounded(number)


def _until(value: str, now: Clock) -> float | None:
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return _bounded(moment.timestamp() - now())


def _span(text: str) -> float | None:
    parts = [(float(number), unit.lower()) for number, unit in _SPAN.findall(text)]
    if not parts:
        return None
    return _bounded(sum(number * _unit_s(unit) for number, unit in parts))


def _unit_s(unit: str) -> float:
    return 0.001 if unit == "ms" or unit.startswith("millisecond") else _UNITS_S[unit[0]]


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), _LONGEST_S)
