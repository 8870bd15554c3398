"""Every tool there is, wired."""

from limen.agent.toolsets import WEB_TOOLSETS
from limen.builtin.tools.evidence import EvidenceInspect, EvidenceSearch, EvidenceStatus
from limen.builtin.tools.find import Find
from limen.builtin.tools.read_file import ReadFile
from limen.config.schema import Config
from limen.core.ports import EvidenceDesk, Opener, Tool
from limen.core.untrusted import fresh_nonce
from limen.web.fetch import PageFetcher
from limen.web.tools.extract import WebExtract
from limen.web.tools.fetch import WebFetch
from limen.web.tools.search import WebSearch
from limen.wiring.browser import LateBrowsers
from limen.wiring.browsing import Browsing
from limen.wiring.web import Web

# The toolset whose tools open what a search has given a handle.
_BROWSE = "browse"


def tools_of(
    config: Config,
    web: Web,
    opener: Opener,
    fetcher: PageFetcher,
    browsing: Browsing,
    browsers: LateBrowsers,
    desk: EvidenceDesk,
) -> dict[str, Tool]:
    """Every tool there is; which of them a session has is its toolsets' affair."""
    handles = browsing.browser.handles if _BROWSE in config.tools.toolsets else None
    narrow: list[Tool] = [
        WebSearch(web.searcher, handles),
        WebExtract(web.extractor, config.web.max_urls, config.web.extract_char_limit),
        *browsing.single_tools(),
    ]
    every: list[Tool] = [
        *(narrow if config.web.surface == "narrow" else [browsing.one_tool()]),
        WebFetch(fetcher, fresh_nonce),
        *browsers.tools(),
        ReadFile(opener, fresh_nonce),
        Find(opener, fresh_nonce),
        EvidenceInspect(desk, fresh_nonce),
        EvidenceSearch(desk, fresh_nonce),
        EvidenceStatus(desk, fresh_nonce),
    ]
    return {tool.spec.name: tool for tool in every if config.web.mode != "off" or tool.spec.toolset not in WEB_TOOLSETS}
