"""Everything is wired here and nowhere else: what a process is made of, who is handed what, and in which order it ends."""

import os
import secrets as entropy
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cached_property, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from limen.agent.account import last_request
from limen.agent.agent import Agent, AgentParts
from limen.agent.lanes import Lanes
from limen.agent.limits import Limits
from limen.agent.toolsets import toolset_problems
from limen.agent.window import WindowRoom
from limen.builtin.providers import provider_table
from limen.builtin.tools.find import Find, find_lines
from limen.builtin.tools.read_file import ReadFile
from limen.builtin.web.library import LibrarySearch
from limen.config.load import Loaded
from limen.config.paths import Home
from limen.config.problem import Problem
from limen.config.reload import ReloadingConfig
from limen.config.schema import Config
from limen.config.secrets import Secrets
from limen.core.context import CallContext
from limen.core.evidence import Match
from limen.core.exchange import ModelRequest
from limen.core.fault import ConfigFault, Refusal
from limen.core.late import LateExtractProvider, LateReader, LateWire
from limen.core.ledger import LedgerEntry, Trust
from limen.core.ports import ExtractProvider, Opened, Reader, SearchProvider, Tool, Wire
from limen.core.route import Route, WireName
from limen.core.untrusted import fresh_nonce
from limen.core.web import ExtractAnswer, Extraction, Page, SearchAnswer, SearchRequest
from limen.evidence.opener import ReferenceOpener, Roots
from limen.evidence.redactor import SecretRedactor
from limen.evidence.retention import Retention, look_after
from limen.evidence.shelf import EvidenceShelf
from limen.kit.beside import beside
from limen.kit.deferred import load
from limen.kit.log import failed_open
from limen.kit.process import Worker
from limen.kit.redact import SecretTable
from limen.kit.tokens import TokenCounter
from limen.models.credentials import Keyring, endpoint_url
from limen.models.gates import model_gates
from limen.models.history import render
from limen.models.model import Model
from limen.models.resolve import Routes, Wishes
from limen.models.retry import Retry
from limen.net.policy import AddressPolicy
from limen.net.resolve import SystemResolver
from limen.store.sqlite.database import Database
from limen.store.sqlite.evidence import SqliteEvidence
from limen.store.sqlite.library import SqliteLibraryStore
from limen.store.sqlite.sessions import SqliteSessions
from limen.web.cache.pages import PageCache
from limen.web.call import ExtractGate
from limen.web.extract import Extractor
from limen.web.gates.cache import CacheGate
from limen.web.gates.network import is_public, network_gate
from limen.web.gates.permission import permission_gate
from limen.web.gates.policy import HostRules, judge_host, policy_gate
from limen.web.gates.resolve import resolve_gate
from limen.web.gates.secrets import SecretsGate
from limen.web.library.index import DocumentIndex
from limen.web.library.libraries import Libraries
from limen.web.rules import block_list, cache_rules, extract_rules, permission_rules, secret_rules
from limen.web.search import Searcher
from limen.web.tools import WebExtract, WebSearch

# Only for the types: what speaks HTTP, parses documents or answers without a model is named below and loaded at its first use.
if TYPE_CHECKING:
    import httpx2

    from limen.builtin.models.extractive import ExtractiveModel
    from limen.builtin.web.local import LocalLimits, LocalReader
    from limen.models.directory import Directory
    from limen.models.wire.chat import ChatWire
    from limen.models.wire.http import Endpoint
    from limen.reading.reader import WorkerReader

MANUAL = "manual"


class RuntimeOptions(msgspec.Struct, frozen=True):
    """What a surface says at the start; `flags` are settings by dotted key."""

    home: Path | None = None
    profile: str | None = None
    flags: Mapping[str, str] = {}
    workspace: Path | None = None


class Web:
    """Search and page reading for people and programs: past the same gates as a model's, without the fence."""

    def __init__(self, searcher: Searcher, extractor: Extractor) -> None:
        self.searcher = searcher
        self.extractor = extractor

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        return await self.searcher.search(request, context, fenced=False)

    async def extract(self, request: Extraction, context: CallContext) -> ExtractAnswer:
        return await self.extractor.extract(request, context, fenced=False)


