"""Finding the session or turn that a person means."""

from difflib import get_close_matches

from limen.core.fault import Fault
from limen.core.session import Session
from limen.store.ports import SessionStore


async def latest_session(store: SessionStore) -> Session:
    """The session that changed last. Raises Fault when there is none yet."""
    sessions = await store.list(limit=1)
    if not sessions:
        raise Fault("session.none", "there is no conversation yet", 'limen ask "…"')
    return sessions[0]


async def known_session(store: SessionStore, key: str) -> Session:
    """The session of that key. Raises Fault `session.unknown`, naming the nearest key."""
    session = await store.get(key)
    if session is not None:
        return session
    near = get_close_matches(key, [other.key for other in await store.list(limit=1_000)], n=1)
    mend = f"did you mean {near[0]}? `limen sessions list` shows all" if near else "limen sessions list"
    raise Fault("session.unknown", f"there is no conversation {key!r}", mend)
