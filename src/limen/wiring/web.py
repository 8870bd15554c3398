"""The web of a process: gates, readers, search, and the library that both draw on."""

from collections.abc import Callable
from importlib.resources import files

from limen.builtin.web.library import LibrarySearch
from limen.config.paths import Home
from limen.config.schema import Config
from limen.core.context import CallContext
from limen.core.ports import Embedder, Reader
from limen.core.web import Entry, ExtractAnswer, Extraction, PageFormat, SearchAnswer, SearchRequest
from limen.kit.flights import Flights
from limen.kit.log import failed_open
from limen.kit.redact import SecretTable
from limen.kit.remade import Remade
from limen.store.library import LibraryStore
from limen.web.debug import DebugLog
from limen.web.extract import Extractor
from limen.web.gates.policy import RulesNow
from limen.web.gates.secrets import SecretsGate
from limen.web.library.index import MANUAL, DocumentIndex
from limen.web.library.libraries import Libraries
from limen.web.library.outside import Outside
from limen.web.masking import Masking
from limen.web.named_file import read_file
from limen.web.rules import block_list, secret_rules
from limen.web.search import Searcher
from limen.wiring.files import downloader_of
from limen.wiring.library import embedder_of, outside_of
from limen.wiring.net import Net
from limen.wiring.reading import ReadingMeans, extractor_of, library_documents
from limen.wiring.searching import Guards, Shelves, searcher_of
from limen.wiring.sites import sites_of
from limen.wiring.vendors import vendors_of


class Web:
    """Search and page reading for people and programs: past the same gates as a model's, without the fence."""

    def __init__(self, searcher: Searcher, extractor: Extractor, reader: Reader) -> None:
        self.searcher = searcher
        self.extractor = extractor
        self._reader = reader

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        return await self.searcher.search(request, context, fenced=False)

    async def extract(self, request: Extraction, context: CallContext) -> ExtractAnswer:
        return await self.extractor.extract(request, context, fenced=False)

    async def read_file(self, name: str, page_format: PageFormat, limit_chars: int) -> Entry:
        """A file that a person named, shown as a page is. Nothing of it leaves."""
        return await self.extractor.shaped(await read_file(name, self._reader, page_format), limit_chars)


class WebParts:
    """Everything of the web, wired: `web` for people and programs, the library to add to, and what is searched of it.

    Search, page reading and whatever judges addresses go by the `settings` as they are at each call; vendors' keys and
    addresses by those at the start.
    """

    def __init__(
        self, home: Home, settings: Callable[[], Config], reader: Reader, net: Net, secret: Callable[[str], str | None],
        table: SecretTable, store: LibraryStore,
    ) -> None:  # fmt: skip
        self.settings = settings
        config = settings()
        rules = Remade(settings, secret_rules)
        gate, masked = SecretsGate(table, rules), Masking(table, rules)
        blocked = RulesNow(Remade(settings, lambda config: block_list(config, home.root)))
        self.offer = offer = vendors_of(config, net, reader, secret, sites_of(settings, net, gate, blocked))
        documents = library_documents(lambda: self.libraries)
        self.means = means = ReadingMeans(home, reader, net, gate, blocked, offer, documents, Flights())
        always = _is_on(secret("WEB_TOOLS_DEBUG"))
        record = DebugLog(home.logs, masked, lambda: always or settings().web.debug)
        extractor = extractor_of(settings, means, masked, record)
        self.downloader = downloader_of(settings, means)
        outside = outside_of(settings, extractor, self.downloader)
        self.library, self.libraries, own = _libraries(config, store, reader, outside, embedder_of(config, net))
        self.guards = Guards(gate, blocked, table, masked)
        shelves = Shelves(LibrarySearch(self.libraries), LibrarySearch(own))
        searcher = searcher_of(home, settings, shelves, offer, self.guards, net, record)
        self.web = Web(searcher, extractor, reader)


def _libraries(
    config: Config, store: LibraryStore, reader: Reader, outside: Outside, embedder: Embedder | None
) -> tuple[DocumentIndex, Libraries, Libraries]:
    """The index to add to, what is searched, and what is searched beside others, where the manual stands in for nothing."""
    names = config.library.search or ("default",)
    indexes = [DocumentIndex(store, reader, library=name, outside=outside, embedder=embedder) for name in names]
    manual = DocumentIndex(store, reader, library=MANUAL)

    async def prepare_manual() -> None:
        report = await manual.add([str(files("limen") / "manual")])
        if report.refusal is not None:
            failed_open(report.refusal.code, report.refusal.reason)

    own = Libraries(indexes, manual, prepare_manual, manual_stands_in=False)
    return indexes[0], Libraries(indexes, manual, prepare_manual), own


def _is_on(value: str | None) -> bool:
    return (value or "").strip().lower() in ("1", "true", "yes", "on")
