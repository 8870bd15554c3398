"""Facts of one kind from whoever covers what is asked; a typed "nobody does" otherwise."""

from collections.abc import Callable, Mapping
from typing import Protocol

from limen.builtin.web.facts.table import FACT_VENDORS
from limen.core.context import CallContext
from limen.core.facts import FactAnswer, FactKind, FactRequest, FinanceRequest, SportsRequest, no_fact
from limen.core.fault import Refusal


class FieldProvider(Protocol):
    """A vendor: it says what of its kind it covers, and is asked for nothing else."""

    name: str

    def covers(self, request: FactRequest) -> bool: ...

    async def look_up(self, request: FactRequest, context: CallContext) -> FactAnswer: ...


class FactDesk:
    """The `FactProvider` of one kind over its vendors, which are made when first asked."""

    def __init__(self, kind: FactKind, vendors: Mapping[str, Callable[[], FieldProvider]]) -> None:
        self.name: str = kind
        self.kind: FactKind = kind
        self._make = vendors
        self._made: dict[str, FieldProvider] = {}

    def unavailable(self) -> Refusal | None:
        """No vendor is there."""
        return None if self._make else _nobody(self.kind, f"Nobody is asked for {self.kind} here.")

    async def look_up(self, request: FactRequest, context: CallContext) -> FactAnswer:
        """The answer of the first vendor that covers the request."""
        for name in self._make:
            if name not in self._made:
                self._made[name] = self._make[name]()
            if self._made[name].covers(request):
                return await self._made[name].look_up(request, context)
        return no_fact(self.name, _nobody(self.kind, f"Nobody without a key has {_what(request)}."))


def _nobody(kind: FactKind, reason: str) -> Refusal:
    covered = "; ".join(one.covers for one in FACT_VENDORS if one.kind == kind)
    said = f"{reason} Covered are: {covered}." if covered else reason
    return Refusal("facts", "web.no_fact_provider", said, "search the web for it, with recency_days", {"kind": kind})


def _what(request: FactRequest) -> str:
    match request:
        case FinanceRequest(type=asset):
            return {"equity": "prices of equities", "fund": "prices of funds", "index": "values of indices"}.get(asset, asset)
        case SportsRequest(table=table, league=league):
            return f"the {table} of {league}"
        case _:
            return "this"
