"""The local reader: fetches pages from here and turns them into Markdown. Needs no key and tells no third party."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import anyio
import httpx2
import msgspec

from limen.builtin.web.arrival import failure_of, noted
from limen.builtin.web.drawn import Drawing
from limen.core.context import CallContext
from limen.core.endings import HEAVY
from limen.core.fault import Fault, Refusal
from limen.core.ports import Pulled, Reader
from limen.core.waiting import Stopped, each_within, unfinished
from limen.core.web import Extraction, Held, RawFile, Validators
from limen.net.address import parse_ip
from limen.net.fetch import Fetch, Vet, fetch
from limen.net.host import host_of
from limen.net.policy import AddressPolicy, rules_of
from limen.net.same_host import cross_host
from limen.net.url import SafeUrl, parse

_ACCEPT = "text/html, application/xhtml+xml, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5"
_MAX_CHARS = 500


class LocalLimits(msgspec.Struct, frozen=True):
    """What one page may cost, and how many are read at a time: of one host only a few, unless it is one the operator opened.

    `same_host` keeps a page's redirects on its host, where a call does not say. `headers` go out with each page.
    """

    max_bytes: int = 10_000_000
    max_pdf_bytes: int = 50_000_000
    max_redirects: int = 5
    total_timeout_s: float = 60.0
    connections: int = 16
    connections_per_host: int = 6
    same_host: bool = False
    headers: Mapping[str, str] = {}


class LocalReader:
    """The extract provider `local`. Each hop of a redirect is vetted like the address it began with.

    Pages that say little until their scripts have run are read as `drawing` has them; without one, as they came.
    """

    name = "local"

    def __init__(
        self, client: Callable[[], httpx2.AsyncClient], reader: Reader, policy: AddressPolicy, vet: Vet, limits: LocalLimits,
        drawing: Drawing | None = None,
    ) -> None:  # fmt: skip
        self._client = client
        self._reader = reader
        self._policy = policy
        self._vet = vet
        self._limits = limits
        self._drawing = drawing

    def unavailable(self) -> Refusal | None:
        """It is always there."""
        return None

    async def extract(self, request: Extraction, context: CallContext) -> Sequence[Pulled]:
        """Many pages at once, each with its own deadline, which runs from when its turn comes; one that fails costs itself alone.

        When the call ends early, what was read by then is kept.
        """
        held = {one.url: one for one in request.held}
        urls = tuple(dict.fromkeys(request.urls))
        of_host = self._places(urls)
        places = anyio.CapacityLimiter(self._limits.connections)
        read: list[Pulled] = []

        async def one(url: str) -> Pulled:
            async with of_host[url], places:  # in this order, or pages of one slow host would keep the others waiting
                pulled = await self._pull(url, request, context, held.get(url))
            read.append(pulled)
            if len(urls) > 1:
                await context.progress(_how_far(read, len(urls)), len(read), len(urls))
            return pulled

        pulled = await each_within({url: partial(one, url) for url in urls}, context, at_once=max(1, len(urls)))
        return [
            Pulled(url, refusal=unfinished(self.name, got)) if isinstance(got, Stopped) else got for url, got in pulled.items()
        ]

    def _places(self, urls: Sequence[str]) -> Mapping[str, anyio.CapacityLimiter]:
        """What bounds the requests to one host that are under way."""
        hosts: dict[str, anyio.CapacityLimiter] = {}
        places = {}
        for url in urls:
            parsed = parse(url)
            host = "" if isinstance(parsed, Refusal) else parsed.host
            if host not in hosts:
                own = not isinstance(parsed, Refusal) and self._is_own(parsed)
                hosts[host] = anyio.CapacityLimiter(self._limits.connections if own else self._limits.connections_per_host)
            places[url] = hosts[host]
        return places

    def _is_own(self, url: SafeUrl) -> bool:
        address = parse_ip(url.host)
        rules = rules_of(self._policy)
        return rules.opens_name(url.host, url.port) or (address is not None and rules.opens_address(*address, url.port))

    async def _pull(self, url: str, request: Extraction, context: CallContext, held: Held | None = None) -> Pulled:
        """Read one page; a page that is held is asked for anew only if it changed."""
        same_host = request.redirects == "same-host" or (not request.redirects and self._limits.same_host)
        fetched = await fetch(
            self._client(),
            url,
            policy=self._policy,
            max_bytes=_fewer(self._limits.max_bytes, request.max_bytes),
            max_redirects=self._limits.max_redirects,
            total_timeout_s=self._limits.total_timeout_s,
            headers={"accept": _ACCEPT, **self._limits.headers, **_conditions(held)},
            vet=self._on_its_host(url) if same_host else self._vet,
            max_bytes_of=dict.fromkeys(HEAVY, _fewer(self._limits.max_pdf_bytes, request.max_bytes)),
            failed_too=True,
        )
        if isinstance(fetched, Refusal):
            return Pulled(url, refusal=fetched)
        if fetched.status != 304:
            return await self._taken(url, fetched, request, context)
        if held is not None and held.page.url == fetched.final_url:
            return Pulled(url, page=held.page, validators=held.validators, moved_to=fetched.moved_to)
        return await self._pull(url, request, context) if held is not None else Pulled(url, refusal=_unasked(fetched.final_url))

    async def _taken(self, url: str, fetched: Fetch, request: Extraction, context: CallContext) -> Pulled:
        """What came for an address, as a page; drawn by its scripts where it says little without."""
        file = RawFile(fetched.final_url, fetched.media_type, fetched.body) if request.files else None
        try:
            page = await self._reader.read(
                fetched.body, url=fetched.final_url, content_type=fetched.content_type or None, page_format=request.format
            )
        except Fault as fault:
            refusal = fetched.failure or Refusal("local", fault.code, fault.reason, fault.mend)
            return Pulled(url, refusal=refusal, file=None if fetched.failure else file)
        if fetched.failure is not None:
            return Pulled(url, refusal=failure_of(page, fetched.failure))
        if page.is_file and page.shell is not None and file is not None:
            return Pulled(url, refusal=Refusal("local", "reading.binary", page.shell.reason, page.shell.mend), file=file)
        page = msgspec.structs.replace(page, url=fetched.final_url)
        if self._drawing is not None:
            given = RawFile(fetched.final_url, fetched.content_type, fetched.body)
            drawn = await self._drawing.better(page, given, request.format, context)
            if drawn.by_browser:
                return Pulled(url, page=drawn.page, moved_to=fetched.moved_to, rendered_because=drawn.because)
            page = drawn.page
        said = Validators(fetched.headers.get("etag", "")[:_MAX_CHARS], fetched.headers.get("last-modified", "")[:_MAX_CHARS])
        return Pulled(url, page=noted(page, url, fetched.final_url), validators=said, moved_to=fetched.moved_to)

    def _on_its_host(self, url: str) -> Vet:
        """The vet of a page whose redirects to other hosts are handed back, once nothing forbids what they lead to."""
        asked = parse(url)

        async def vet(onward_url: str) -> Refusal | None:
            onward = parse(onward_url)
            refusal = await self._vet(onward_url)
            if refusal is not None or isinstance(asked, Refusal) or isinstance(onward, Refusal):
                return refusal
            return cross_host(asked, onward)

        return vet


def _fewer(allowed: int, wished: int | None) -> int:
    return allowed if wished is None else min(allowed, wished)


def _how_far(read: Sequence[Pulled], total: int) -> str:
    failed = sum(one.page is None for one in read)
    last = host_of(read[-1].requested)
    return f"{len(read)} of {total} pages{f', {failed} failed' if failed else ''}{f': {last}' if last else ''}"


def _conditions(held: Held | None) -> dict[str, str]:
    if held is None:
        return {}
    said = {"if-none-match": held.validators.etag, "if-modified-since": held.validators.last_modified}
    return {name: value for name, value in said.items() if value}


def _unasked(url: str) -> Refusal:
    reason = f"{url} answered that nothing changed, which was not asked."
    return Refusal("network", "network.http_status", reason, "try again later", {"status": 304})
