"""Frankfurter: daily reference rates of the European Central Bank (frankfurter.dev). It is told the two currencies."""

import re

import msgspec

from limen.builtin.web.calling.link import Ask, Reply
from limen.builtin.web.calling.provider import Setup, link_of
from limen.builtin.web.calling.refusing import Kind, quoted, refuse
from limen.builtin.web.calling.reply import decode
from limen.builtin.web.facts.table import fact_vendor
from limen.core.context import CallContext
from limen.core.facts import FactAnswer, FactRequest, FinanceRequest, no_fact
from limen.core.fault import Refusal

_PAIR = re.compile(r"([A-Z]{3})\s*[/:\-_ ]?\s*([A-Z]{3})(?:=X)?")


class _Rates(msgspec.Struct, frozen=True):
    base: str
    date: str
    rates: dict[str, float]


class Frankfurter:
    """Rates of currencies against each other."""

    name = "frankfurter"
    about = fact_vendor(name)

    def __init__(self, setup: Setup) -> None:
        self._link = link_of(self.about.vendor, setup, _classify)

    def covers(self, request: FactRequest) -> bool:
        """Currencies."""
        return isinstance(request, FinanceRequest) and request.type == "currency"

    async def look_up(self, request: FactRequest, context: CallContext) -> FactAnswer:
        """The rate, and its inverse."""
        if not isinstance(request, FinanceRequest):
            raise TypeError("it is asked for prices alone")
        pair = _PAIR.fullmatch(request.ticker.strip().upper())
        if pair is None:
            reason = f"{quoted(request.ticker)!r} names no two currencies."
            return no_fact(self.name, refuse("facts", "request", self.name, reason, mend="write them like EURUSD"))
        base, other = pair[1], pair[2]
        reply = await self._link.send(Ask("/v1/latest", {"base": base, "symbols": other}), "facts", context)
        rates = reply if isinstance(reply, Refusal) else decode(reply.body, _Rates, "facts", self.name)
        if isinstance(rates, Refusal):
            return no_fact(self.name, rates)
        rate = rates.rates.get(other, 0.0)
        if not 0.0 < rate < float("inf"):
            return no_fact(self.name, refuse("facts", "unknown", self.name, f"There is no rate of {base} in {other}."))
        lines = (f"1 {base} = {rate:g} {other}", f"1 {other} = {1 / rate:.6g} {base}")
        ignored = ("market",) if request.market else ()
        return FactAnswer(lines, self.name, "https://frankfurter.dev/", quoted(rates.date), self.about.credit, ignored)


def _classify(reply: Reply) -> Kind | None:
    """A currency that it does not have is "not found"."""
    return "unknown" if reply.status in (404, 422) else None
