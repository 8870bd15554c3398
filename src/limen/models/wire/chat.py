"""The wire `chat_completions`: OpenAI's protocol, as many servers speak it."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

import anyio
import httpx2
import msgspec

from limen.core.exchange import Delta, ModelReply, ModelRequest
from limen.models.classify import fault, fault_of_answer, is_html
from limen.models.wire.chat_body import encode
from limen.models.wire.chat_reply import ReplyGathering
from limen.models.wire.chat_shapes import AnswerShape, decode
from limen.models.wire.http import Endpoint, read_whole

# One event may hold all of a call's arguments, such as a whole file; beyond this it is a flood.
_EVENT_BYTES = 16 * 1024 * 1024
_DONE = "[DONE]"
_DRAIN_S = 0.5


class ChatWire:
    """Speaks Chat Completions to any endpoint. Requests must have passed `models.history`."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def send(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        """Stream one reply: deltas, then the whole. A reply that was cut is a ModelFault, never a ModelReply."""
        body = encode(request)
        gathering = ReplyGathering(request.route, body)
        async with (
            self._endpoint.post(request.route, "/chat/completions", body) as response,
            aclosing(_answers(response, gathering)) as answers,
        ):
            async for answer in answers:
                for delta in gathering.add(answer):
                    yield delta
        yield gathering.finish()


async def _answers(response: httpx2.Response, gathering: ReplyGathering) -> AsyncGenerator[AnswerShape]:
    """The chunks of a stream, or the one answer where the server did not stream."""
    if _type(response) == "text/event-stream":
        events = response
    else:
        body = await read_whole(response)
        if is_html(_type(response), body):
            raise fault_of_answer(response.status_code, response.headers, body)
        if _type(response) == "application/json" or body.lstrip()[:1] == b"{":
            yield _read(body)
            gathering.close()
            return
        events = httpx2.Response(200, content=body, request=response.request)  # a stream that somebody on the way relabelled
    async with aclosing(_events(events)) as stream:
        try:
            async for data in stream:
                if data.strip() == _DONE:
                    gathering.close()
                    await _drain(stream)
                    return
                yield _read(data)
        except httpx2.HTTPError:
            if not gathering.ended:
                raise


async def _drain(stream: AsyncIterator[str]) -> None:
    """Read to the end of the body, which is near, so that the connection can be used again."""
    with anyio.move_on_after(_DRAIN_S):
        async for _ in stream:
            pass


async def _events(response: httpx2.Response) -> AsyncGenerator[str]:
    """The data of each event, read as the format says: UTF-8, whatever the header calls it."""
    response.headers["content-type"] = "text/event-stream"
    response.encoding = "utf-8-sig"
    async for event in httpx2.EventSource(response, max_event_size=_EVENT_BYTES):
        if event.data:
            yield event.data


def _type(response: httpx2.Response) -> str:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


def _read(data: str | bytes) -> AnswerShape:
    try:
        return decode(data)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise fault("upstream", f"the answer cannot be read: {error}") from error
