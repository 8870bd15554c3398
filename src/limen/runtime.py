"""Everything is wired here and nowhere else: what a process is made of, who is handed what, and in which order it ends."""

import os
import secrets as entropy
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio.abc
import msgspec

from limen.agent.account import last_request
from limen.agent.agent import Agent, AgentParts
from limen.agent.handing import Handing
from limen.agent.lanes import Lanes
from limen.agent.limits import Limits
from limen.agent.title import ModelTitles, QuestionTitles
from limen.agent.toolsets import toolset_problems
from limen.agent.window import WindowRoom
from limen.builtin.facts import ModelFacts
from limen.builtin.providers import provider_table
from limen.config.load import Loaded
from limen.config.paths import Home
from limen.config.reload import ReloadingConfig
from limen.config.secrets import Secrets
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import LedgerEntry
from limen.core.ports import Shot
from limen.core.refs import ref_name
from limen.evidence.desk import StoredEvidence
from limen.evidence.opener import ReferenceOpener, Roots
from limen.evidence.redactor import SecretRedactor
from limen.evidence.retention import Retention, look_after
from limen.evidence.shelf import EvidenceShelf
from limen.kit.beside import beside
from limen.kit.group import background_tasks
from limen.kit.process import Worker
from limen.kit.redact import SecretTable
from limen.kit.tokens import TokenCounter
from limen.models.health import Health
from limen.models.references import is_placeholder
from limen.models.resolve import Routes
from limen.models.spending import Spending
from limen.models.tasks import task_problems
from limen.store.sqlite.database import Database
from limen.store.sqlite.evidence import SqliteEvidence
from limen.store.sqlite.health import SqliteHealth
from limen.store.sqlite.library import SqliteLibraryStore
from limen.store.sqlite.refs import SqliteRefs
from limen.store.sqlite.sessions import SqliteSessions
from limen.store.sqlite.spend import SqliteSpend
from limen.web.browse.browser import Browser
from limen.web.library.index import DocumentIndex
from limen.web.screenshot import PageShooter, ReferenceShooter
from limen.wiring.backends import backend_problems
from limen.wiring.browser import LateBrowsers, browser_problems, browsers_of
from limen.wiring.browsing import browsing_of
from limen.wiring.compacting import reports_of
from limen.wiring.current import CurrentSettings
from limen.wiring.documents import Documents, documents_of
from limen.wiring.fetch import fetcher_of
from limen.wiring.keys import LogIns, keys_of
from limen.wiring.models import Models
from limen.wiring.net import Net, address_policy
from limen.wiring.tools import tools_of
from limen.wiring.web import Web, WebParts


class RuntimeOptions(msgspec.Struct, frozen=True):
    """What a surface says at the start; `flags` are settings by dotted key. A process that `goes_on` after a turn has titles made
    in the background."""

    home: Path | None = None
    profile: str | None = None
    flags: Mapping[str, str] = {}
    workspace: Path | None = None
    goes_on: bool = False


class Setup(msgspec.Struct, frozen=True):
    """Where a process lives and how it was configured. `settings` looks at the file again, `goes_on` is that
    of `RuntimeOptions`."""

    home: Home
    loaded: Loaded
    settings: ReloadingConfig
    goes_on: bool = False


class Runtime:
    """Everything wired. Made by `open_runtime`, which also ends it."""

    def __init__(
        self, setup: Setup, stores: "Stores", library: DocumentIndex, web: Web, references: "References", agent: Agent,
        models: "Models",
    ) -> None:  # fmt: skip
        self.home = setup.home
        self.loaded = setup.loaded
        self.settings = setup.settings
        self.sessions = stores.sessions
        self.evidence = stores.evidence
        self.shelf = references.shelf
        self.library = library
        self.web = web
        self.agent = agent
        self.models = models
        self.refs = stores.refs
        self.spend = stores.spend
        self.browser = references.browser
        self.browsers = references.browsers
        self._shooter = references.shooter

    async def screenshot(self, ref: str, page: int, context: CallContext) -> Shot | Refusal:
        """A picture of a page behind an address, a file or a reference. Raises ToolFault when it names nothing."""
        if ref_name(ref) is not None:
            where = await self.browser.address(ref, context)
            if isinstance(where, Refusal):
                return where
            ref, context = where
        return await self._shooter.shoot(ref, page, context)

    async def last_request(self, session: str) -> Sequence[LedgerEntry]:
        """What the session's last request was made of, in the order it was sent, and one line for the wire's framing."""
        return await last_request(self.sessions, session, self.models.carried)


class References(msgspec.Struct, frozen=True):
    """What stands behind a reference, as text and as a picture; the shelf of whole texts, and the browsers that show pages."""

    browser: Browser
    shelf: EvidenceShelf
    shooter: ReferenceShooter
    browsers: LateBrowsers


class Stores(msgspec.Struct, frozen=True):
    """One database, seen through its ports."""

    sessions: SqliteSessions
    evidence: SqliteEvidence
    library: SqliteLibraryStore
    refs: SqliteRefs
    health: SqliteHealth
    spend: SqliteSpend


