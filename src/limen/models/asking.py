"""What travels through the model gates: a request, who listens to its reply, and what has been heard of it so far."""

from collections.abc import Awaitable, Callable

import msgspec

from limen.core.context import Emit
from limen.core.event import ReplyRestarted
from limen.core.exchange import Delta, ModelReply, ModelRequest, PartialReply
from limen.core.fault import FaultClass, ModelFault
from limen.core.route import Route
from limen.kit.pipeline import Gate

Refit = Callable[[ModelRequest, Route, bool], Awaitable[ModelRequest | None]]
"""Makes a request anew for a route, smaller than it was where that is asked (True); None where that cannot be."""


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


async def as_it_is(request: ModelRequest, route: Route, smaller: bool) -> ModelRequest | None:
    """The `Refit` of requests that have no history to fold: the same for another route, never smaller."""
    return None if smaller else msgspec.structs.replace(request, route=route)


class Attempts:
    """What one route has been given: requests `sent`, `retries` among them, seconds `waited_s` for it, and the `spent` keys that
    failed for themselves, each with the class of that. Counted over all its keys and whatever is sent anew, so that nothing
    multiplies."""

    def __init__(self) -> None:
        self.sent = 0
        self.retries = 0
        self.waited_s = 0.0
        self.spent: dict[str, FaultClass] = {}


class Unasked(ModelFault):
    """A route was not asked, since its keys rest and another route can answer."""


class Asking(msgspec.Struct, frozen=True):
    """One wish for a reply. `attempts` are those at the route of the request; `refit` makes the request for another route.

    `other_routes` and `other_keys` say that somebody else can be asked in place of waiting.
    """

    request: ModelRequest
    emit: Emit
    heard: Heard
    attempts: Attempts = msgspec.field(default_factory=Attempts)
    refit: Refit = as_it_is
    other_routes: bool = False
    other_keys: bool = False

    async def begin_anew(self, because: ModelFault, route: Route) -> None:
        """Call void what was shown of a reply, which `route` now gives from its beginning."""
        if self.heard.anything:
            self.heard.restart()
            await self.emit(ReplyRestarted(because=because.reason, route=route))


ProceedAsking = Callable[[Asking], Awaitable[ModelReply]]
ModelGate = Gate[Asking, ModelReply]
