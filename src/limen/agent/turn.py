"""The turn: one loop that asks the model, runs its tools and admits what comes back, until it has answered."""

from collections.abc import Sequence
from typing import Protocol

import anyio
import msgspec

from limen.agent.limits import Meter
from limen.agent.toolbox import Outcomes, Toolbox, not_run
from limen.agent.window import Window
from limen.core.context import CallContext, Emit
from limen.core.event import TurnEndReason
from limen.core.exchange import ModelReply, ModelRequest, PartialReply
from limen.core.fault import ModelFault, Refusal
from limen.core.ledger import Origin, Trust
from limen.core.message import Text, ToolCall
from limen.core.route import Route
from limen.models.asking import Refit
from limen.models.fallback import Start
from limen.models.spending import beyond

# How long an interrupted turn may take to keep what was said.
_GRACE_S = 5.0
# How much of a history that did not fit is tried next.
_SMALLER = 0.9
# A model that is cut so often in a row is babbling, not answering.
_CUT_REPLIES = 3
# One tool result may fill this share of the window, all that one reply asked for together the other.
_RESULT_SHARE = 0.25
_RESULTS_SHARE = 0.5


class AsksModel(Protocol):
    """Whatever gets a reply for a request, past all model gates. Raises ModelFault.

    `refit` makes the request anew for another route, or smaller; None where that cannot be.
    """

    async def ask(self, request: ModelRequest, emit: Emit, partial: PartialReply, refit: Refit) -> ModelReply: ...


class TurnEnd(msgspec.Struct, frozen=True):
    """How a turn ended; `code`, `text` and `mend` explain any reason but `answered`."""

    reason: TurnEndReason
    code: str | None = None
    text: str = ""
    mend: str = ""

    @classmethod
    def refusal(cls, reason: TurnEndReason, refusal: Refusal) -> "TurnEnd":
        return cls(reason, refusal.code, refusal.reason, refusal.mend)


class Inbox:
    """Steering: what a person adds while the turn runs."""

    def __init__(self) -> None:
        self._messages: list[str] = []
        self._closed = False

    def put(self, text: str) -> bool:
        """Leave a message; False where the turn has ended and nobody would see it."""
        if not self._closed:
            self._messages.append(text)
        return not self._closed

    def take(self) -> list[str]:
        """Everything that arrived since the last take."""
        taken, self._messages = self._messages, []
        return taken

    def close(self) -> list[str]:
        """Take nothing any more; the messages that nobody has taken."""
        self._closed = True
        return self.take()