class Setup(msgspec.Struct, frozen=True):
    """Where a process lives and how it was configured. `settings` looks at the file again."""

    home: Home
    loaded: Loaded
    settings: ReloadingConfig


class Runtime:
    """Everything wired. Made by `open_runtime`, which also ends it."""

    def __init__(
        self, setup: Setup, stores: "Stores", library: DocumentIndex, web: Web, opener: ReferenceOpener, agent: Agent,
        models: "Models",
    ) -> None:  # fmt: skip
        self.home = setup.home
        self.loaded = setup.loaded
        self.settings = setup.settings
        self.sessions = stores.sessions
        self.evidence = stores.evidence
        self.library = library
        self.web = web
        self.agent = agent
        self.models = models
        self._opener = opener

    async def open_ref(self, ref: str) -> Opened | Refusal:
        """The whole text behind a reference: library, evidence, file, or an address, which is read through the gates.

        Raises ToolFault when a reference that is no address names nothing.
        """
        if not ref.startswith(("http://", "https://")):
            return await self._opener.open(ref, CallContext())
        page = await self.web.extractor.page(ref, CallContext())
        return page if isinstance(page, Refusal) else Opened(ref, page.url, page.title, page.text, "web", Trust.WEB)

    async def last_request(self, session: str) -> Sequence[LedgerEntry]:
        """What the session's last request was made of, in the order it was sent, and one line for the wire's framing."""
        return await last_request(self.sessions, session, self.models.carried)

    async def find_in(self, ref: str, pattern: str) -> Sequence[Match] | Refusal:
        """Lines behind a reference that hold a phrase."""
        opened = await self.open_ref(ref)
        if isinstance(opened, Refusal):
            return opened
        found, _ = find_lines(opened.text, pattern)
        return [Match(opened.ref, line.line, line.text) for line in found]


class Stores(msgspec.Struct, frozen=True):
    """One database, seen through its ports."""

    sessions: SqliteSessions
    evidence: SqliteEvidence
    library: SqliteLibraryStore


@asynccontextmanager
async def open_runtime(options: RuntimeOptions) -> AsyncIterator[Runtime]:
    """Wire everything for the length of a block and end it in reverse order.

    Raises ConfigFault for a configuration or home that cannot be used, StoreFault for a database that cannot.
    """
    env = os.environ
    home = Home.resolve(options.home, options.profile, env)
    home.ensure()
    settings = ReloadingConfig(home, env, options.flags)
    loaded, policy = _address_policy(settings.current)
    async with AsyncExitStack() as stack:
        database = await Database.open(home.database)
        stack.push_async_callback(database.close)
        worker = await stack.enter_async_context(Worker())
        net = _Net(loaded.config, policy)
        stack.push_async_callback(net.close)
        table = SecretTable()
        sessions = SqliteSessions(database, redactor=SecretRedactor(table))
        stores = Stores(sessions, SqliteEvidence(database), SqliteLibraryStore(database))
        rules = Retention(loaded.config.evidence.retention_days, loaded.config.evidence.max_bytes)
        await stack.enter_async_context(
            beside(lambda: look_after(stores.sessions, stores.evidence, rules), "store.upkeep_failed")
        )
        setup = Setup(home, loaded, settings)
        yield _wire(
            setup,
            stores,
            LateReader(lambda: _reader(worker)),
            net,
            Secrets.load(home, env),
            table,
            options.workspace or Path.cwd(),
        )


def _address_policy(loaded: Loaded) -> tuple[Loaded, AddressPolicy]:
    """The network's policy. An entry that it cannot read opens nothing at all, and is said."""
    security = loaded.config.security
    try:
        return loaded, AddressPolicy(security.allow_private_hosts, security.fake_ip_ranges, security.proxy)
    except ConfigFault as fault:
        problem = Problem("error", fault.code, f"{fault.reason}; nothing is opened", fault.mend, fault.place, fault.place)
        return msgspec.structs.replace(loaded, problems=(*loaded.problems, problem)), AddressPolicy()


