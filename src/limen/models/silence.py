"""A person is told of a server that says nothing: who is waited for, until when, and what ends that."""

import anyio
import msgspec

from limen.core.event import Notice
from limen.kit.clock import Clock, iso_utc, wall_s
from limen.models.asking import Asking


class Signs(msgspec.Struct, frozen=True):
    """After how many seconds of silence a sign is given, each once in a request, and how many seconds of it are borne."""

    after_s: tuple[float, ...] = (15.0, 60.0, 180.0)
    idle_s: float = 300.0


class Silence:
    """How long nothing was heard of one request."""

    def __init__(self, asking: Asking, signs: Signs, clock: Clock = wall_s) -> None:
        self._asking = asking
        self._signs = signs
        self._clock = clock
        self._since = anyio.current_time()

    def broken(self) -> None:
        """Note that something was heard."""
        self._since = anyio.current_time()

    async def tell(self) -> None:
        """Give the signs as they fall due."""
        for after_s in self._signs.after_s:
            while (left_s := self._since + after_s - anyio.current_time()) > 0:  # noqa: ASYNC110 - time itself is waited for
                await anyio.sleep(left_s)
            left_s = self._signs.idle_s - after_s
            if left_s > 0:
                await self._asking.emit(self._sign(after_s, left_s))

    def _sign(self, silent_s: float, left_s: float) -> Notice:
        name = self._asking.request.route.name
        until = f"It is waited for until {iso_utc(self._clock() + left_s)}, {left_s:g} s more, unless you interrupt (Ctrl-C)"
        mend = "limen config set models.idle_s SECONDS"
        return Notice("model.silent", f"{name} has said nothing for {silent_s:g} s. {until}.", mend)
