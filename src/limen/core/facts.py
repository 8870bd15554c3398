"""Facts that change by the hour: the weather, a price, a fixture, the time of day. What is asked and what is answered."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Literal

import msgspec

from limen.core.fault import Refusal

FactKind = Literal["weather", "finance", "sports"]
AssetType = Literal["equity", "fund", "crypto", "index", "currency"]
League = Literal["nba", "wnba", "nfl", "nhl", "mlb", "epl", "ncaamb", "ncaawb", "ipl"]
SportsTable = Literal["schedule", "standings"]

# The widest offsets in use are UTC-12:00 and UTC+14:00.
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?([0-5]\d))?", re.IGNORECASE)
_EARLIEST, _LATEST = timedelta(hours=-12), timedelta(hours=14)


class WeatherRequest(msgspec.Struct, frozen=True):
    """The weather at a place, as a person names it (`Kyoto, Japan`), from a day on (None: today), for so many days."""

    location: str
    start: date | None = None
    duration_days: int = 7


class FinanceRequest(msgspec.Struct, frozen=True):
    """The price of one asset. A currency's ticker names two ISO 4217 codes (`EURUSD`, `EUR/USD`).

    `market` narrows an equity to a place: an ISO 3166-1 alpha-3 country or `OTC`; empty for any.
    """

    ticker: str
    type: AssetType
    market: str = ""


class SportsRequest(msgspec.Struct, frozen=True):
    """A league's games or its table. `team` and `opponent` are names or parts of names; the days are inclusive.

    `locale` is a BCP 47 tag for names and times; a provider that cannot honour it says so in `FactAnswer.ignored`.
    """

    table: SportsTable
    league: League
    team: str = ""
    opponent: str = ""
    date_from: date | None = None
    date_to: date | None = None
    num_games: int | None = None
    locale: str = ""


FactRequest = WeatherRequest | FinanceRequest | SportsRequest


class FactAnswer(msgspec.Struct, frozen=True):
    """What a provider knows, or the refusal that says why it knows nothing.

    `lines` are plain text of the provider's data: untrusted, like a page. `source_url` is where a person finds the same, with
    the `credit` that the provider's terms ask for. `as_of` is when the data was true (ISO 8601), empty where the provider
    does not say. `ignored` names what of the request was not done.
    """

    lines: tuple[str, ...]
    provider: str
    source_url: str = ""
    as_of: str = ""
    credit: str = ""
    ignored: tuple[str, ...] = ()
    refusal: Refusal | None = None


def no_fact(provider: str, refusal: Refusal, source_url: str = "") -> FactAnswer:
    """The answer of who has none."""
    return FactAnswer((), provider, source_url, refusal=refusal)


def time_at(utc_offset: str, now_s: float) -> str | Refusal:
    """The time at an offset (`+03:00`, `-0330`, `UTC+5`, `Z`), in ISO 8601 with its weekday. `now_s` is Unix time.

    Code: `web.bad_offset`.
    """
    offset = _offset(utc_offset.strip())
    if offset is None:
        reason = f"{utc_offset[:40]!r} is no offset from UTC between -12:00 and +14:00."
        return Refusal("web", "web.bad_offset", reason, "write it like +03:00, -03:30 or Z")
    moment = datetime.fromtimestamp(now_s, UTC).astimezone(timezone(offset))
    return f"{moment.isoformat(timespec='seconds')} ({moment:%A})"


def _offset(text: str) -> timedelta | None:
    if text.upper() in ("Z", "UTC", "GMT"):
        return timedelta()
    match = _OFFSET.fullmatch(text)
    if match is None or not text.isascii():
        return None
    size = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    offset = -size if match[1] == "-" else size
    return offset if _EARLIEST <= offset <= _LATEST else None
