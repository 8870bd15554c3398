"""Who is asked for facts, as data: public providers that need no key, what each covers, and under which terms."""

from collections.abc import Mapping

import msgspec

from limen.builtin.web.vendors import Vendor
from limen.core.facts import FactKind


class FactVendor(msgspec.Struct, frozen=True):
    """A provider of facts. `covers` is said where nobody covers a request; `credit` stands with each answer."""

    kind: FactKind
    vendor: Vendor
    covers: str
    credit: str


def _row(kind: FactKind, name: str, base_url: str, made_by: str, covers: str, credit: str) -> FactVendor:
    vendor = Vendor(name, f"facts.{made_by}", base_url=base_url, keyless="yes")
    return FactVendor(kind, vendor, covers, credit)


# In the order in which they are asked, within a kind.
FACT_VENDORS: tuple[FactVendor, ...] = (
    _row(
        "weather",
        "open-meteo",
        "https://api.open-meteo.com",
        "open_meteo:OpenMeteo",
        "any place, from 1940 to 15 days ahead",
        "Weather data by Open-Meteo.com (CC BY 4.0; free for use that is not commercial)",
    ),
    _row(
        "finance",
        "frankfurter",
        "https://api.frankfurter.dev",
        "frankfurter:Frankfurter",
        "currencies, by the daily reference rates of the European Central Bank",
        "Reference rates of the European Central Bank, by frankfurter.dev",
    ),
    _row(
        "finance",
        "coingecko",
        "https://api.coingecko.com",
        "coingecko:CoinGecko",
        "crypto",
        "Data provided by CoinGecko",
    ),
    _row(
        "sports",
        "mlb-stats",
        "https://statsapi.mlb.com",
        "mlb_stats:MlbStats",
        "mlb",
        "MLB Advanced Media, L.P.; for individual use that is neither commercial nor in bulk",
    ),
    _row(
        "sports",
        "nhl-web",
        "https://api-web.nhle.com",
        "nhl_web:NhlWeb",
        "nhl",
        "NHL.com",
    ),
    _row(
        "sports",
        "thesportsdb",
        "https://www.thesportsdb.com",
        "thesportsdb:TheSportsDB",
        "epl; the games of nba, wnba, nfl, ncaamb and ipl",
        "TheSportsDB.com, whose free tier shows a few games or rows of each list",
    ),
)


_BY_NAME: Mapping[str, FactVendor] = {one.vendor.name: one for one in FACT_VENDORS}


def fact_vendor(name: str) -> FactVendor:
    """The vendor of that name."""
    return _BY_NAME[name]
