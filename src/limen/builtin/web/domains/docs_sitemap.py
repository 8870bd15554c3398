"""Documentation sites by their own index: Sphinx's list of symbols, or the sitemap. Nobody is told what was asked.

A site is told that somebody reads its index. Sites that are not known as documentation are read only while no text from the web
is in the window: a page could otherwise have a name composed that carries something out in a look-up.
"""

from functools import partial
from typing import TYPE_CHECKING

import anyio
import msgspec
from anyio import to_thread

from limen.builtin.web.answers.hits import Can, Row, answer, refused
from limen.builtin.web.calling.link import Limits
from limen.builtin.web.calling.refusing import refuse
from limen.builtin.web.calling.region import region_of
from limen.builtin.web.domains.fields import documentation_hosts_of
from limen.builtin.web.domains.page_list import Match, best, plain_words
from limen.builtin.web.domains.site_index import SiteIndexes
from limen.builtin.web.vendors import vendor_table
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import Trust
from limen.core.waiting import Stopped, interrupted, within
from limen.core.web import Location, SearchAnswer, SearchRequest
from limen.net.host import lies_in

if TYPE_CHECKING:
    from limen.builtin.web.sites import Sites

_CAN = Can(frozenset({"allowed_domains", "region"}), max_hits=50)


class DocsSitemap:
    """The domain search `docs-sitemap`. An index is kept for a while, so that the next question costs no request."""

    name = "docs-sitemap"
    vendor = vendor_table()[name]

    def __init__(self, sites: "Sites", limits: Limits | None = None, indexes: SiteIndexes | None = None) -> None:
        self._sites = sites
        self._limits = limits or Limits(timeout_s=25.0)
        self._indexes = indexes or (SiteIndexes(sites.fetch) if sites.fetch is not None else None)

    def unavailable(self) -> Refusal | None:
        """The mode lets no site be read."""
        return self._sites.closed()

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Symbols and pages whose names and addresses hold the question's words."""
        hosts = _CAN.refuse(request, self.name) or self.unavailable() or self._hosts(request, context)
        if isinstance(hosts, Refusal):
            return refused(self.name, hosts)
        found = await within(lambda: self._all(hosts, request), context, self._limits.timeout_s)
        if isinstance(found, Stopped):
            return refused(self.name, interrupted(self.name) if found is Stopped.INTERRUPTED else self._late(hosts))
        refusals = [one for one in found if isinstance(one, Refusal)]
        if len(refusals) == len(found):
            return refused(self.name, refusals[0])
        matches = sorted(
            (match for one in found if not isinstance(one, Refusal) for match in one), key=lambda match: -match.score
        )
        rows = [Row(entry.url, entry.title, entry.about, score=score) for entry, score in matches]
        failed = tuple(f"{host}: {one.code}" for host, one in zip(hosts, found, strict=True) if isinstance(one, Refusal))
        return answer(self.name, rows, request, ignored=_CAN.ignored(request, Location()), failed=failed)

    def _hosts(self, request: SearchRequest, context: CallContext) -> tuple[str, ...] | Refusal:
        hosts = documentation_hosts_of(request, self._sites.known)
        if not hosts:
            reason = "No documentation site is named, neither in the question nor in its domains."
            return refuse(
                "search",
                "unsupported",
                self.name,
                reason,
                mend="name one, like docs.python.org, in the question or among its domains",
            )
        if context.window_trust.rank < Trust.WEB.rank:
            return hosts
        known = tuple(host for host in hosts if any(lies_in(host, one) for one in self._sites.known))
        if known:
            return known
        reason = f"{hosts[0]} is not known as documentation, and text from the web is in the window."
        mend = f"limen config set web.documentation_hosts --add {hosts[0]}"
        return Refusal(self.name, "search.unknown_site", reason, mend, {"provider": self.name, "host": hosts[0]})

    async def _all(self, hosts: tuple[str, ...], request: SearchRequest) -> list[list[Match] | Refusal]:
        found: dict[str, list[Match] | Refusal] = {}

        async def one(host: str) -> None:
            found[host] = await self._one(host, request)

        async with anyio.create_task_group() as group:
            for host in hosts:
                group.start_soon(one, host)
        return [found[host] for host in hosts]

    async def _one(self, host: str, request: SearchRequest) -> list[Match] | Refusal:
        if self._indexes is None:
            raise AssertionError("a closed site is refused before")
        question = plain_words(request.query, host)
        entries = await self._indexes.of(host, question)
        if isinstance(entries, Refusal):
            return msgspec.structs.replace(entries, detail={**entries.detail, "provider": self.name})
        language = region_of(request, Location()).tongue
        return await to_thread.run_sync(partial(best, entries, question, language, request.limit))

    def _late(self, hosts: tuple[str, ...]) -> Refusal:
        reason = f"The index of {', '.join(hosts)} did not come within {self._limits.timeout_s:g} s."
        return Refusal(self.name, "network.timeout", reason, "try again later", {"provider": self.name})