@asynccontextmanager
async def open_runtime(options: RuntimeOptions) -> AsyncIterator[Runtime]:
    """Wire everything for the length of a block and end it in reverse order.

    Raises ConfigFault for a configuration or home that cannot be used, StoreFault for a database that cannot.
    """
    env = os.environ
    home = Home.resolve(options.home, options.profile, env)
    home.ensure()
    settings = ReloadingConfig(home, env, options.flags)
    loaded, policy = address_policy(settings.current)
    async with AsyncExitStack() as stack:
        database = await Database.open(home.database)
        stack.push_async_callback(database.close)
        worker = await stack.enter_async_context(Worker())
        net = Net(loaded.config, policy)
        stack.push_async_callback(net.close)
        table = SecretTable()
        sessions = SqliteSessions(database, redactor=SecretRedactor(table))
        stores = Stores(
            sessions,
            SqliteEvidence(database),
            SqliteLibraryStore(database),
            SqliteRefs(database),
            SqliteHealth(database),
            SqliteSpend(database),
        )
        rules = Retention(loaded.config.evidence.retention_days, loaded.config.evidence.max_bytes)
        await stack.enter_async_context(
            beside(lambda: look_after(stores.sessions, stores.evidence, rules), "store.upkeep_failed")
        )
        setup = Setup(home, loaded, settings, options.goes_on)
        yield _wire(
            setup,
            stores,
            documents_of(worker),
            net,
            Secrets.load(home, env),
            table,
            options.workspace or Path.cwd(),
            await stack.enter_async_context(background_tasks()),
        )


def _chosen_route(loaded: Loaded) -> str:
    """The configured route, or nothing where nobody configured one, so that a route's reason is true."""
    chosen = any("model.route" in layer.values for layer in loaded.layers if layer.name != "default")
    return loaded.config.model.route if chosen else ""


def _wire(
    setup: Setup, stores: Stores, documents: Documents, net: Net, keys: Secrets, table: SecretTable, workspace: Path,
    group: anyio.abc.TaskGroup,
) -> Runtime:  # fmt: skip
    home, config = setup.home, setup.loaded.config
    redactor = SecretRedactor(table)
    count = TokenCounter()
    shelf = EvidenceShelf(stores.evidence, redactor, count)
    settings = CurrentSettings(setup.settings.beside())
    web = WebParts(home, settings, documents.reader, net, keys.get, table, stores.library)
    opener = ReferenceOpener(web.libraries, shelf, documents.reader, Roots(workspace, home.pages))
    routes = Routes(
        provider_table(),
        config.providers,
        output_tokens=config.limits.output_tokens,
        cache_ttl=config.models.cache_ttl,
        is_set=lambda name: not is_placeholder(keys.get(name) or "none"),
        facts=ModelFacts(),
    )
    limits = config.limits
    spending = Spending(stores.spend, limits.cost_usd_per_day)
    all_keys = keys_of(routes, home, keys, table, LogIns(home, net, config.providers))
    models = Models(config, routes, net, all_keys, Health(stores.health), spending, _chosen_route(setup.loaded))
    owner = f"{os.uname().nodename}-{os.getpid()}-{entropy.token_hex(4)}"
    browsers = browsers_of(home, settings, web.means, web.downloader, group)
    shooter = PageShooter(web.downloader, documents.painter, browsers.shooter())
    fetcher = fetcher_of(config, web.web.extractor, web.downloader, models.auxiliary("fetch"), redactor)
    reference_shooter = ReferenceShooter(shooter, web.libraries)
    browsing = browsing_of(config, web, opener, shelf, stores.refs, reference_shooter)
    desk = StoredEvidence(stores.evidence, stores.sessions)
    tools = tools_of(config, web.web, opener, fetcher, browsing, browsers, desk)
    titles = ModelTitles(models.auxiliary("title"), stores.sessions, redactor, group) if setup.goes_on else QuestionTitles()
    lanes = Lanes(stores.sessions, owner)
    group.start_soon(lanes.keep)
    parts = AgentParts(
        sessions=stores.sessions,
        lanes=lanes,
        model=models.model,
        begin=models.begin,
        tools=tools,
        toolsets=frozenset(config.tools.toolsets),
        reports=reports_of(config.evidence, shelf, redactor),
        handing=Handing(stores.evidence),
        result_chars=config.tools.max_result_chars,
        redactor=redactor,
        titles=titles,
        shelf=shelf,
        count=count,
        limits=Limits(limits.steps, limits.tokens, limits.time_s, limits.cost_usd, limits.cost_usd_per_day),
        day=spending.refusal,
        room=WindowRoom(config.context.fold_at, config.context.fold_to, at_tokens=config.context.fold_at_tokens),
    )
    problems = (
        *setup.loaded.problems,
        *keys.problems,
        *models.problems,
        *task_problems(msgspec.to_builtins(config.auxiliary), routes),
        *toolset_problems(config.tools.toolsets, tools),
        *browser_problems(config, browsers),
        *backend_problems(config, web.offer),
    )
    setup = msgspec.structs.replace(setup, loaded=msgspec.structs.replace(setup.loaded, problems=problems))
    references = References(browsing.browser, shelf, reference_shooter, browsers)
    return Runtime(setup, stores, web.library, web.web, references, Agent(parts), models)
