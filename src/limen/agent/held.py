"""Windows that this process has just left, so that a conversation's next turn need not read them from the store again."""

from collections import OrderedDict
from collections.abc import Sequence

import msgspec

from limen.store.ports import StoredBlock


class HeldWindow(msgspec.Struct, frozen=True):
    """A window as a turn left it: prompt, messages, a fold's marker, and the session's next free numbers at that moment."""

    prompt: Sequence[StoredBlock]
    blocks: Sequence[StoredBlock]
    marker: StoredBlock | None
    numbers: tuple[int, int]


class HeldWindows:
    """The latest few. One is good as long as its session is the same and has the same next numbers: nothing enters a window, and
    no fold takes anything out of one, without an entry in the store."""

    def __init__(self, most: int = 8) -> None:
        self._most = most
        self._held: OrderedDict[tuple[str, float], HeldWindow] = OrderedDict()

    def take(self, session: str, created_at: float) -> HeldWindow | None:
        """The window of the session that was made at that time, which is then held no more."""
        return self._held.pop((session, created_at), None)

    def keep(self, session: str, created_at: float, window: HeldWindow) -> None:
        """Hold a window; of too many, the one that was left longest ago goes."""
        self._held[session, created_at] = window
        if len(self._held) > self._most:
            self._held.popitem(last=False)
