"""Health kept in memory: for tests of whatever spares routes and keys that failed."""

from collections.abc import Mapping, Sequence

import msgspec

from limen.core.fault import StoreFault
from limen.kit.clock import Clock, wall_s
from limen.store.ports import Rest

_REMEMBERED_S = 14 * 86_400.0


class MemoryHealth:
    """The `HealthStore` port without a database. With a `fault`, every call raises it."""

    def __init__(self, clock: Clock = wall_s, fault: StoreFault | None = None) -> None:
        self._clock = clock
        self._rests: dict[str, Rest] = {}
        self._uses: dict[str, int] = {}
        self.fault = fault

    async def rests(self) -> Sequence[Rest]:
        self._check()
        return sorted(self._rests.values(), key=lambda rest: (-rest.since, rest.subject))

    async def rest(self, rest: Rest) -> None:
        self._check()
        since = self._clock() - _REMEMBERED_S
        self._rests = {subject: known for subject, known in self._rests.items() if known.until >= since}
        self._rests[rest.subject] = rest

    async def claim_trial(self, subject: str, until: float) -> bool:
        self._check()
        rest = self._rests.get(subject)
        if rest is None or rest.until > self._clock():
            return rest is None
        self._rests[subject] = msgspec.structs.replace(rest, until=until, known=False)
        return True

    async def works(self, subject: str) -> bool:
        self._check()
        return self._rests.pop(subject, None) is not None

    async def least_used(self, subjects: Sequence[str]) -> str:
        self._check()
        fewest = min((self._uses[subject] for subject in subjects if subject in self._uses), default=0)
        for subject in subjects:
            self._uses.setdefault(subject, fewest)
        chosen = min(subjects, key=lambda subject: self._uses[subject])
        self._uses[chosen] += 1
        return chosen

    async def uses(self) -> Mapping[str, int]:
        self._check()
        return dict(self._uses)

    def _check(self) -> None:
        if self.fault is not None:
            raise self.fault
