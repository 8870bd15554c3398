"""Fetching a page: one GET, its redirects followed here, hop by hop, each judged like the first."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

import anyio
import httpx2
import msgspec

from limen.core.fault import Refusal
from limen.net.failure import explain
from limen.net.judge import judge_plain, judge_step
from limen.net.policy import AddressPolicy
from limen.net.refresh import Refresh, meta_refresh, parse_refresh
from limen.net.url import DEFAULT_PORTS, SafeUrl, join, parse

Vet = Callable[[str], Awaitable[Refusal | None]]

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FOR_GOOD = frozenset({301, 308})
# Of what the caller sends, only this goes on to another origin.
_CARRIED = frozenset({"accept", "accept-encoding", "accept-language", "user-agent"})
# A refresh later than this is a page that renews itself, not one that sends its reader on.
_REFRESH_AT_ONCE_S = 5
_HTML = ("text/html", "application/xhtml+xml")
# Nobody waits longer for the page of a failure, which is read for what it may say of it.
_FAILURE_PAGE_S = 5.0
_MAX_COOKIES = 20
_MAX_COOKIE_CHARS = 4_096


class Fetch(msgspec.Struct, frozen=True):
    """What came back. `body` is decompressed; header names are in lower case; `hops` are the URLs passed on the way, `final_url`
    is the last. `refresh_url` is where the page would send its reader later. `status` is 2xx, or 304 with an empty body; where
    pages of failures were wanted too, that of any other HTML, with the refusal that it stands for as `failure`.
    `moved_to` is where the address has moved for good (301, 308), as far as it has."""

    requested: str
    final_url: str
    status: int
    headers: dict[str, str]
    body: bytes
    hops: tuple[str, ...] = ()
    refresh_url: str = ""
    moved_to: str = ""
    failure: Refusal | None = None

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")

    @property
    def media_type(self) -> str:
        """The content type without its parameters, in lower case; empty when none was sent."""
        return self.content_type.partition(";")[0].strip().lower()


async def fetch(
    client: httpx2.AsyncClient,
    url: str,
    *,
    policy: AddressPolicy,
    max_bytes: int = 10_000_000,
    max_redirects: int = 5,
    headers: Mapping[str, str] | None = None,
    vet: Vet | None = None,
    total_timeout_s: float | None = None,
    max_bytes_of: Mapping[str, int] | None = None,
    failed_too: bool = False,
) -> Fetch | Refusal:
    """GET `url` with a client of `new_client`, following 30x, `Refresh` and meta refresh.

    Each address on the way is parsed, judged by `policy`, and given to `vet` (normalised) before it is asked for; the client's
    transport judges what its name resolves to. `max_bytes` counts the decompressed body; `max_bytes_of` has the media types for
    which another limit holds. `headers` go to another origin only where they carry no credentials. `total_timeout_s` bounds
    everything; by default it is the client's. With `failed_too`, HTML that comes with a status of failure is given.

    Codes beside those of `parse`, `judge_host` and `explain`: `network.too_large`, `network.too_many_redirects`,
    `network.downgrade`, `network.http_status` (with `status` and `retry_after` in the detail), `network.encoding`.
    """
    sent = {name.lower(): value for name, value in (headers or {}).items()}
    walk = _Walk(client, policy, vet, _Sizes(max_bytes, max_bytes_of or {}, failed_too), max_redirects, sent)
    limit_s = client.timeout.read if total_timeout_s is None else total_timeout_s
    try:
        with anyio.fail_after(limit_s):
            return await walk.run(url)
    except TimeoutError as error:
        return explain(error, walk.place)


class _Sizes(NamedTuple):
    """How many bytes a body may have, by its media type; and whether pages of failures are read at all."""

    otherwise: int
    of: Mapping[str, int]
    failed_too: bool = False

    def most(self, media_type: str) -> int:
        return self.of.get(media_type, self.otherwise)

    def setting(self, media_type: str) -> str:
        return "reader.max_pdf_bytes" if media_type in self.of else "reader.max_bytes"


class _Onward(NamedTuple):
    """A page that sends us on: where to, as written, and what to answer when we have been there already."""

    target: str
    instead: Fetch | None = None
    for_good: bool = False


class _Walk:
    """One fetch on its way: where it has been and what it may still carry."""

    def __init__(
        self,
        client: httpx2.AsyncClient,
        policy: AddressPolicy,
        vet: Vet | None,
        sizes: _Sizes,
        max_redirects: int,
        headers: dict[str, str],
    ) -> None:
        self._client = client
        self._policy = policy
        self._vet = vet
        self._sizes = sizes
        self._max_redirects = max_redirects
        self._headers = headers
        self._cookies: dict[str, dict[str, str]] = {}
        self._passed: list[str] = []
        self._for_good, self._moved_to = True, ""
        self.place = ""

    async def run(self, requested: str) -> Fetch | Refusal:
        url = parse(requested)
        while not isinstance(url, Refusal):
            self.place = url.host
            refusal = await self._judge(url)
            if refusal is not None:
                return self._located(refusal)
            answer = await self._ask(url, requested)
            if not isinstance(answer, _Onward):
                return answer if isinstance(answer, Fetch) else self._located(answer)
            onward = join(url, answer.target)
            if answer.instead is not None and self._been_at(onward, url):
                return answer.instead
            self._passed.append(str(url))
            url = await self._onward(url, onward)
            self._for_good = self._for_good and answer.for_good
            if self._for_good and isinstance(url, SafeUrl):
                self._moved_to = str(url)
        return self._located(url)

    async def _judge(self, url: SafeUrl) -> Refusal | None:
        refusal = judge_plain(url.host, url.port, self._policy)
        if refusal is None and self._vet is not None:
            refusal = await self._vet(str(url))
        return refusal

    async def _onward(self, url: SafeUrl, onward: SafeUrl | Refusal) -> SafeUrl | Refusal:
        if isinstance(onward, Refusal):
            return onward
        if len(self._passed) > self._max_redirects:
            reason = f"{url.host} redirects more than {self._max_redirects} times"
            return Refusal("network", "network.too_many_redirects", reason, "give the address it should end at")
        step = judge_step(url, onward)
        if step is not None:
            return await self._judge(onward) or step
        if onward.origin != url.origin:
            self._headers = {name: value for name, value in self._headers.items() if name in _CARRIED}
        return onward

    async def _ask(self, url: SafeUrl, requested: str) -> Fetch | Refusal | _Onward:
        try:
            request = self._client.build_request("GET", url.request_url, headers=self._sent(url))
            theirs = request.url.raw_host.decode("ascii")
            if theirs != url.host or (request.url.port or DEFAULT_PORTS[url.scheme]) != url.port:
                reason = f"the HTTP client reads the host as {theirs!r}, not {url.host}"
                return Refusal("network", "network.parser_disagreement", reason, "write the address in its plain form")
            response = await self._client.send(request, stream=True, follow_redirects=False)
            try:
                return await self._take(url, requested, response)
            finally:
                with anyio.CancelScope(shield=True):
                    await response.aclose()
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            return explain(error, url.host)

    async def _take(self, url: SafeUrl, requested: str, response: httpx2.Response) -> Fetch | Refusal | _Onward:
        self._keep_cookies(url, response)
        headers = {name.lower(): value for name, value in response.headers.items()}
        location = headers.get("location")
        if response.status_code in _REDIRECTS and location is not None:
            return _Onward(location, for_good=response.status_code in _FOR_GOOD)
        if not 200 <= response.status_code < 300 and response.status_code != 304:
            return await self._failed(url, requested, response, headers)
        refresh = parse_refresh(headers.get("refresh", ""))
        if refresh is not None and refresh.after_s <= _REFRESH_AT_ONCE_S:
            return _Onward(refresh.target)
        body = await self._read(url, response)
        if isinstance(body, Refusal):
            return body
        page = Fetch(requested, str(url), response.status_code, headers, body, tuple(self._passed), moved_to=self._moved_to)
        return self._with_refresh(url, page, refresh)

    async def _failed(self, url: SafeUrl, requested: str, response: httpx2.Response, headers: dict[str, str]) -> Fetch | Refusal:
        """The refusal that a status of failure is, with its page where that is wanted and comes soon."""
        failure = self._located(_bad_status(url, response.status_code, headers.get("retry-after", "")))
        page = Fetch(requested, str(url), response.status_code, headers, b"", tuple(self._passed), failure=failure)
        body: bytes | Refusal = failure
        if self._sizes.failed_too and page.media_type in _HTML:
            with anyio.move_on_after(_FAILURE_PAGE_S), suppress(httpx2.HTTPError):
                body = await self._read(url, response)
        return failure if isinstance(body, Refusal) else msgspec.structs.replace(page, body=body)

    def _with_refresh(self, url: SafeUrl, page: Fetch, refresh: Refresh | None) -> Fetch | _Onward:
        if refresh is None and page.media_type in _HTML:
            refresh = meta_refresh(page.body)
        if refresh is None:
            return page
        onward = join(url, refresh.target)
        page = msgspec.structs.replace(page, refresh_url="" if isinstance(onward, Refusal) else str(onward))
        return _Onward(refresh.target, page) if refresh.after_s <= _REFRESH_AT_ONCE_S else page

    def _been_at(self, onward: SafeUrl | Refusal, url: SafeUrl) -> bool:
        seen = {passed.partition("#")[0] for passed in self._passed} | {url.request_url}
        return not isinstance(onward, Refusal) and onward.request_url in seen

    async def _read(self, url: SafeUrl, response: httpx2.Response) -> bytes | Refusal:
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        known = {token.strip() for token in self._client.headers.get("accept-encoding", "").split(",")}
        # One coding only: each further layer multiplies what a small body can cost.
        if coding not in known | {"identity", ""}:
            reason = f"{url.host} sent a body encoded as {coding[:40]!r}, which was not asked for"
            return Refusal("network", "network.encoding", reason, "read another source")
        media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        most = self._sizes.most(media_type)
        declared = response.headers.get("content-length", "")
        if declared.isdigit() and int(declared) > most:
            return self._too_large(url, media_type)
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > most:
                return self._too_large(url, media_type)
        return bytes(body)

    def _too_large(self, url: SafeUrl, media_type: str) -> Refusal:
        most = self._sizes.most(media_type)
        reason = f"{url.host} sends more than {most:,} bytes"
        mend = f"read a smaller page, or raise {self._sizes.setting(media_type)}"
        return Refusal("network", "network.too_large", reason, mend, {"limit_bytes": most})

    def _sent(self, url: SafeUrl) -> dict[str, str]:
        cookies = self._cookies.get(url.origin)
        if not cookies or "cookie" in self._headers:
            return self._headers
        return {**self._headers, "cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}

    def _keep_cookies(self, url: SafeUrl, response: httpx2.Response) -> None:
        """Remember cookies for this origin until the fetch ends: some sites redirect to themselves until they see one."""
        jar = self._cookies.setdefault(url.origin, {})
        for line in response.headers.get_list("set-cookie"):
            name, equals, value = line.partition(";")[0].partition("=")
            plain = (name + value).isascii() and (name + value).isprintable()
            if equals and plain and len(line) <= _MAX_COOKIE_CHARS and (len(jar) < _MAX_COOKIES or name.strip() in jar):
                jar[name.strip()] = value.strip()

    def _located(self, refusal: Refusal) -> Refusal:
        """Say of a refusal met on the way where the way had led."""
        if not self._passed:
            return refusal
        return msgspec.structs.replace(refusal, detail={**refusal.detail, "hops": list(self._passed)})


def _bad_status(url: SafeUrl, status: int, retry_after: str) -> Refusal:
    detail: dict[str, object] = {"status": status}
    if retry_after:
        detail["retry_after"] = retry_after[:80]
    mend = {
        401: "the page wants a log-in; read another source",
        403: "the site turns readers like this one away; read another source",
        404: "check the address",
        410: "the page is gone; look for a copy",
        429: "wait before asking again",
    }.get(status, "try again later" if status >= 500 else "check the address")
    return Refusal("network", "network.http_status", f"{url.host} answered with status {status}", mend, detail)
