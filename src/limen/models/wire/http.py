"""The way to a provider over HTTP: the right key or none, no redirects, and every failure a ModelFault without a secret in it."""

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

import anyio
import httpx2
import msgspec

from limen.core.fault import ModelFault, Refusal
from limen.core.route import Route
from limen.kit.redact import SecretTable
from limen.kit.secret.echo import Echoes
from limen.models.classify import UNSENT, fault, fault_of_answer, no_reply
from limen.models.credentials import Key, Keyring
from limen.net.client import Refused
from limen.net.failure import explain
from limen.net.url import SafeUrl, parse

# How much of an error's body is read: enough for any message, too little to be flooded with.
_ERROR_BYTES = 64 * 1024
# How long an error's body is waited for; what has come by then must do.
_ERROR_S = 30.0
_WHOLE_BYTES = 32 * 1024 * 1024
_ANTHROPIC_VERSION = "2023-06-01"
"""The version of the protocol that every server of it takes; the vendor keeps each version as it is."""

ClientFor = Callable[[Route], httpx2.AsyncClient]


class Patience(msgspec.Struct, frozen=True):
    """How long to wait, in seconds. `idle_s` is between two pieces of an answer, not for the whole: a large prompt or long
    thinking keeps a model silent for minutes. `silent_s` is how long an answer may be kept alive without a word in it. `list_s`
    is for all of an answer to what an endpoint serves, which no model is needed for."""

    connect_s: float = 10.0
    idle_s: float = 300.0
    silent_s: float = 900.0
    list_s: float = 10.0


class Endpoint:
    """Sends requests to routes' endpoints. `client_for` gives the client for a route, which must follow no redirects; what
    `table` knows is masked in failures and in lists, and whoever reads a reply masks it there."""

    def __init__(
        self, client_for: ClientFor, keys: Keyring, patience: Patience | None = None, table: SecretTable | None = None
    ) -> None:
        self.patience = patience = patience or Patience()
        self._client_for = client_for
        self._keys = keys
        self._table = table or SecretTable()
        self._timeout = httpx2.Timeout(patience.idle_s, connect=patience.connect_s)

    @property
    def known(self) -> Echoes:
        """The keys that may have been sent up to now."""
        return self._table.known

    @asynccontextmanager
    async def post(self, route: Route, path: str, body: bytes) -> AsyncIterator[httpx2.Response]:
        """The streaming answer to a JSON body, once its status is a success. Errors while it is read are mapped as well."""
        headers = {"content-type": "application/json", "accept": "text/event-stream, application/json"}
        async with self._exchange("POST", route, path, headers, body) as response:
            yield response

    async def get(self, route: Route, path: str) -> bytes:
        """The whole answer to a GET. Raises ModelFault, of the class network where it takes too long."""
        list_s = self.patience.list_s
        with anyio.move_on_after(list_s):
            async with self._exchange("GET", route, path, {"accept": "application/json"}, None) as response:
                return masked_body(await read_whole(response.aiter_bytes(), list_s), self.known)
        raise fault("network", f"{route.endpoint} did not say within {list_s:g} s what it serves")

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
            async with aclosing(await self._begun(method, route, url, body, headers)) as response:
                if not response.is_success:
                    raise await self._fault_of(response)
                yield response
        except ModelFault as error:
            raise _scrubbed(error, key, self.known) from None
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            # A cause is for whoever debugs; it may quote what a server echoed, so there is none beside a key.
            raise _scrubbed(_network_fault(error, url), key, self.known) from (error if key is None else None)

    async def _fault_of(self, response: httpx2.Response) -> ModelFault:
        """What an answer says that is an error. It is masked before it is cut to a length: half a key is found nowhere."""
        said, _ = await _head(response.aiter_bytes(), _ERROR_BYTES, min(self.patience.idle_s, _ERROR_S))
        headers = httpx2.Headers([(name, masked_body(value, self.known)) for name, value in response.headers.raw])
        return fault_of_answer(response.status_code, headers, masked_body(said, self.known))

    async def _begun(
        self, method: str, route: Route, url: SafeUrl, body: bytes | None, headers: dict[str, str]
    ) -> httpx2.Response:
        """The answer, as far as its head."""
        client = self._client_for(route)
        request = client.build_request(method, url.request_url, content=body, headers=headers, timeout=self._timeout)
        with anyio.move_on_after(self.patience.silent_s):
            return await client.send(request, stream=True, follow_redirects=False)
        raise silence(self.patience.silent_s)


def silence(silent_s: float) -> ModelFault:
    """The fault of an answer that is kept alive and says nothing."""
    return fault("network", f"the connection was kept alive for {silent_s:g} s without a word of the reply")


async def read_whole(pieces: AsyncIterator[bytes], within_s: float) -> bytes:
    """A body up to 32 MiB. Raises ModelFault: of the class reply when it is longer, network when it does not come to an end."""
    body, ended = await _head(pieces, _WHOLE_BYTES + 1, within_s)
    if not ended:
        raise silence(within_s)
    if len(body) > _WHOLE_BYTES:
        raise no_reply(f"the answer is longer than {_WHOLE_BYTES:,} bytes")
    return body


def masked_body(body: bytes, known: Echoes) -> bytes:
    """A body without known keys, the very bytes where it holds none."""
    text = body.decode("utf-8", "surrogateescape") if known else ""
    return known.masked(text).encode("utf-8", "surrogateescape") if known.find(text) else body


async def _head(pieces: AsyncIterator[bytes], limit_bytes: int, within_s: float) -> tuple[bytes, bool]:
    """The beginning of a body, and whether no more was to be waited for."""
    taken: list[bytes] = []
    size = 0
    with anyio.move_on_after(within_s) as waiting:
        async for piece in pieces:
            taken.append(piece)
            size += len(piece)
            if size >= limit_bytes:
                break
    return b"".join(taken)[:limit_bytes], not waiting.cancelled_caught


def _url(route: Route, path: str) -> SafeUrl:
    parsed = parse(route.endpoint.rstrip("/") + path)
    if isinstance(parsed, Refusal):
        raise fault("shape", f"the endpoint of {route.provider} cannot be used: {parsed.reason}", mend=parsed.mend, status=UNSENT)
    return parsed


def _network_fault(error: httpx2.HTTPError | httpx2.StreamError, url: SafeUrl) -> ModelFault:
    if isinstance(error, Refused):
        return fault("shape", error.refusal.reason, mend=error.refusal.mend, status=UNSENT)
    if isinstance(error, httpx2.SSEError):
        return no_reply(f"the stream of events cannot be read: {str(error).rstrip('.')}")
    if isinstance(error, httpx2.StreamError):
        return fault("network", f"{url.origin} could not be read: {error}")
    return fault("network", explain(error, url.origin).reason)


def _scrubbed(error: ModelFault, key: Key | None, known: Echoes) -> ModelFault:
    reason, mend = known.masked(error.reason), known.masked(error.mend)
    if key is not None:  # one that is too much like a word to be looked for everywhere
        reason, mend = key.scrub(reason), key.scrub(mend)
    return ModelFault(error.kind, reason, mend, error.status, error.retry_after_s)
