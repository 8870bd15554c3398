"""What the store has of a window: the live blocks, and the fold that holds. Reads only."""

from collections.abc import Sequence

from limen.core.event import Folded
from limen.store.ports import SessionStore, StoredBlock

_MESSAGE_PLACES = frozenset({"user", "assistant", "tool"})


async def live_blocks(store: SessionStore, session: str) -> tuple[StoredBlock, ...]:
    """Every stored block that is in the session's window now, in the order it is sent. Reads only."""
    fold = await latest_fold(store, session)
    prompt = latest_prompt(await store.prompt(session))
    if fold is None:
        return in_order(prompt, messages_of(await store.blocks(session)), None)
    head = messages_of(await store.blocks(session, until=fold.first))
    tail = messages_of(await store.blocks(session, after=fold.last))
    return in_order(prompt, [*head, *tail], await marker_of(store, session, fold))


def messages_of(blocks: Sequence[StoredBlock]) -> list[StoredBlock]:
    """Those that belong to messages."""
    return [block for block in blocks if block.place in _MESSAGE_PLACES]


async def latest_fold(store: SessionStore, session: str) -> Folded | None:
    """The fold that holds now."""
    event = await store.latest_event(session, "folded")
    return event if isinstance(event, Folded) else None


async def marker_of(store: SessionStore, session: str, fold: Folded) -> StoredBlock | None:
    """What stands in the place of what was folded."""
    later = await store.blocks(session, after=fold.marker - 1, limit=1)
    return later[0] if later and later[0].place == "summary" else None


def latest_prompt(frozen: Sequence[StoredBlock]) -> list[StoredBlock]:
    """Of all that was frozen for a session the prompt and tools that hold."""
    latest = frozen[-1].entries[0].turn if frozen else ""
    return [block for block in frozen if block.entries[0].turn == latest]


def in_order(prompt: Sequence[StoredBlock], blocks: Sequence[StoredBlock], marker: StoredBlock | None) -> tuple[StoredBlock, ...]:
    """Blocks as they are sent."""
    if marker is None:
        return (*prompt, *blocks)
    head = before_marker(blocks, marker)
    return (*prompt, *head, marker, *blocks[len(head) :])


def before_marker(blocks: Sequence[StoredBlock], marker: StoredBlock) -> list[StoredBlock]:
    """Those that a fold left in their place before its marker."""
    first = fold_start(marker)
    return [block for block in blocks if block.last < first]


def fold_start(marker: StoredBlock) -> int:
    """The first entry that a fold took out."""
    return int(marker.entries[0].source.removeprefix("fold ").partition("-")[0])
