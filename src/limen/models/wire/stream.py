"""From a request to its reply over HTTP: one way for every protocol."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import NamedTuple

import anyio
import httpx2

from limen.core.exchange import Delta, ModelReply, ModelRequest
from limen.core.route import Route
from limen.models import quirks
from limen.models.classify import fault_of_answer, is_html
from limen.models.wire.gathering import Gathering, at_its_cap
from limen.models.wire.http import Endpoint, read_whole, silence

# One event may hold all of a call's arguments, such as a whole file; beyond this it is a flood.
_EVENT_BYTES = 16 * 1024 * 1024
_DRAIN_S = 0.5


class Dialect(NamedTuple):
    """How one protocol is spoken: the path below a route's endpoint, a request's bytes, and what gathers the answer to them.

    With `hides_its_cap` some server calls a reply complete that filled its limit.
    """

    path: Callable[[Route], str]
    encode: Callable[[ModelRequest], bytes]
    gathering: Callable[[Route, bytes], Gathering]
    hides_its_cap: bool = False


class HttpWire:
    """Speaks one dialect to any endpoint. Requests must have passed `models.history`."""

    def __init__(self, endpoint: Endpoint, dialect: Dialect) -> None:
        self._endpoint = endpoint
        self._dialect = dialect

    async def send(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        """Stream one reply: deltas, then the whole. A reply that was cut is a ModelFault, never a ModelReply."""
        body = self._dialect.encode(request)
        gathering = self._dialect.gathering(request.route, body)
        async with (
            self._endpoint.post(request.route, self._dialect.path(request.route), body) as response,
            aclosing(_deltas(response, gathering, self._endpoint.patience.silent_s)) as deltas,
        ):
            async for delta in deltas:
                yield delta
        reply = gathering.finish()
        capped = self._dialect.hides_its_cap and quirks.NO_OUTPUT_LIMIT not in request.route.quirks
        yield at_its_cap(reply, request.output_tokens) if capped else reply


async def _deltas(response: httpx2.Response, gathering: Gathering, silent_s: float) -> AsyncGenerator[Delta]:
    """The deltas of a stream, or of the one answer where the server did not stream."""
    if _type(response) == "text/event-stream":
        events = response
    else:
        body = await read_whole(response, silent_s)
        if is_html(_type(response), body):
            raise fault_of_answer(response.status_code, response.headers, body)
        if _type(response) == "application/json" or body.lstrip()[:1] == b"{":
            for delta in gathering.add_whole(body):
                yield delta
            return
        events = httpx2.Response(200, content=body, request=response.request)  # a stream that somebody on the way relabelled
    async with aclosing(_events(events, silent_s)) as stream:
        try:
            async for data in stream:
                for delta in gathering.add(data):
                    yield delta
                if gathering.closed:
                    await _drain(stream)
                    return
        except httpx2.HTTPError:
            if not gathering.ended:
                raise


async def _drain(stream: AsyncIterator[str]) -> None:
    """Read to the end of the body, which is near, so that the connection can be used again."""
    with anyio.move_on_after(_DRAIN_S):
        async for _ in stream:
            pass


async def _events(response: httpx2.Response, silent_s: float) -> AsyncGenerator[str]:
    """The data of each event, read as the format says: UTF-8, whatever the header calls it. Signs of life are left out."""
    response.headers["content-type"] = "text/event-stream"
    response.encoding = "utf-8-sig"
    events = aiter(httpx2.EventSource(response, max_event_size=_EVENT_BYTES))
    while True:
        data = ""
        with anyio.move_on_after(silent_s) as waiting:
            while not data:
                event = await anext(events, None)
                if event is None:
                    return
                data = "" if event.event == "ping" else event.data
        if waiting.cancelled_caught:
            raise silence(silent_s)
        yield data


def _type(response: httpx2.Response) -> str:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()
