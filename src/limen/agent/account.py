"""What a session's last request was made of, told from the store alone."""

from collections.abc import Sequence

from limen.agent.window import build_request, live_blocks
from limen.core.event import TurnStarted
from limen.core.exchange import ModelRequest
from limen.core.ledger import LedgerEntry
from limen.core.route import Route
from limen.store.ports import SessionStore, StoredBlock


async def last_request(store: SessionStore, session: str) -> tuple[ModelRequest, tuple[StoredBlock, ...]] | None:
    """The last request of a session as it was sent, and its blocks; None when there was none.

    The blocks are those in the window when the latest reply was asked for: what that reply added is left out.
    """
    route = await _last_route(store, session)
    live = await live_blocks(store, session)
    blocks = _before_the_reply(live)
    if route is None or not any(block.place == "user" for block in blocks):
        return None
    return build_request(blocks, route), blocks


def entries_of(blocks: Sequence[StoredBlock]) -> list[LedgerEntry]:
    """The ledger entries of blocks, in the order they were sent."""
    return [entry for block in blocks for entry in block.entries]


def _before_the_reply(live: Sequence[StoredBlock]) -> tuple[StoredBlock, ...]:
    latest = max((block.message for block in live if block.place == "assistant"), default=-1)
    tail = max((block.message for block in live if block.message >= 0), default=-1)
    if latest < 0 or any(block.place == "user" and block.message > latest for block in live):
        return tuple(live)  # a question that got no reply was the last thing sent
    cut = latest if latest <= tail else tail + 1
    return tuple(block for block in live if block.message < cut)


async def _last_route(store: SessionStore, session: str) -> Route | None:
    stored = await store.latest_event(session, "turn_started")
    return stored.route if isinstance(stored, TurnStarted) else None
