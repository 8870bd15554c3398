"""What a session's last request was made of, told from the store alone."""

from collections.abc import Callable, Sequence

from limen.agent.live import live_blocks
from limen.agent.request import build_request, schema_text
from limen.core.event import TurnStarted
from limen.core.exchange import ModelRequest
from limen.core.ledger import LedgerEntry, Treatment, Trust
from limen.core.message import Leaf, digest, message_leaves, payload
from limen.core.route import Route
from limen.models.wire.bodies import encoded
from limen.store.ports import SessionStore, StoredBlock

Carry = Callable[[ModelRequest], ModelRequest | None]
"""Gives a request as its wire carries it, without what the route does not take; None for a wire that sends no bytes."""


async def last_request(store: SessionStore, session: str, carry: Carry) -> Sequence[LedgerEntry]:
    """The entries of a session's last request, in the order it was sent, and one line for the wire's framing.

    They are what was in the window when the latest reply was asked for: what that reply added is left out. None before the first.
    """
    route = await _last_route(store, session)
    blocks = _before_the_reply(await live_blocks(store, session))
    if route is None or not any(block.place == "user" for block in blocks):
        return ()
    entries = [entry for block in blocks for entry in block.entries]
    request = build_request(blocks, route)
    carried = carry(request)
    if carried is None:
        return entries
    left_out = _message_digests(request) - _message_digests(carried)
    return [*(entry for entry in entries if entry.digest not in left_out), _framing(carried, entries[-1])]


def _framing(carried: ModelRequest, last: LedgerEntry) -> LedgerEntry:
    """What a wire adds to the blocks, as one computed line behind the last entry."""
    size = len(encoded(carried)) - _block_bytes(carried)
    source = f"{carried.route.wire}, {size:,} bytes of the request that are no block"
    return LedgerEntry(
        n=0,
        session=last.session,
        turn=last.turn,
        role="framing",
        digest="",
        kind="framing",
        source=source,
        trust=Trust.OPERATOR,
        parent=None,
        chars_in=size,
        chars_out=size,
        tokens_out=0,
        treatment=Treatment(),
    )


def _message_digests(request: ModelRequest) -> set[str]:
    return {digest(leaf) for message in request.messages for leaf in message_leaves(message)}


def _block_bytes(request: ModelRequest) -> int:
    leaves: list[Leaf] = [part.block for part in request.prompt.parts]
    leaves += [leaf for message in request.messages for leaf in message_leaves(message)]
    return sum(len(payload(leaf)) for leaf in leaves) + sum(len(schema_text(schema).encode()) for schema in request.tools)


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