class Models:
    """Routes, the wires they need, and who may be asked for them."""

    def __init__(self, routes: Routes, net: "_Net", keys: Secrets, configured: str) -> None:
        self.routes = routes
        self._configured = configured
        keyring = Keyring(routes.bindings(), lambda credential: keys.get(credential.removeprefix("env:")))
        self._net = net
        self._keyring = keyring
        wires: dict[WireName, Wire] = {"embedded": LateWire(_extractive_model), "chat_completions": LateWire(self._chat_wire)}
        self.model = Model(wires, model_gates(keyring, Retry()))

    @cached_property
    def directory(self) -> "Directory":
        """What endpoints say of themselves."""
        directory: type[Directory] = load("limen.models.directory:Directory")
        return directory(self._endpoint, self.routes)

    @cached_property
    def _endpoint(self) -> "Endpoint":
        endpoint: type[Endpoint] = load("limen.models.wire.http:Endpoint")
        return endpoint(self._net.for_model, self._keyring)

    def _chat_wire(self) -> Wire:
        wire: type[ChatWire] = load("limen.models.wire.chat:ChatWire")
        return wire(self._endpoint)

    def carried(self, request: ModelRequest) -> ModelRequest | None:
        """The request as its wire carries it, without what the route does not take; None for a wire that sends no bytes."""
        if request.route.wire != "chat_completions":
            return None
        return msgspec.structs.replace(request, messages=render(request.messages, request.route).messages)

    async def resolve(self, wish: str | None) -> Route:
        """The route for a wish, or the configured one; completed by what its server says. Raises ConfigFault, ModelFault."""
        wishes = Wishes(explicit=wish or "", variable=os.environ.get("LIMEN_MODEL", ""), configured=self._configured)
        route = self.routes.resolve(wishes)
        return await self.directory.settle(route) if route.endpoint else route


def _extractive_model() -> Wire:
    model: type[ExtractiveModel] = load("limen.builtin.models.extractive:ExtractiveModel")
    return model()


def _reader(worker: Worker) -> Reader:
    reader: type[WorkerReader] = load("limen.reading.reader:WorkerReader")
    return reader(worker)


def _chosen_route(loaded: Loaded) -> str:
    """The configured route, or nothing where nobody configured one, so that a route's reason is true."""
    chosen = any("model.route" in layer.values for layer in loaded.layers if layer.name != "default")
    return loaded.config.model.route if chosen else ""


class _Net:
    """The clients of a process, made when first used."""

    def __init__(self, config: Config, policy: AddressPolicy) -> None:
        self.config = config
        self.policy = policy
        self.resolver = SystemResolver()
        self._reading: httpx2.AsyncClient | None = None
        self._models: dict[str, httpx2.AsyncClient] = {}

    def reading(self) -> "httpx2.AsyncClient":
        """The client for pages."""
        if self._reading is None:
            limits = self.config.reader
            self._reading = self._new_client(
                self.policy, connect_timeout_s=limits.connect_timeout_s, total_timeout_s=limits.total_timeout_s
            )
        return self._reading

    def for_model(self, route: Route) -> "httpx2.AsyncClient":
        """The client for a route's endpoint: an operator named it, so it may be private; nothing else may."""
        url = endpoint_url(route.endpoint, "endpoint")
        if url.origin not in self._models:
            host = f"[{url.host}]" if ":" in url.host else url.host
            policy = AddressPolicy((f"{host}:{url.port}",), self.config.security.fake_ip_ranges)
            self._models[url.origin] = self._new_client(policy)
        return self._models[url.origin]

    def _new_client(self, policy: AddressPolicy, **timeouts_s: float) -> "httpx2.AsyncClient":
        new_client: Callable[..., httpx2.AsyncClient] = load("limen.net.client:new_client")
        return new_client(policy, resolver=self.resolver, **timeouts_s)

    async def close(self) -> None:
        for client in (self._reading, *self._models.values()):
            if client is not None:
                await client.aclose()


