"""What travels through the model gates: a request, who listens to its reply, and what has been heard of it so far."""

from collections.abc import Awaitable, Callable

import msgspec

from limen.core.context import Emit
from limen.core.exchange import Delta, ModelReply, ModelRequest, PartialReply
from limen.kit.pipeline import Gate


class Heard:
    """What the listener has been given of the reply; handed to the turn's own collector as well."""

    def __init__(self, partial: PartialReply) -> None:
        self._partial = partial
        self.anything = False

    def add(self, delta: Delta) -> None:
        """Note a piece before it is shown, so that nothing shown is ever missing here."""
        self.anything = True
        self._partial.add(delta)

    def restart(self) -> None:
        """Void all of it."""
        self.anything = False
        self._partial.restart()


class Asking(msgspec.Struct, frozen=True):
    """One wish for a reply. `attempt` counts sends from 1."""

    request: ModelRequest
    emit: Emit
    heard: Heard
    attempt: int = 1


ProceedAsking = Callable[[Asking], Awaitable[ModelReply]]
ModelGate = Gate[Asking, ModelReply]
