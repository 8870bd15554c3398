"""The local reader: fetches pages from here and turns them into Markdown. Needs no key and tells no third party."""

from collections.abc import Callable, Sequence

import anyio
import httpx2
import msgspec

from limen.core.context import CallContext
from limen.core.fault import Fault, Refusal
from limen.core.ports import Pulled, Reader
from limen.core.web import Extraction
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

        async def one(url: str) -> None:
            pulled.append(await self._pull(url))

        async with anyio.create_task_group() as group:
            for url in request.urls:
                group.start_soon(one, url)
        return pulled

    async def _pull(self, url: str) -> Pulled:
        fetched = await fetch(
            self._client(),
            url,
            policy=self._policy,
            max_bytes=self._limits.max_bytes,
            max_redirects=self._limits.max_redirects,
            total_timeout_s=self._limits.total_timeout_s,
            headers={"accept": "text/html, application/xhtml+xml, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5"},
            vet=self._vet,
        )
        if isinstance(fetched, Refusal):
            return Pulled(url, refusal=fetched)
        try:
            page = await self._reader.read(fetched.body, url=fetched.final_url, content_type=fetched.content_type or None)
        except Fault as fault:
            return Pulled(url, refusal=Refusal("local", fault.code, fault.reason, fault.mend))
        return Pulled(url, page=msgspec.structs.replace(page, url=fetched.final_url))
