"""Reading a page on a question: who reads it, and who answers."""

from typing import TYPE_CHECKING

from limen.config.schema import Config
from limen.core.late import LateQuoter
from limen.core.ports import Auxiliary, Quoter, Redactor
from limen.core.untrusted import fresh_nonce
from limen.kit.deferred import load
from limen.models.resolve import DEFAULT_ROUTE
from limen.web.answering import PageAnswerer
from limen.web.download import Downloader
from limen.web.extract import Extractor
from limen.web.fetch import FetchParts, PageFetcher

if TYPE_CHECKING:
    from limen.builtin.models.quoting import ExtractiveQuoter


def fetcher_of(
    config: Config, extractor: Extractor, downloader: Downloader, auxiliary: Auxiliary, redactor: Redactor
) -> PageFetcher:
    """Answers with the auxiliary model where there is one, with passages otherwise."""
    answerer = PageAnswerer(auxiliary, LateQuoter(DEFAULT_ROUTE, _quoter), redactor, fresh_nonce)
    return PageFetcher(FetchParts(extractor, downloader, answerer, config.web.extract_char_limit))


def _quoter() -> Quoter:
    quoter: type[ExtractiveQuoter] = load("limen.builtin.models.quoting:ExtractiveQuoter")
    return quoter()
