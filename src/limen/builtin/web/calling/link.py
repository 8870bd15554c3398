"""The way to one vendor's API: bounded in bytes and time, the key only where it belongs, every failure a refusal."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple, TypeVar

import anyio
import httpx2
import msgspec

from limen.builtin.web.calling.key import VendorKey, scrubbed
from limen.builtin.web.calling.refusing import Area, Kind, kind_of_status, refuse, said_in
from limen.builtin.web.calling.reply import decode, results_of
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.waiting import Stopped, interrupted, within
from limen.kit.retry_after import retry_after_s
from limen.net.failure import explain
from limen.net.url import SafeUrl, parse

Shape = TypeVar("Shape")
ClientFactory = Callable[[], httpx2.AsyncClient]

_ERROR_BYTES = 64 * 1024
_CODINGS = ("gzip", "deflate", "identity", "")


class Limits(msgspec.Struct, frozen=True):
    """What one request may cost. `max_bytes` counts the decompressed answer, `timeout_s` the whole exchange, of which
    `connect_s` may go by until there is a connection."""

    timeout_s: float = 30.0
    max_bytes: int = 10_000_000
    connect_s: float = 10.0


class Ask(msgspec.Struct, frozen=True):
    """One request: a path under the vendor's base URL; a JSON body makes it a POST."""

    path: str
    query: Mapping[str, str | int] = {}
    body: Any = None
    headers: Mapping[str, str] = {}


class Reply(NamedTuple):
    """A vendor's answer, whatever its status. Header names are case-insensitive."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Broken(Enum):
    """Why a successful answer was not read."""

    TOO_LARGE = "too_large"
    ENCODING = "encoding"


Classify = Callable[[Reply], Kind | None]


class Link:
    """Sends requests to one vendor. `client` gives a client of `limen.net.client`, which follows no redirects.

    `key_header` is the header that carries the key. `classify` says what an answer means where a vendor uses a status in a way
    of its own; None leaves it to the status.
    """

    def __init__(
        self,
        name: str,
        client: ClientFactory,
        base_url: str,
        key: VendorKey | None = None,
        key_header: str = "authorization",
        limits: Limits | None = None,
        classify: Classify = lambda reply: None,
    ) -> None:
        self.name = name
        self.key = key
        self.limits = limits or Limits()
        self._client = client
        self._base_url = base_url.rstrip("/")
        self._key_header = key_header
        self._classify = classify

    async def send(self, ask: Ask, area: Area, context: CallContext) -> Reply | Refusal:
        """The answer, once its status is a success; a refusal with a code of the area or of the network otherwise."""
        url = parse(f"{self._base_url}{ask.path}")
        if isinstance(url, Refusal):
            return self._renamed(url)
        headers = {"accept": "application/json", **ask.headers, "accept-encoding": "gzip"}
        if self.key is not None:
            if not self.key.may_go(url):
                reason = f"The key of {self.name} is not sent to {url.origin}: it belongs to {self.key.homes()}."
                return refuse(area, "key_host", self.name, reason)
            name, value = self.key.header(self._key_header)
            headers[name] = value
        try:
            reply = await within(lambda: self._exchange(url, ask, headers), context, self.limits.timeout_s)
        except UnicodeEncodeError:
            return refuse(area, "request", self.name, "The request holds characters that stand for nothing and cannot be sent.")
        except httpx2.HTTPError as error:
            return scrubbed(self._renamed(explain(error, url.host)), self.key)
        if reply is Stopped.INTERRUPTED:
            return interrupted(self.name)
        if isinstance(reply, Stopped):
            return self._renamed(explain(TimeoutError(), url.host))
        if isinstance(reply, _Broken):
            return self._unreadable(area, reply, url)
        return reply if 200 <= reply.status < 300 else self._refused(area, reply, url)

    async def ask(self, ask: Ask, shape: type[Shape], area: Area, context: CallContext) -> Shape | Refusal:
        """The answer's JSON as `shape`."""
        reply = await self.send(ask, area, context)
        return reply if isinstance(reply, Refusal) else decode(reply.body, shape, area, self.name)

    async def results(self, ask: Ask, shape: type[Shape], area: Area, context: CallContext) -> list[Shape] | Refusal:
        """The entries under `results` in the answer's JSON, each as `shape`."""
        reply = await self.send(ask, area, context)
        return reply if isinstance(reply, Refusal) else results_of(reply.body, shape, area, self.name)

    async def _exchange(self, url: SafeUrl, ask: Ask, headers: dict[str, str]) -> Reply | _Broken:
        method, content = "GET", None
        if ask.body is not None:
            method, content = "POST", msgspec.json.encode(ask.body)
            headers["content-type"] = "application/json"
        client = self._client()
        request = client.build_request(
            method,
            url.request_url,
            params=dict(ask.query) or None,
            content=content,
            headers=headers,
            timeout=httpx2.Timeout(self.limits.timeout_s, connect=min(self.limits.connect_s, self.limits.timeout_s)),
        )
        response = await client.send(request, stream=True, follow_redirects=False)
        try:
            return await self._read(response)
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()

    async def _read(self, response: httpx2.Response) -> Reply | _Broken:
        if response.headers.get("content-encoding", "").strip().lower() not in _CODINGS:
            return _Broken.ENCODING  # one coding only: each further layer multiplies what a small body can cost
        limit = self.limits.max_bytes if response.is_success else _ERROR_BYTES
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > limit:
                if response.is_success:
                    return _Broken.TOO_LARGE
                break
        said = bytes(body) if self.key is None else self.key.scrub_body(bytes(body))
        return Reply(response.status_code, response.headers, said)

    def _refused(self, area: Area, reply: Reply, url: SafeUrl) -> Refusal:
        kind = self._classify(reply) or kind_of_status(reply.status)
        said = said_in(reply.body)
        detail: dict[str, Any] = {"status": reply.status}
        wait_s = retry_after_s(reply.headers) if kind in ("rate_limited", "quota", "failed") else None
        if wait_s is not None:
            detail["retry_after_s"] = wait_s
        if kind == "redirected":
            return refuse(area, kind, self.name, f"{url.host} redirects; nothing was sent on.", detail=detail)
        words = f": {said}" if said else ""
        wait = f" It takes requests again in {wait_s:.0f} s." if wait_s is not None else ""
        return refuse(area, kind, self.name, f"{self.name} answered with status {reply.status}{words}.{wait}", detail=detail)

    def _unreadable(self, area: Area, kind: _Broken, url: SafeUrl) -> Refusal:
        if kind is _Broken.TOO_LARGE:
            reason = f"{url.host} sends more than {self.limits.max_bytes:,} bytes."
            return refuse(area, "too_large", self.name, reason)
        return refuse(area, "malformed", self.name, f"{url.host} sent a body in an encoding that was not asked for.")

    def _renamed(self, refusal: Refusal) -> Refusal:
        return msgspec.structs.replace(refusal, gate=self.name, detail={**refusal.detail, "provider": self.name})
