"""Spending kept in memory: for tests of whatever books replies or is limited by what they cost."""

from collections.abc import Sequence

import msgspec

from limen.core.fault import StoreFault
from limen.store.ports import Spent


class MemorySpend:
    """The `SpendStore` port without a database. With a `fault`, every call raises it."""

    def __init__(self, fault: StoreFault | None = None) -> None:
        self._rows: dict[tuple[str, str], Spent] = {}
        self.fault = fault

    async def add(self, spent: Spent) -> float:
        self._check()
        key = (spent.day, spent.route)
        before = self._rows.get(key, Spent(*key))
        counts = zip(msgspec.structs.astuple(before)[2:], msgspec.structs.astuple(spent)[2:], strict=True)
        self._rows[key] = Spent(*key, *(ours + theirs for ours, theirs in counts))
        return sum(row.cost_usd for row in self._rows.values() if row.day == spent.day)

    async def spent(self, since: str) -> Sequence[Spent]:
        self._check()
        rows = sorted(self._rows.values(), key=lambda row: (-row.cost_usd, row.route))
        return sorted((row for row in rows if row.day >= since), key=lambda row: row.day, reverse=True)

    def _check(self) -> None:
        if self.fault is not None:
            raise self.fault
