"""Lanes: one turn at a time for each session, in this process and across processes on one store."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from limen.core.fault import Refusal
from limen.kit.beside import beside
from limen.store.ports import SessionStore

# What a crashed process held is free at once on its own machine, and after this long on another; a living one renews three times
# within it.
CLAIM_TTL_S = 30.0


class Lanes:
    """Hands out sessions. `owner` names this process among all that share the store."""

    def __init__(self, store: SessionStore, owner: str, ttl_s: float = CLAIM_TTL_S) -> None:
        self._store = store
        self._owner = owner
        self._ttl_s = ttl_s
        self._locks: dict[str, anyio.Lock] = {}
        self._waiting: Counter[str] = Counter()

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[Refusal | None]:
        """Wait for this process's turn on a session; the value is a refusal when another process has it."""
        lock = self._locks.setdefault(key, anyio.Lock())
        self._waiting[key] += 1
        try:
            async with lock:
                with anyio.CancelScope(shield=True):  # a claim that nobody knows of would keep others away until it expires
                    claimed = await self._store.claim(key, self._owner, self._ttl_s)
                if not claimed:
                    yield _busy(key)
                    return
                try:
                    async with beside(lambda: self._renew(key), "lanes.renew_failed"):
                        yield None
                finally:
                    with anyio.CancelScope(shield=True):
                        await self._store.release(key, self._owner)
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key]
                self._locks.pop(key, None)

    async def _renew(self, key: str) -> None:
        while True:
            await anyio.sleep(self._ttl_s / 3)
            await self._store.claim(key, self._owner, self._ttl_s)


def _busy(key: str) -> Refusal:
    reason = f"Another process is running a turn on session {key}."
    mend = f"Wait for it to end, or use another --session. One killed on another machine frees it within {CLAIM_TTL_S:.0f} s."
    return Refusal("lanes", "session.busy", reason, mend)
