"""Frankfurter: daily reference rates of the European Central Bank (frankfurter.dev). It is told the two currencies."""

import re

import msgspec

from limen.builtin.web.calling.link import Ask, Reply
from limen.builtin.web.calling.refusing import Kind, quoted, refuse
from limen.builtin.web.facts.source import FactSource, Known
from limen.core.context import CallContext
from limen.core.facts import FinanceRequest
from limen.core.fault import Refusal

_PAIR = re.compile(r"([A-Z]{3})\s*[/:\-_ ]?\s*([A-Z]{3})(?:=X)?")


class _Rates(msgspec.Struct, frozen=True):
    base: str
    date: str
    rates: dict[str, float]


class Frankfurter(FactSource[FinanceRequest]):
    """Rates of currencies against each other."""

    name = "frankfurter"
    asked = FinanceRequest

    def _covers(self, request: FinanceRequest) -> bool:
        return request.type == "currency"

    async def _know(self, request: FinanceRequest, context: CallContext) -> Known | Refusal:
        """The rate, and its inverse."""
        pair = _PAIR.fullmatch(request.ticker.strip().upper())
        if pair is None:
            reason = f"{quoted(request.ticker)!r} names no two currencies."
            return refuse("facts", "request", self.name, reason, mend="write them like EURUSD")
        base, other = pair[1], pair[2]
        rates = await self._link.ask(Ask("/v1/latest", {"base": base, "symbols": other}), _Rates, "facts", context)
        if isinstance(rates, Refusal):
            return rates
        rate = rates.rates.get(other, 0.0)
        if not 0.0 < rate < float("inf"):
            return refuse("facts", "unknown", self.name, f"There is no rate of {base} in {other}.")
        lines = (f"1 {base} = {rate:g} {other}", f"1 {other} = {1 / rate:.6g} {base}")
        return Known(lines, "https://frankfurter.dev/", quoted(rates.date), ("market",) if request.market else ())

    @staticmethod
    def _classify(reply: Reply) -> Kind | None:
        """A currency that it does not have is "not found"."""
        return "unknown" if reply.status in (404, 422) else None
