"""CoinGecko: prices of coins by its public API without a key (docs.coingecko.com). It is told the coin.

Without a key it counts requests by the address that they come from, and says 429 early.
"""

import re

import msgspec

from limen.builtin.web.answers.dates import published
from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.refusing import quoted, refuse
from limen.builtin.web.facts.source import FactSource, Known
from limen.core.context import CallContext
from limen.core.facts import FinanceRequest
from limen.core.fault import Refusal

_WHOLE = re.compile(r"[A-Z0-9]{1,20}")
_PAIR = re.compile(r"([A-Z0-9]{1,20}?)[-/]?(USD|EUR|GBP|JPY|CHF|CAD|AUD|CNY|INR|BRL|KRW)")
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,60}")


class _Coin(msgspec.Struct, frozen=True):
    id: str
    symbol: str
    name: str
    current_price: float | None = None
    market_cap: float | None = None
    market_cap_rank: int | None = None
    total_volume: float | None = None
    high_24h: float | None = None
    low_24h: float | None = None
    price_change_percentage_24h: float | None = None
    last_updated: str | None = None


class CoinGecko(FactSource[FinanceRequest]):
    """Prices of coins, by their ticker (`BTC`, `BTC-EUR`) or by CoinGecko's name for them (`bitcoin`)."""

    name = "coingecko"
    asked = FinanceRequest

    def _covers(self, request: FinanceRequest) -> bool:
        return request.type == "crypto"

    async def _know(self, request: FinanceRequest, context: CallContext) -> Known | Refusal:
        """The price of the coin with that ticker that has the largest market."""
        text, money = request.ticker.strip(), "usd"
        coins: list[_Coin] | Refusal = []
        for which, money in _readings(text):
            coins = await self._coins({**which, "vs_currency": money}, context)
            if coins:
                break
        if isinstance(coins, Refusal):
            return coins
        priced = [coin for coin in coins if coin.current_price is not None]
        if not priced:
            return refuse("facts", "unknown", self.name, f"No coin is known as {quoted(text)!r}.")
        coin = min(priced, key=lambda one: one.market_cap_rank or 1_000_000)
        page = f"https://www.coingecko.com/en/coins/{coin.id}" if _ID.fullmatch(coin.id) else "https://www.coingecko.com/"
        as_of = quoted(published(coin.last_updated))
        return Known(_lines(coin, money.upper()), page, as_of, ("market",) if request.market else ())

    async def _coins(self, query: dict[str, str], context: CallContext) -> list[_Coin] | Refusal:
        ask = Ask("/api/v3/coins/markets", {**query, "per_page": 10, "page": 1})
        return await self._link.ask(ask, list[_Coin], "facts", context)


def _readings(ticker: str) -> list[tuple[dict[str, str], str]]:
    """What a ticker may mean, likeliest first: a symbol, a symbol with a currency, CoinGecko's own name of a coin."""
    upper, lower = ticker.upper(), ticker.lower()
    readings: list[tuple[dict[str, str], str]] = [({"symbols": lower}, "usd")] if _WHOLE.fullmatch(upper) else []
    pair = _PAIR.fullmatch(upper)
    readings += [({"symbols": pair[1].lower()}, pair[2].lower())] if pair else []
    return readings + ([({"ids": lower}, "usd")] if _ID.fullmatch(lower) else [])


def _lines(coin: _Coin, money: str) -> tuple[str, ...]:
    change = "" if coin.price_change_percentage_24h is None else f" ({coin.price_change_percentage_24h:+.2f} % in 24 h)"
    lines = [f"{quoted(coin.name)} ({quoted(coin.symbol).upper()}): {_amount(coin.current_price)} {money}{change}"]
    if coin.low_24h is not None and coin.high_24h is not None:
        lines.append(f"24 h range: {_amount(coin.low_24h)} to {_amount(coin.high_24h)} {money}")
    if coin.market_cap:
        rank = f", rank {coin.market_cap_rank}" if coin.market_cap_rank else ""
        lines.append(f"market capitalisation: {coin.market_cap:,.0f} {money}{rank}")
    if coin.total_volume:
        lines.append(f"volume in 24 h: {coin.total_volume:,.0f} {money}")
    return tuple(lines)


def _amount(value: float | None) -> str:
    number = value or 0.0
    return f"{number:,.2f}" if abs(number) >= 1 else f"{number:.8g}"
