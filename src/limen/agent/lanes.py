"""Lanes: one turn at a time for each session, in this process and across processes on one store."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import anyio

from limen.core.event import Event
from limen.core.fault import Refusal, StoreFault
from limen.kit.log import failed_open
from limen.store.ports import Begun, SessionStore

# What a crashed process held is free at once on its own machine, and after this long on another; a living one renews three times
# within it.
CLAIM_TTL_S = 30.0


class Lane:
    """A session in a turn's hands. `begun` is how the store had it then; what is set as `last` is stored as it is given back."""

    def __init__(self, begun: Begun) -> None:
        self.begun = begun
        self.last: tuple[str, Sequence[Event]] | None = None


class Lanes:
    """Hands out sessions. `owner` names this process among all that share the store; as long as it may hold one, `keep` runs."""

    def __init__(self, store: SessionStore, owner: str, ttl_s: float = CLAIM_TTL_S) -> None:
        self._store = store
        self._owner = owner
        self._ttl_s = ttl_s
        self._locks: dict[str, anyio.Lock] = {}
        self._held: set[str] = set()
        self._waiting: Counter[str] = Counter()

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[Lane | Refusal]:
        """Wait for this process's turn on a session, which is made when there is none; a refusal when another process has it."""
        lock = self._locks.setdefault(key, anyio.Lock(fast_acquire=True))
        self._waiting[key] += 1
        try:
            async with lock:
                with anyio.CancelScope(shield=True):  # a claim that nobody knows of would keep others away until it expires
                    begun = await self._store.begin(key, self._owner, self._ttl_s)
                if begun is None:
                    yield _busy(key)
                    return
                lane = Lane(begun)
                self._held.add(key)
                try:
                    yield lane
                finally:
                    self._held.discard(key)
                    with anyio.CancelScope(shield=True):
                        await self._give_back(key, lane)
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key]
                self._locks.pop(key, None)

    async def _give_back(self, key: str, lane: Lane) -> None:
        """A store that takes no events any more may still give the session back; else its claim ends with its time."""
        if lane.last is not None:
            try:
                await self._store.end(key, self._owner, *lane.last)
                return
            except StoreFault as fault:
                failed_open("recorder.events_lost", fault)
        try:
            await self._store.release(key, self._owner)
        except StoreFault as fault:
            failed_open("lanes.not_given_back", fault)

    async def keep(self) -> None:
        """Renew the claims of all turns in time, for as long as this runs."""
        while True:
            await anyio.sleep(self._ttl_s / 3)
            await self.renew()

    async def renew(self) -> None:
        """Renew the claim on every session that is held now."""
        for key in sorted(self._held):
            if key not in self._held:  # given back meanwhile, and perhaps another's
                continue
            try:
                await self._store.claim(key, self._owner, self._ttl_s)
            except StoreFault as fault:
                failed_open("lanes.renew_failed", fault)


def _busy(key: str) -> Refusal:
    reason = f"Another process is running a turn on session {key}."
    mend = f"Wait for it to end, or use another --session. One killed on another machine frees it within {CLAIM_TTL_S:.0f} s."
    return Refusal("lanes", "session.busy", reason, mend)
