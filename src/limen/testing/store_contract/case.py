"""What a store under test is staged by, and the values that the checks put into it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import anyio
import msgspec

from limen.core.event import TurnEnded, TurnStarted
from limen.core.exchange import Usage
from limen.core.fault import StoreFault
from limen.core.ledger import LedgerEntry, Treatment, Trust
from limen.core.message import Block, Text, digest, leaves
from limen.core.ports import RefTable
from limen.core.route import Route
from limen.store.library import LibraryStore
from limen.store.ports import EvidenceStore, Place, SessionStore, StoredBlock

ROUTE = Route("test", "embedded", "m")
# Text that a store must neither change nor choke on: scripts, a NUL, what undecodable bytes become, line ends of all kinds.
HARD_TEXTS = ("", "\0", "a\0b", "\udcff", "\ud83d", "👋🏽 世界 Grüße é", "a\r\nb\rc\u2028d", "'; DROP TABLE x; --", "%_\\*", " ")


class Stores(msgspec.Struct, frozen=True):
    """One handle on a store, through its ports."""

    sessions: SessionStore
    evidence: EvidenceStore
    library: LibraryStore
    refs: RefTable


class StoreCase(Protocol):
    """Stages one store for a check: empty at first, and the same store at each opening."""

    now: float
    """What the clock of every handle says, in Unix seconds. A check sets it."""

    def opened(self) -> AbstractAsyncContextManager[Stores]:
        """A handle of its own on the store, as another process would have it."""
        ...


StoreCheck = Callable[[StoreCase], Awaitable[None]]


def stored(
    number: int,
    text: str = "text",
    *,
    place: Place = "user",
    message: int | None = None,
    tokens: int = 10,
    turn: str = "t_000001",
    session: str = "s",
    block: Block | None = None,
) -> StoredBlock:
    """A block whose ledger numbers begin at `number`; a message of its own unless another is named."""
    block = Text(text) if block is None else block
    entries = tuple(
        LedgerEntry(
            number + offset, session, turn, place, digest(leaf), "user", "user", Trust.USER, None, 1, 1, tokens, Treatment()
        )
        for offset, leaf in enumerate(leaves(block))
    )
    return StoredBlock(place, number - 1 if message is None else message, block, entries)


async def run_turn(sessions: SessionStore, key: str, turn: str, *texts: str, ends: bool = True) -> None:
    """A turn of those messages with its first and last event, as an agent leaves it."""
    number, _ = await sessions.next_numbers(key)
    await sessions.append(key, [stored(number + at, text, turn=turn, session=key) for at, text in enumerate(texts)])
    if ends:
        ended = TurnEnded("answered", 1, Usage(), 0.1)
        await sessions.record(key, turn, [TurnStarted(key, turn, ROUTE), ended])


async def keep(stores: Stores, text: str, session: str = "s", *, tokens: int | None = None) -> str:
    """Keep a text; its id."""
    kept = await stores.evidence.keep(text, session=session, tool="t", source="src", media_type="text/plain", tokens=tokens)
    return kept.id


def texts_of(blocks: Sequence[StoredBlock]) -> list[str]:
    """The texts of text blocks, in order."""
    return [block.block.text for block in blocks if isinstance(block.block, Text)]


async def fault_of(call: Awaitable[object]) -> str:
    """The code of the fault that a call raises; a call that raises none fails the check."""
    try:
        value = await call
    except StoreFault as raised:
        fault = raised
    else:
        raise AssertionError(f"no fault, but {value!r}")
    assert fault.reason, "a fault without a reason"
    assert fault.mend, "a fault without a mend"
    return fault.code


async def together(*calls: Callable[[], Coroutine[object, object, object]]) -> None:
    """Run calls at once and wait for all."""
    async with anyio.create_task_group() as group:
        for call in calls:
            group.start_soon(call)


@asynccontextmanager
async def two_handles(case: StoreCase) -> AsyncIterator[tuple[Stores, Stores]]:
    """Two handles on one store, as two processes have them."""
    async with case.opened() as one, case.opened() as other:
        yield one, other
