"""Where rows are played: the wired program over loopback servers, and the gates alone over names that resolve as told."""

from contextlib import asynccontextmanager

from web.rig import InlineReader, secrets_gate

from limen.builtin.web.local import LocalLimits, LocalReader
from limen.core.context import CallContext
from limen.core.ports import Pulled
from limen.core.web import Extraction, Page, SearchRequest, published_entry, published_search
from limen.net.client import AddressPolicy, new_client
from limen.net.judge import vet_url
from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.network import ListedResolver, reply, serve
from limen.web.cache.pages import PageCache
from limen.web.extract import Extractor, ExtractRules, ReadingParts
from limen.web.gates.cache import CacheGate, CacheRules
from limen.web.gates.network import network_gate
from limen.web.gates.policy import BlockList, policy_gate
from limen.web.gates.rescue import Ring, rescue_gate
from limen.web.gates.resolve import resolve_gate

PUBLIC = "93.184.216.34"
NOW = CallContext("s", "t")


class Wired:
    """The wired program, asked as the command line asks it; answers in the shapes of its JSON."""

    def __init__(self, runtime):
        self.runtime = runtime

    async def extract(self, *urls, **wish):
        return extracted(await self.runtime.web.extract(Extraction(urls, **wish), NOW))

    async def search(self, query, **wish):
        return published_search(await self.runtime.web.search(SearchRequest(query, **wish), NOW))


@asynccontextmanager
async def wired(home, *servers, **flags):
    """The program with these servers opened; flags are settings, `__` for a dot."""
    opened = {"security.allow_private_hosts": ",".join(f"127.0.0.1:{server.port}" for server in servers)} if servers else {}
    settings = {**opened, **{name.replace("__", "."): value for name, value in flags.items()}}
    async with open_runtime(RuntimeOptions(home=home, flags=settings)) as runtime:
        yield Wired(runtime)


async def read_page(home, body, content_type="text/html; charset=utf-8", path="/articles/current", **wish):
    """The entry of `extract --json` for one page that a server gives; `body` is bytes, text, or a whole answer."""
    answer = body if callable(body) else reply(body, headers={"content-type": content_type})
    async with serve({path: answer}) as server, wired(home, server) as limen:
        (entry,) = (await limen.extract(server.url(path), **wish))["results"]
    entry["root"] = server.url("")
    return entry


def extracted(answer):
    """An answer in the shape of `extract --json`."""
    if answer.refusal is not None:
        return {"error": answer.refusal.published(), "results": []}
    return {"results": [published_entry(entry) for entry in answer.entries]}


async def judged(url, policy=None, **names):
    """The network's refusal of an address, None where it passes. `names` resolve to one list each, `_` for a dot."""
    resolver = ListedResolver({name.replace("_", "."): [addresses] for name, addresses in names.items()})
    _, refusal = await vet_url(url, policy or AddressPolicy(), resolver)
    return refusal


class Recorder:
    """A reader in a third party's place: it notes what it was asked, and has every page."""

    name = "stub"

    def __init__(self, answer=None):
        self.asked = []
        self._answer = answer or (lambda url: Page(url=url, title="T", text="the page"))

    def unavailable(self):
        return None

    async def extract(self, request, context):
        self.asked += request.urls
        return [pulled_of(url, self._answer(url)) for url in request.urls]


def pulled_of(url, answer):
    return Pulled(url, answer) if isinstance(answer, Page) else Pulled(url, refusal=answer)


class Clock:
    """A clock that is set by hand, in seconds."""

    def __init__(self, now_s=1_800_000_000.0):
        self.now_s = now_s

    def __call__(self):
        return self.now_s


async def everything_is_public(url):
    return True


class Gated:
    """The gates over a reader, where names resolve as told and a clock is set by hand."""

    def __init__(self, tmp_path, provider=None, *, policy=None, names=None, blocked=None, cached=False, ttl_s=1_200.0, ring=()):
        self.provider = provider or Recorder()
        self.resolver = names or ListedResolver({"x.example": [[PUBLIC]]})
        self.clock = Clock()
        readers = {self.provider.name: self.provider}
        gates = {
            "secrets": secrets_gate(),
            "network": network_gate(policy or AddressPolicy(), self.resolver),
            "resolve": resolve_gate(readers, self.provider.name),
            "policy": policy_gate(blocked or BlockList(())),
        }
        if cached:
            pages = PageCache(tmp_path / "cache", clock=self.clock)
            gates["cache"] = CacheGate(pages, CacheRules(ttl_s=ttl_s), everything_is_public, clock=self.clock)
        if ring:
            gates["rescue"] = rescue_gate(Ring(tuple(ring)), enabled=True, eligible=frozenset({self.provider.name}))
        rules = ExtractRules(self.provider.name)
        self._extractor = Extractor(lambda: ReadingParts(gates, readers, rules), tmp_path / "pages", lambda: "nonce")

    async def extract(self, *urls, **wish):
        return extracted(await self._extractor.extract(Extraction(urls, **wish), NOW, fenced=False))


@asynccontextmanager
async def locally_read(tmp_path, policy, resolver):
    """The gates over the local reader, whose client resolves names as told."""

    async def vet(url):
        return None

    async with new_client(policy, resolver=resolver) as client:
        gated = Gated(
            tmp_path, LocalReader(lambda: client, InlineReader(), policy, vet, LocalLimits()), policy=policy, names=resolver
        )
        yield gated
