"""The way to a provider over HTTP: the right key or none, no redirects, and every failure a ModelFault without a secret in it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx2
import msgspec

from limen.core.fault import ModelFault, Refusal
from limen.core.route import Route
from limen.models.classify import UNSENT, fault, fault_of_answer, no_reply
from limen.models.credentials import Key, Keyring
from limen.net.client import Refused
from limen.net.failure import explain
from limen.net.url import SafeUrl, parse

# How much of an error's body is read: enough for any message, too little to be flooded with.
_ERROR_BYTES = 64 * 1024
_WHOLE_BYTES = 32 * 1024 * 1024
_ANTHROPIC_VERSION = "2023-06-01"
"""The version of the protocol that every server of it takes; the vendor keeps each version as it is."""

ClientFor = Callable[[Route], httpx2.AsyncClient]


class Patience(msgspec.Struct, frozen=True):
    """How long to wait, in seconds. `idle_s` is between two pieces of an answer, not for the whole: a large prompt or long
    thinking keeps a model silent for minutes."""

    connect_s: float = 10.0
    idle_s: float = 300.0


class Endpoint:
    """Sends requests to routes' endpoints. `client_for` gives the client for a route, which must follow no redirects."""

    def __init__(self, client_for: ClientFor, keys: Keyring, patience: Patience | None = None) -> None:
        patience = patience or Patience()
        self._client_for = client_for
        self._keys = keys
        self._timeout = httpx2.Timeout(patience.idle_s, connect=patience.connect_s)

    @asynccontextmanager
    async def post(self, route: Route, path: str, body: bytes) -> AsyncIterator[httpx2.Response]:
        """The streaming answer to a JSON body, once its status is a success. Errors while it is read are mapped as well."""
        headers = {"content-type": "application/json", "accept": "text/event-stream, application/json"}
        async with self._exchange("POST", route, path, headers, body) as response:
            yield response

    async def get(self, route: Route, path: str) -> bytes:
        """The whole answer to a GET."""
        async with self._exchange("GET", route, path, {"accept": "application/json"}, None) as response:
            return await read_whole(response)

    @asynccontextmanager
    async def _exchange(
        self, method: str, route: Route, path: str, headers: dict[str, str], body: bytes | None
    ) -> AsyncIterator[httpx2.Response]:
        url = _url(route, path)
        await self._keys.ready(route.credential)
        key = self._keys.key_for(route.credential, str(url))
        if route.wire == "anthropic_messages":
            headers = {**headers, "anthropic-version": _ANTHROPIC_VERSION}
        if key is not None:
            headers = {**headers, **key.headers(route)}
        try:
            async with self._client_for(route).stream(
                method, url.request_url, content=body, headers=headers, timeout=self._timeout, follow_redirects=False
            ) as response:
                if not response.is_success:
                    raise fault_of_answer(response.status_code, response.headers, await _head(response, _ERROR_BYTES))
                yield response
        except ModelFault as error:
            raise _scrubbed(error, key) from None
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            # A cause is for whoever debugs; it may quote what a server echoed, so there is none beside a key.
            raise _scrubbed(_network_fault(error, url), key) from (error if key is None else None)


async def read_whole(response: httpx2.Response) -> bytes:
    """A body up to 32 MiB. Raises ModelFault of the class reply when it is longer."""
    body = await _head(response, _WHOLE_BYTES + 1)
    if len(body) > _WHOLE_BYTES:
        raise no_reply(f"the answer is longer than {_WHOLE_BYTES:,} bytes")
    return body


async def _head(response: httpx2.Response, limit_bytes: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size >= limit_bytes:
            break
    return b"".join(pieces)[:limit_bytes]


def _url(route: Route, path: str) -> SafeUrl:
    parsed = parse(route.endpoint.rstrip("/") + path)
    if isinstance(parsed, Refusal):
        raise fault("shape", f"the endpoint of {route.provider} cannot be used: {parsed.reason}", mend=parsed.mend, status=UNSENT)
    return parsed


def _network_fault(error: httpx2.HTTPError | httpx2.StreamError, url: SafeUrl) -> ModelFault:
    if isinstance(error, Refused):
        return fault("shape", error.refusal.reason, mend=error.refusal.mend, status=UNSENT)
    if isinstance(error, httpx2.StreamError):
        return fault("network", f"{url.origin} could not be read: {error}")
    return fault("network", explain(error, url.origin).reason)


def _scrubbed(error: ModelFault, key: Key | None) -> ModelFault:
    if key is None:
        return error
    return ModelFault(error.kind, key.scrub(error.reason), key.scrub(error.mend), error.status, error.retry_after_s)
