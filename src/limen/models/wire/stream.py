"""From a request to its reply over HTTP: one way for every protocol."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import NamedTuple

import anyio
import httpx2

from limen.core.exchange import Alive, Delta, ModelReply, ModelRequest
from limen.core.route import Route
from limen.kit.secret.echo import Echoes
from limen.models import quirks
from limen.models.classify import fault_of_answer, fault_of_stranger, is_html, no_reply
from limen.models.wire.gathering import Gathering, at_its_cap
from limen.models.wire.http import Endpoint, masked_body, read_whole, silence
from limen.models.wire.masked_reply import MaskedReply

# One event may hold all of a call's arguments, such as a whole file; beyond this it is a flood.
_EVENT_BYTES = 16 * 1024 * 1024
_DRAIN_S = 0.5
# How an event begins, or a comment between events; and that there is one somewhere.
_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
_FIELD_BYTES = max(map(len, _FIELDS))
_EVENT = re.compile(rb"(?:\A|[\r\n])(?:\xef\xbb\xbf)?data:")
_STREAM = "text/event-stream"
_ALIVE = Alive()


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

    async def send(self, request: ModelRequest) -> AsyncIterator[Delta | Alive | ModelReply]:
        """Stream one reply: deltas, then the whole, both without the keys that may come back. A reply that was cut is a
        ModelFault, never a ModelReply."""
        body = self._dialect.encode(request)
        gathering = self._dialect.gathering(request.route, body)
        async with self._endpoint.post(request.route, self._dialect.path(request.route), body) as response:
            known = self._endpoint.known
            masked = MaskedReply(known)
            async with aclosing(_answer(response, gathering, self._endpoint.patience.silent_s, known)) as deltas:
                async for delta in deltas:
                    if isinstance(delta, Alive):
                        yield delta
                        continue
                    for shown in masked.shown(delta):
                        yield shown
            reply = masked.whole(gathering.finish())
        for shown in masked.rest():
            yield shown
        capped = self._dialect.hides_its_cap and quirks.NO_OUTPUT_LIMIT not in request.route.quirks
        yield at_its_cap(reply, request.output_tokens) if capped else reply


async def _answer(
    response: httpx2.Response, gathering: Gathering, silent_s: float, known: Echoes
) -> AsyncGenerator[Delta | Alive]:
    """The deltas of a stream, or of the one answer where the server did not stream, whatever either is labelled."""
    pieces = response.aiter_bytes()
    begun = await _beginning(pieces, silent_s) if _type(response) == _STREAM else None
    if begun is not None and _may_be_stream(begun):
        content: AsyncIterator[bytes] | bytes = _chained(begun, pieces)
    else:
        body = masked_body((begun or b"") + await read_whole(pieces, silent_s), known)
        if is_html(_type(response), body):
            raise fault_of_answer(response.status_code, response.headers, body)
        if _type(response) == "application/json" or body.lstrip()[:1] == b"{":
            for delta in gathering.add_whole(body):
                yield delta
            return
        if not body.strip() and begun is None:
            raise no_reply(f"the answer is empty (HTTP {response.status_code})")
        if body.strip() and _EVENT.search(body) is None:
            raise fault_of_stranger(response.status_code, _type(response), body)
        content = body
    stream = httpx2.Response(200, content=content, headers={"content-type": _STREAM}, request=response.request)
    async with aclosing(_deltas(_events(stream, silent_s, known), gathering)) as deltas:
        async for item in deltas:
            yield item


async def _beginning(pieces: AsyncIterator[bytes], silent_s: float) -> bytes:
    """As much of a body as tells whether it is a stream of events."""
    begun = b""
    with anyio.move_on_after(silent_s) as waiting:
        while len(_bare(begun)) < _FIELD_BYTES and _may_be_stream(begun):
            piece = await anext(pieces, None)
            if piece is None:
                break
            begun += piece
    if waiting.cancelled_caught:
        raise silence(silent_s)
    return begun


def _may_be_stream(begun: bytes) -> bool:
    start = _bare(begun)
    return any(field.startswith(start[: len(field)]) for field in _FIELDS)


def _bare(begun: bytes) -> bytes:
    return begun.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")


async def _chained(begun: bytes, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield begun
    async for piece in pieces:
        yield piece


async def _deltas(stream: AsyncGenerator[str], gathering: Gathering) -> AsyncGenerator[Delta | Alive]:
    async with aclosing(stream):
        try:
            async for data in stream:
                nothing = True
                for delta in gathering.add(data):
                    nothing = False
                    yield delta
                if gathering.closed:
                    await _drain(stream)
                    return
                if nothing:
                    yield _ALIVE
        except httpx2.HTTPError:
            if not gathering.ended:
                raise


async def _drain(stream: AsyncIterator[str]) -> None:
    """Read to the end of the body, which is near, so that the connection can be used again."""
    with anyio.move_on_after(_DRAIN_S):
        async for _ in stream:
            pass


async def _events(response: httpx2.Response, silent_s: float, known: Echoes) -> AsyncGenerator[str]:
    """The data of each event without known keys, read as the format says: UTF-8, whatever the header calls it. Signs of life are
    left out."""
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
        yield known.masked(data)


def _type(response: httpx2.Response) -> str:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()
