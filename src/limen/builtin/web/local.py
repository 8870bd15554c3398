"""The local reader: fetches pages from here and turns them into Markdown. Needs no key and tells no third party."""

from collections.abc import Callable, Sequence

import anyio
import httpx2
import msgspec

from limen.core.context import CallContext
from limen.core.fault import Fault, Refusal
from limen.core.ports import Pulled, Reader
from limen.core.web import Extraction, Held, Validators
from limen.net.fetch import Vet, fetch
from limen.net.policy import AddressPolicy


class LocalLimits(msgspec.Struct, frozen=True):
    """What one page may cost."""

    max_bytes: int = 10_000_000
    max_redirects: int = 5
    total_timeout_s: float = 60.0


class LocalReader:
    """The extract provider `local`. Each hop of a redirect is vetted like the address it began with."""

    name = "local"

    def __init__(
        self, client: Callable[[], httpx2.AsyncClient], reader: Reader, policy: AddressPolicy, vet: Vet, limits: LocalLimits
    ) -> None:
        self._client = client
        self._reader = reader
        self._policy = policy
        self._vet = vet
        self._limits = limits

    def unavailable(self) -> Refusal | None:
        """It is always there."""
        return None

    async def extract(self, request: Extraction, context: CallContext) -> Sequence[Pulled]:
        """All pages at once; one that fails costs itself alone."""
        pulled: list[Pulled] = []

        held = {one.url: one for one in request.held}

        async def one(url: str) -> None:
            pulled.append(await self._pull(url, held.get(url)))
            if len(request.urls) > 1:
                await context.progress(f"{len(pulled)} of {len(request.urls)} pages", len(pulled), len(request.urls))

        async with anyio.create_task_group() as group:
            for url in request.urls:
                group.start_soon(one, url)
        return pulled

    async def _pull(self, url: str, held: Held | None = None) -> Pulled:
        """Read one page; a page that is held is asked for anew only if it changed."""
        fetched = await fetch(
            self._client(),
            url,
            policy=self._policy,
            max_bytes=self._limits.max_bytes,
            max_redirects=self._limits.max_redirects,
            total_timeout_s=self._limits.total_timeout_s,
            headers={"accept": _ACCEPT, **_conditions(held)},
            vet=self._vet,
        )
        if isinstance(fetched, Refusal):
            return Pulled(url, refusal=fetched)
        if fetched.status == 304:
            if held is not None and held.page.url == fetched.final_url:
                return Pulled(url, page=held.page, validators=held.validators)
            return await self._pull(url) if held is not None else Pulled(url, refusal=_unasked(fetched.final_url))
        try:
            page = await self._reader.read(fetched.body, url=fetched.final_url, content_type=fetched.content_type or None)
        except Fault as fault:
            return Pulled(url, refusal=Refusal("local", fault.code, fault.reason, fault.mend))
        said = Validators(fetched.headers.get("etag", "")[:_MAX_CHARS], fetched.headers.get("last-modified", "")[:_MAX_CHARS])
        return Pulled(url, page=msgspec.structs.replace(page, url=fetched.final_url), validators=said)


_ACCEPT = "text/html, application/xhtml+xml, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5"
_MAX_CHARS = 500


def _conditions(held: Held | None) -> dict[str, str]:
    if held is None:
        return {}
    said = {"if-none-match": held.validators.etag, "if-modified-since": held.validators.last_modified}
    return {name: value for name, value in said.items() if value}


def _unasked(url: str) -> Refusal:
    reason = f"{url} answered that nothing changed, which was not asked."
    return Refusal("network", "network.http_status", reason, "try again later", {"status": 304})
