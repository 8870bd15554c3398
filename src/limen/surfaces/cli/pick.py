"""Finding the session or turn that a person means."""

from difflib import get_close_matches

from limen.core.fault import Fault
from limen.core.session import Session
from limen.store.ports import SessionStore

# A shorter part of a key would fit too many.
_PART_CHARS = 4


async def latest_session(store: SessionStore) -> Session:
    """The session that changed last. Raises Fault when there is none yet."""
    sessions = await store.list(limit=1)
    if not sessions:
        raise Fault("session.none", "there is no conversation yet", 'limen ask "…"')
    return sessions[0]


async def known_session(store: SessionStore, key: str) -> Session:
    """The session of that key, or the one whose key begins or ends so.

    Raises Fault `session.unknown`, naming the nearest key, or `session.ambiguous`.
    """
    session = await store.get(key)
    if session is not None:
        return session
    others = {other.key: other for other in await store.list(limit=1_000)}
    meant = [other for name, other in others.items() if len(key) >= _PART_CHARS and (name.startswith(key) or name.endswith(key))]
    if len(meant) == 1:
        return meant[0]
    if meant:
        mend = f"say more of it: {', '.join(other.key for other in meant[:3])}"
        raise Fault("session.ambiguous", f"{key!r} is a part of {len(meant)} conversations' keys", mend)
    near = get_close_matches(key, others, n=1)
    mend = f"did you mean {near[0]}? `limen sessions list` shows all" if near else "limen sessions list"
    raise Fault("session.unknown", f"there is no conversation {key!r}", mend)
