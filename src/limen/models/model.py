"""The model as a turn sees it: a request goes in, what is said comes out as events, and in the end the whole reply."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
import msgspec

from limen.core.context import Emit
from limen.core.event import ReplyDelta, ReplyFinished
from limen.core.exchange import Alive, Delta, ModelReply, ModelRequest, PartialReply, ThinkingDelta
from limen.core.ports import Wire
from limen.core.route import WireName
from limen.kit.beside import beside
from limen.kit.pipeline import pipeline
from limen.models.asking import Asking, Heard, ModelGate, Refit, as_it_is
from limen.models.classify import UNSENT, fault
from limen.models.pricing import priced
from limen.models.silence import Signs, Silence
from limen.models.spending import Books


class Model:
    """Sends requests over the wire that their route names, through the model gates. Whoever asks, `books` are kept of it, and
    `signs` given of a server that says nothing."""

    def __init__(
        self,
        wires: Mapping[WireName, Wire],
        gates: Sequence[ModelGate],
        books: Books | None = None,
        signs: Signs | None = None,
    ) -> None:
        self._wires = wires
        self._books = books
        self._signs = signs or Signs()
        self._proceed = pipeline(gates, self._send)

    async def ask(
        self, request: ModelRequest, emit: Emit, partial: PartialReply | None = None, refit: Refit = as_it_is
    ) -> ModelReply:
        """Get one reply; its deltas and its end are emitted. Raises ModelFault.

        `partial` gathers what was said, so that whoever cancels this call can keep it. `refit` makes the request for another
        route, or smaller.
        """
        heard = Heard(partial if partial is not None else PartialReply())
        reply = priced(await self._proceed(Asking(request, emit, heard, refit=refit)))
        if self._books is not None:
            with anyio.CancelScope(shield=True):  # it is paid for, whoever still waits
                await self._books.book(reply)
        await emit(ReplyFinished(reply.blocks, reply.stop, reply.usage, reply.route, reply.attempts, reply.failed, reply.cache))
        return reply

    async def _send(self, asking: Asking) -> ModelReply:
        request = asking.request
        wire = self._wires.get(request.route.wire)
        if wire is None:
            raise fault("shape", f"no wire {request.route.wire} is built in, which {request.route.name} needs", status=UNSENT)
        asking.attempts.sent += 1
        reply: ModelReply | None = None
        silence = Silence(asking, self._signs)
        async with beside(silence.tell, "model.silence_untold"), _closing(wire.send(request)) as stream:
            async for item in stream:
                silence.broken()
                if isinstance(item, ModelReply):
                    reply = item
                elif not isinstance(item, Alive):
                    asking.heard.add(item)
                    await asking.emit(ReplyDelta(item.text, thinking=isinstance(item, ThinkingDelta)))
        if reply is None:
            raise fault("upstream", f"{request.route.name} ended its stream without a reply")
        return msgspec.structs.replace(reply, attempts=asking.attempts.sent)


@asynccontextmanager
async def _closing(stream: AsyncIterator[Delta | Alive | ModelReply]) -> AsyncIterator[AsyncIterator[Delta | Alive | ModelReply]]:
    """Closes a wire's stream, and with it the connection, at once when the block is left, also by cancellation."""
    try:
        yield stream
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