def _wire(setup: Setup, stores: Stores, reader: Reader, net: _Net, keys: Secrets, table: SecretTable, workspace: Path) -> Runtime:
    home, config = setup.home, setup.loaded.config
    redactor = SecretRedactor(table)
    count = TokenCounter()
    shelf = EvidenceShelf(stores.evidence, redactor, count)
    secrets_gate = SecretsGate(table, secret_rules(config))
    blocked = block_list(config, home.root)
    extractor = _extractor(home, config, reader, net, secrets_gate, blocked)
    library, libraries = _libraries(config, stores, reader, extractor)
    providers: dict[str, SearchProvider] = {"library": LibrarySearch(libraries)}
    chosen = config.web.search_backend or config.web.backend
    chain = (chosen,) if chosen else tuple(providers)
    web = Web(Searcher(providers, chain, secrets_gate, blocked, fresh_nonce, permission_rules(config)), extractor)
    opener = ReferenceOpener(libraries, shelf, reader, Roots(workspace, home.pages))
    routes = Routes(provider_table(), config.providers, output_tokens=config.limits.output_tokens)
    models = Models(routes, net, keys, _chosen_route(setup.loaded))
    owner = f"{os.uname().nodename}-{os.getpid()}-{entropy.token_hex(4)}"
    tools = _tools(config, web, opener)
    parts = AgentParts(
        sessions=stores.sessions,
        lanes=Lanes(stores.sessions, owner),
        model=models.model,
        resolve=models.resolve,
        tools=tools,
        toolsets=frozenset(config.tools.toolsets),
        result_chars=config.tools.max_result_chars,
        redactor=redactor,
        shelf=shelf,
        count=count,
        limits=Limits(config.limits.steps, config.limits.tokens, config.limits.time_s, config.limits.cost_usd),
        room=WindowRoom(config.context.fold_at, config.context.fold_to),
    )
    problems = (*setup.loaded.problems, *toolset_problems(config.tools.toolsets, tools))
    setup = msgspec.structs.replace(setup, loaded=msgspec.structs.replace(setup.loaded, problems=problems))
    return Runtime(setup, stores, library, web, opener, Agent(parts), models)


def _tools(config: Config, web: Web, opener: ReferenceOpener) -> dict[str, Tool]:
    """Every tool there is; which of them a session has is its toolsets' affair."""
    every: list[Tool] = [
        WebSearch(web.searcher),
        WebExtract(web.extractor, config.web.max_urls, config.web.extract_char_limit),
        ReadFile(opener, fresh_nonce),
        Find(opener, fresh_nonce),
    ]
    return {tool.spec.name: tool for tool in every if config.web.mode != "off" or tool.spec.toolset != "web"}


def _extractor(home: Home, config: Config, reader: Reader, net: _Net, secrets_gate: SecretsGate, blocked: HostRules) -> Extractor:
    async def vet(url: str) -> Refusal | None:
        return secrets_gate.judge_url(url) or judge_host(blocked, url)

    def local() -> ExtractProvider:
        reading: type[LocalReader] = load("limen.builtin.web.local:LocalReader")
        limits: type[LocalLimits] = load("limen.builtin.web.local:LocalLimits")
        allowed = limits(config.reader.max_bytes, config.reader.max_redirects, config.reader.total_timeout_s)
        return reading(net.reading, reader, net.policy, vet, allowed)

    providers: dict[str, ExtractProvider] = {"local": LateExtractProvider("local", local)}
    rules = extract_rules(config, net.policy)
    kept = PageCache(home.page_cache, max_bytes=config.web.cache_max_mb * 1_000_000)
    gates: dict[str, ExtractGate] = {
        "secrets": secrets_gate,
        "network": network_gate(net.policy, net.resolver),
        "resolve": resolve_gate(providers, rules.backend),
        "policy": policy_gate(blocked),
        "permission": permission_gate(permission_rules(config)),
        "cache": CacheGate(kept, cache_rules(config), partial(is_public, policy=net.policy, resolver=net.resolver)),
    }
    return Extractor(gates, providers, rules, home.pages, fresh_nonce)


def _libraries(config: Config, stores: Stores, reader: Reader, extractor: Extractor) -> tuple[DocumentIndex, Libraries]:
    async def fetch(url: str) -> Page | Refusal:
        return await extractor.page(url, CallContext())

    names = config.library.search or ("default",)
    indexes = [DocumentIndex(stores.library, reader, library=name, fetch=fetch) for name in names]
    manual = DocumentIndex(stores.library, reader, library=MANUAL)

    async def prepare_manual() -> None:
        report = await manual.add([str(files("limen") / "manual")])
        if report.refusal is not None:
            failed_open(report.refusal.code, report.refusal.reason)

    return indexes[0], Libraries(indexes, manual, prepare_manual)
