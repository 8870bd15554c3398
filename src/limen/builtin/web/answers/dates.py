"""Dates as vendors give them, as ISO 8601 where they can be read; what cannot is left as it is, never guessed."""

import re
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime

from limen.kit.clock import Clock, iso_utc, wall_s
from limen.kit.text import clip, printable

_DAY = r"\d{4}-\d{2}-\d{2}"
_ISO = re.compile(_DAY + r"[T ]\d{2}:\d{2}.*")
_EPOCH = re.compile(r"\d{9,10}(?:\.\d+)?|\d{12,13}")
_CHARS = 60


def published(value: str | float | None) -> str:
    """A date in ISO 8601, or the words given; empty for none. A number is Unix time in seconds or milliseconds."""
    if value is None:
        return ""
    text = clip(printable(str(value)), _CHARS)
    if re.fullmatch(_DAY, text):
        return text
    if _EPOCH.fullmatch(text):
        number = float(text)
        return iso_utc(number / 1_000 if number > 1e11 else number)
    try:
        return _utc(datetime.fromisoformat(text) if _ISO.fullmatch(text) else parsedate_to_datetime(text))
    except (ValueError, OverflowError):  # the first and last days there are have no time in UTC
        return text


def _utc(moment: datetime) -> str:
    if moment.tzinfo is None:
        return moment.strftime("%Y-%m-%dT%H:%M:%S")  # whose clock it was is not known
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def since(days: int, now: Clock = wall_s) -> date:
    """The day that lies `days` back, in UTC."""
    return (datetime.fromtimestamp(now(), UTC) - timedelta(days=max(days, 0))).date()


def span_name(days: int) -> str:
    """The shortest of day, week, month and year that holds so many days; empty beyond a year."""
    return next((name for name, longest in (("day", 1), ("week", 7), ("month", 31), ("year", 366)) if days <= longest), "")
