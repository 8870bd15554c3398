"""What models cost: every reply is booked by local day, and limits are kept by asking nothing more that costs."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

import msgspec

from limen.core.exchange import ModelReply, ModelRequest, Usage
from limen.core.fault import Fault, ModelFault, Refusal, StoreFault
from limen.core.route import Price, Route
from limen.kit.log import failed_open
from limen.models.asking import Asking, ProceedAsking
from limen.models.pricing import cost_usd
from limen.store.ports import SpendStore, Spent

_LIMIT = "limits.cost_usd_per_day"


class Books(Protocol):
    """Where replies are booked. Raises nothing of its own."""

    async def refusal(self, route: Route) -> Refusal | None:
        """Why a route may not be asked now, by what was spent."""
        ...

    async def book(self, reply: ModelReply) -> None: ...


class Spending:
    """The books of a home. `limit_usd` is what a day may cost; `now` gives local time.

    Without a limit a store that fails costs nothing but the booking, which is logged. With one, a day whose spending cannot be
    read refuses, and what could not be booked counts for as long as this process lives.
    """

    def __init__(
        self, store: SpendStore, limit_usd: float | None = None, now: Callable[[], datetime] = lambda: datetime.now().astimezone()
    ) -> None:
        self._store = store
        self._limit_usd = limit_usd
        self._now = now
        self._unbooked = Spent("", "")

    @property
    def today(self) -> str:
        """The local day, as it is booked: `2026-11-30`."""
        return self._now().date().isoformat()

    async def refusal(self, route: Route) -> Refusal | None:
        """`limits.cost_per_day` once the day has cost what it may, `limits.spending_unknown` where that cannot be told.

        Routes that are free are always allowed, and everything is without a limit.
        """
        if self._limit_usd is None or is_free(route):
            return None
        day = self.today
        try:
            rows = await self._store.spent(day)
        except StoreFault as fault:
            reason = f"What models cost today cannot be read, so no limit could hold: {fault.reason}"
            return Refusal("limits", "limits.spending_unknown", reason, fault.mend or f"limen config unset {_LIMIT}")
        spent_usd = sum(row.cost_usd for row in rows if row.day == day)
        spent_usd += self._unbooked.cost_usd if self._unbooked.day == day else 0.0
        if spent_usd < self._limit_usd:
            return None
        reason = f"Models have cost {dollars(spent_usd)} today; a day may cost {dollars(self._limit_usd)}."
        return Refusal("limits", "limits.cost_per_day", reason, f"limen config set {_LIMIT} NUMBER")

    async def book(self, reply: ModelReply) -> None:
        """Book one reply of a model; what answers without one costs nothing and is left out."""
        if reply.route.wire == "embedded":
            return
        spent = _spent(self.today, reply)
        try:
            await self._store.add(spent)
        except StoreFault as fault:
            failed_open("limits.not_booked", fault)
            before = self._unbooked.cost_usd if self._unbooked.day == spent.day else 0.0
            self._unbooked = Spent(spent.day, "", cost_usd=before + spent.cost_usd)


class OverBudget(ModelFault):
    """A route was not asked, for its cost alone: nothing is wrong with it."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__("quota", refusal.reason, refusal.mend)
        Fault.__init__(self, refusal.code, refusal.reason, refusal.mend)
        self._refusal = refusal

    def retold(self, reason: str, mend: str) -> "OverBudget":
        """The same, under the same code."""
        return OverBudget(msgspec.structs.replace(self._refusal, reason=reason, mend=mend))


def beyond(request: ModelRequest) -> Refusal | None:
    """Why a request may not be sent, whose input alone uses more than the turn has left: `limits.tokens`, `limits.cost`.

    What an earlier request has brought into the provider's cache counts at its price there, since it may still be in it.
    """
    left, tokens, route = request.left, request.input_tokens, request.route
    if left.tokens is not None and tokens >= left.tokens:
        reason = f"The next request has {tokens:,} tokens, and the turn may use {max(left.tokens, 0):,} more."
        return Refusal("limits", "limits.tokens", reason, "limen config set limits.tokens NUMBER")
    if left.cost_usd is None or route.price is None:
        return None
    kept = max((sent.tokens for sent in request.earlier if sent.route == route.name), default=0)
    usd = cost_usd(Usage(tokens, cached_tokens=kept), route.price)
    if usd <= left.cost_usd:
        return None
    cost = f"{tokens:,} tokens cost {dollars(usd)} at {route.name}"
    reason = f"The next request's {cost}, and the turn may cost {dollars(max(left.cost_usd, 0.0))} more."
    return Refusal("limits", "limits.cost", reason, "limen config set limits.cost_usd NUMBER")


class Budget:
    """The gate `budget`: a route that costs is not asked once the day has cost what it may, nor what is beyond the turn."""

    def __init__(self, books: Books) -> None:
        self._books = books

    async def __call__(self, asking: Asking, proceed: ProceedAsking) -> ModelReply:
        """Raises OverBudget."""
        refusal = beyond(asking.request) or await self._books.refusal(asking.request.route)
        if refusal is not None:
            raise OverBudget(refusal)
        return await proceed(asking)


def is_free(route: Route) -> bool:
    """Whether a route is known to cost nothing."""
    return _costs_nothing(route.price) if route.price is not None else route.wire == "embedded"


def _costs_nothing(price: Price) -> bool:
    rates = (price.input_usd, price.output_usd, price.cached_input_usd, price.cache_write_usd)
    return not any(rates) and (price.long is None or _costs_nothing(price.long))


def dollars(amount_usd: float) -> str:
    """An amount for people: `$12.30`, and small ones with the digits that tell them from nothing: `$0.0042`."""
    return f"${amount_usd:,.2f}" if amount_usd >= 0.1 or amount_usd == 0 else f"${max(amount_usd, 0.0001):.4f}"


def _spent(day: str, reply: ModelReply) -> Spent:
    usage = reply.usage
    return Spent(
        day,
        reply.route.name,
        1,
        usage.input_tokens,
        usage.cached_tokens,
        usage.output_tokens,
        usage.cost_usd or 0.0,
        unpriced=int(usage.cost_usd is None),
    )
