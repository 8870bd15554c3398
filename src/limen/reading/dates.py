"""Dates as documents tell them, in ISO 8601."""

import re
from datetime import UTC
from email.utils import parsedate_to_datetime

_ISO = re.compile(
    r"(\d{4})(?:[-/]?(\d\d|(?<=[-/])\d)(?:[-/]?(\d\d|(?<=[-/])\d)"
    r"(?:[T ]?(\d\d):?(\d\d)(?::?(\d\d))?(?:[.,]\d+)?\s*(Z|[+-]\d\d:?\d\d)?)?)?)?(?!\d)"
)


def iso_date(said: str) -> str:
    """A date or a time in ISO 8601, as exact as it was told, whatever stands behind it; empty for what is none.

    It is told in ISO 8601 with or without its signs, or as in e-mail (RFC 5322), which becomes a time in UTC.
    """
    said = " ".join(said.split())
    found = _ISO.match(said)
    if found is None:
        return _of_mail(said)
    year, month, day, hour, minute, second, zone = found.groups()
    if not (1 <= int(month or 1) <= 12 and 1 <= int(day or 1) <= 31):
        return ""
    date = "-".join([year, *(f"{int(part):02}" for part in (month, day) if part)])
    return f"{date}T{hour}:{minute}{f':{second}' if second else ''}{zone or ''}" if hour else date


def _of_mail(said: str) -> str:
    try:
        told = parsedate_to_datetime(said)
        return (told.astimezone(UTC) if told.tzinfo else told).isoformat().replace("+00:00", "Z")
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
