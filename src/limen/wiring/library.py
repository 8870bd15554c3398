"""The web as the library reads it: past the gates of page reading, page by page or site by site; and who says what texts mean."""

from collections.abc import Callable, Mapping

from limen.config.schema import Config
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Embedder
from limen.core.web import Extraction, Held, Unread
from limen.kit.deferred import load
from limen.web.download import Downloaded, Downloader
from limen.web.extract import Extractor
from limen.web.library.outside import CrawlRules, Outside, WebPage
from limen.web.shapers.shelve import STORE_CHARS
from limen.wiring.net import Net


def embedder_of(config: Config, net: Net) -> Embedder | None:
    """The endpoint that the settings name; None where they name none."""
    address, model = config.library.embeddings.strip(), config.library.embeddings_model.strip()
    if not address:
        return None
    make: Callable[..., Embedder] = load("limen.builtin.web.embeddings:EndpointEmbedder")
    return make(lambda: net.for_named(address), address, model)


def outside_of(settings: Callable[[], Config], extractor: Extractor, downloader: Downloader) -> Outside:
    """Single pages are read as everybody's are, by whichever reader is chosen; pages of sites are fetched from here."""

    async def page(url: str, held: Held | None) -> WebPage | Refusal:
        # A page that the library has is asked for again; one that it lacks may come from what was read lately.
        wish = Extraction((url,), limit_chars=STORE_CHARS, fresh=held is not None, held=(held,) if held is not None else ())
        answer = await extractor.extract(wish, CallContext(), fenced=False)
        if answer.refusal is not None:
            return answer.refusal
        (entry,) = answer.entries
        return entry.refusal if isinstance(entry, Unread) else WebPage(entry.page, entry.validators, entry.moved_to)

    async def get(url: str, max_bytes: int, headers: Mapping[str, str]) -> Downloaded | Refusal:
        return await downloader.download(url, CallContext(), max_bytes=max_bytes, headers=headers)

    library = settings().library
    rules = CrawlRules(
        delay_s=library.crawl_delay_s, most_pages=library.crawl_max_pages, most_bytes=library.crawl_max_mb * 1_000_000
    )
    return Outside(page, get, rules)
