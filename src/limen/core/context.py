"""What every request of a turn carries: whose it is, how far it may be trusted, how long it may take."""

from collections.abc import Awaitable, Callable, Container
from typing import Literal, Protocol

import msgspec

from limen.core.event import Event, ToolProgress
from limen.core.exchange import Usage
from limen.core.fault import Refusal
from limen.core.ledger import Trust
from limen.core.session import Source

Emit = Callable[[Event], Awaitable[None]]
Approval = Literal["allow", "deny", "nobody"]


async def silent(_event: Event) -> None:
    """An `Emit` for callers that watch nothing."""


class Approver(Protocol):
    """Asks a person. Answers "nobody" where no person can be asked; never raises for a "no"."""

    async def ask(self, tool: str, effect: str, question: str) -> Approval: ...


class SourceTable(Protocol):
    """Numbers the documents of a session, so that an answer can cite `[n]`. The same URL keeps its number.

    What was read of it is given as `text`, which starts at line `first_line` of the whole: quotations are checked against it.
    """

    async def note(
        self, url: str, title: str, *, ref: str = "", read: bool = False, text: str = "", first_line: int = 1
    ) -> Source: ...

    async def tried(self, url: str, refusal: Refusal | None) -> None:
        """Note that `url`, as it was asked for, was read, or why it could not be. What was once read stays read."""
        ...


class CallContext(msgspec.Struct, frozen=True):
    """The circumstances of a call. `deadline` is in seconds on the event loop's clock; `cancelled` may be asked often.

    `said` gives the last two texts of the user, oldest first. What a tool answers with more than `room_chars` characters
    will be cut, so one that knows better where does it itself. `asked_by` is the route whose model wants the call, and
    `asked_for` the one in whose place it answers. `spend` is told what a call has asked a model on its own, so that it counts for
    the turn's cost.
    """

    session: str = ""
    turn: str = ""
    call_id: str = ""
    window_trust: Trust = Trust.USER
    seen_urls: Container[str] = frozenset()
    approver: Approver | None = None
    sources: SourceTable | None = None
    deadline: float | None = None
    cancelled: Callable[[], bool] = lambda: False
    said: Callable[[], tuple[str, ...]] = tuple
    emit: Emit = silent
    room_chars: int = 100_000
    asked_by: str = ""
    asked_for: str = ""
    spend: Callable[[Usage], None] = lambda usage: None

    async def progress(self, text: str, done: int = 0, total: int | None = None) -> None:
        """Tell whoever watches how far this call is, in a few words: `5 hits`, `3 of 8 pages`."""
        await self.emit(ToolProgress(self.call_id, text, done, total))