class Turn:
    """One turn over a loaded window whose user message has been admitted."""

    def __init__(
        self, window: Window, model: AsksModel, toolbox: Toolbox, inbox: Inbox, meter: Meter, start: Start, context: CallContext
    ) -> None:
        self._window = window
        self._model = model
        self._toolbox = toolbox
        self._inbox = inbox
        self._meter = meter
        self.route, self.course = start.route, start.course
        self._context = context
        self._partial = PartialReply()
        self._speaker = start
        self._owed: Sequence[ToolCall] = ()
        self._outcomes: Outcomes = []

    async def run(self, emit: Emit) -> TurnEnd:
        """Run to an answer or a limit. Cancellation keeps the partial reply and gives every open call a result."""
        cut = 0
        try:
            while (limit := await self._meter.refusal(self.route)) is None:
                await self._window.make_room(self.route.window_tokens, emit)
                request = self._request()
                if (limit := beyond(request)) is not None:
                    return TurnEnd.refusal("limit", limit)
                reply = await self._ask(request, emit)
                await self._admit_reply(reply, emit)
                await self._run_tools(reply, emit)
                steering = await self._steer(emit)
                if reply.stop == "filter":
                    return TurnEnd("failed", "model.filter", "The provider's filter stopped the reply.")
                if reply.complete and not steering:
                    if (overrun := self._meter.overrun()) is not None:
                        await emit(overrun)
                    return TurnEnd("answered")
                cut = cut + 1 if reply.stop == "length" else 0
                if cut == _CUT_REPLIES:
                    text = f"The model filled {cut} replies of {self.route.output_tokens:,} tokens without coming to an end."
                    return TurnEnd("limit", "model.length", text, "limen config set limits.output_tokens NUMBER")
            return await self._close(limit, emit)
        except anyio.get_cancelled_exc_class():
            with anyio.move_on_after(_GRACE_S, shield=True):
                await self._keep_what_was_said(emit)
            raise
        except ModelFault:
            await self._keep_what_was_said(emit)
            raise

    def _request(self) -> ModelRequest:
        request = self._window.request(self.route, may_call=self._toolbox.may_call)
        return msgspec.structs.replace(request, course=self.course, left=self._meter.left)

    async def _ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        self._partial, self._speaker = PartialReply(), Start(request.route, request.course)

        async def refit(request: ModelRequest, route: Route, smaller: bool) -> ModelRequest | None:
            before = self._window.tokens
            # A provider that counts differently than we do has just refused this much.
            await self._window.make_room(int(before * _SMALLER) if smaller else route.window_tokens, emit)
            if self._window.tokens >= (before if smaller else route.window_tokens):
                return None
            self._speaker = Start(route, request.course)
            refitted = self._window.request(route, may_call=request.may_call)
            return msgspec.structs.replace(refitted, course=request.course, left=request.left)

        reply = await self._model.ask(request, emit, self._partial, refit)
        self.route, self.course = reply.route, reply.course
        self._meter.spend(reply.usage)
        if (unpriced := self._meter.unpriced(reply)) is not None:
            await emit(unpriced)
        self._window.note_sent(reply.cache)
        return reply

    async def _admit_reply(self, reply: ModelReply, emit: Emit) -> None:
        origin = Origin("model", reply.route.name, Trust.lowest(self._window.trust, Trust.TOOL))
        with anyio.CancelScope(shield=True):
            await self._window.admit(*[(block, [origin]) for block in reply.blocks], role="assistant", emit=emit)
            self._partial = PartialReply()
            self._owed = tuple(block for block in reply.blocks if isinstance(block, ToolCall))
            self._outcomes = [None] * len(self._owed)

    async def _run_tools(self, reply: ModelReply, emit: Emit) -> None:
        calls = reply.tool_calls
        if calls:
            context = msgspec.structs.replace(
                self._context,
                window_trust=self._window.trust,
                seen_urls=self._window.shown,
                said=self._window.said,
                emit=emit,
                asked_by=reply.route.name,
                asked_for=reply.failed[0].route if reply.failed else "",
            )
            room_tokens = int(self.route.window_tokens * min(_RESULT_SHARE, _RESULTS_SHARE / len(calls)))
            await self._toolbox.run(calls, context, emit, self._outcomes, room_tokens=room_tokens)
        await self._settle("model.cut_reply", "The reply was cut, so this call was not run. Ask again.", emit)

    async def _settle(self, code: str, reason: str, emit: Emit) -> None:
        """Admit a result for every call: its outcome, or for one that has none why there is none."""
        if not self._owed:
            return
        owed = zip(self._owed, self._outcomes, strict=True)
        with anyio.CancelScope(shield=True):
            outcomes = [outcome or not_run(call, code, reason) for call, outcome in owed]
            await self._window.admit(*[(outcome.block, outcome.origins) for outcome in outcomes], role="tool", emit=emit)
            self._owed, self._outcomes = (), []

    async def _steer(self, emit: Emit) -> list[str]:
        messages = self._inbox.take()
        if messages:
            origin = Origin("steering", "steering", Trust.USER)
            with anyio.CancelScope(shield=True):
                await self._window.admit(*[(Text(text), [origin]) for text in messages], role="user", emit=emit)
        return messages

    async def _close(self, limit: Refusal, emit: Emit) -> TurnEnd:
        """A last reply without tools, so that work already done is not lost."""
        request = msgspec.structs.replace(self._request(), may_call=False)
        if limit.code == "limits.steps" and beyond(request) is None:
            await self._admit_reply(await self._ask(request, emit), emit)
            await self._settle(limit.code, limit.reason, emit)
        return TurnEnd.refusal("limit", limit)

    async def _keep_what_was_said(self, emit: Emit) -> None:
        origin = Origin("model", self._speaker.route.name, Trust.lowest(self._window.trust, Trust.TOOL))
        said = self._partial.blocks()
        if said:
            self.route, self.course = self._speaker.route, self._speaker.course
            await self._window.admit(*[(block, [origin]) for block in said], role="assistant", emit=emit)
        self._partial = PartialReply()
        await self._settle("turn.interrupted", "The turn was interrupted before this call ended.", emit)
