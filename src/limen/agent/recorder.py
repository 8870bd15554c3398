"""Keeps a turn's events: the owner hears all, observers hear all they can take, the store keeps what a reader needs later."""

from collections.abc import Sequence

import anyio

from limen.core.context import Emit
from limen.core.event import BlockAdmitted, Event, Folded, Refused, ReplyDelta, ReplyFinished, ToolProgress, TurnEnded
from limen.core.fault import Refusal, StoreFault
from limen.core.ledger import LedgerEntry
from limen.core.prompt_cache import CacheUse
from limen.kit.log import failed_open
from limen.kit.stream import Broadcast
from limen.store.ports import SessionStore

# Deltas and progress are moments; admitted blocks are in the ledger already.
_PASSING = (ReplyDelta, ToolProgress, BlockAdmitted)
# What loading depends on must not wait for the turn's end.
_AT_ONCE = (Folded, TurnEnded)


class Recorder:
    """One turn's way out. `emit` is the only way in; `entries`, `refusals` and `cache` are what the account is made of.

    Nothing is stored until `stores` is set: before that there is no session to store it in. The turn's end is stored when it is
    emitted, unless `last` has handed it over.
    """

    def __init__(self, session: str, turn: str, store: SessionStore, observers: Broadcast[Event], emit: Emit) -> None:
        self._session = session
        self._turn = turn
        self._store = store
        self._observers = observers
        self._emit = emit
        self._pending: list[Event] = []
        self._handed_over: TurnEnded | None = None
        self.stores = False
        self.entries: list[LedgerEntry] = []
        self.refusals: list[Refusal] = []
        self.cache: list[CacheUse] = []

    async def emit(self, event: Event) -> None:
        """Pass an event on to everyone, store it when it is one of those that last."""
        if isinstance(event, BlockAdmitted):
            self.entries.append(event.entry)
        elif isinstance(event, Refused):
            self.refusals.append(event.refusal)
        elif isinstance(event, ReplyFinished) and event.cache is not None and event.cache.counted:
            self.cache.append(event.cache)
        if not isinstance(event, _PASSING) and event is not self._handed_over:
            self._pending.append(event)
        if isinstance(event, _AT_ONCE):
            await self.flush()
        self._observers.put(event)
        await self._emit(event)

    def last(self, end: TurnEnded) -> tuple[str, Sequence[Event]]:
        """The turn, with its events that wait and its end behind them, for whoever stores them as the session is given back."""
        self._handed_over = end
        return self._turn, [*self._take(), end]

    def _take(self) -> list[Event]:
        pending, self._pending = self._pending, []
        return pending

    async def flush(self) -> None:
        """Store what waits. A store that cannot take events does not stop a turn whose blocks it took."""
        pending = self._take()
        if pending and self.stores:
            await self._write(pending)

    async def _write(self, events: Sequence[Event]) -> None:
        with anyio.CancelScope(shield=True):
            try:
                await self._store.record(self._session, self._turn, events)
            except StoreFault as fault:
                failed_open("recorder.events_lost", fault)
