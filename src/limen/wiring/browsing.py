"""Browsing by reference, wired: for people, and as a model's tools."""

import msgspec

from limen.config.schema import Config
from limen.core.browse import BrowseSettings
from limen.core.ports import BrowseNamespace, Opener, RefTable, Screenshooter, Shelf, Tool
from limen.core.untrusted import fresh_nonce
from limen.evidence.redactor import SecretRedactor
from limen.web.browse.browser import Browser
from limen.web.browse.facts import Facts
from limen.web.browse.handles import Handles
from limen.web.browse.hosted import HostedNamespace
from limen.web.browse.namespace import HereNamespace
from limen.web.browse.queries import Queries
from limen.web.browse.revisit import Revisit
from limen.web.tools.browse import WebClick, WebFind, WebOpen
from limen.web.tools.namespace import Web as WebTool
from limen.wiring.vendors import location_of
from limen.wiring.web import WebParts

# Those that search for pictures, in the order in which they are asked: one's own first, the keyless one last.
PICTURES = ("searxng", "brave", "firecrawl", "ddgs")
_KEYLESS = "ddgs"


class Browsing(msgspec.Struct, frozen=True):
    """What opens things again for a person, and what does it for a model."""

    browser: Browser
    namespace: BrowseNamespace
    settings: BrowseSettings
    result_chars: int
    facts: bool = True

    def single_tools(self) -> list[Tool]:
        """One tool for each act."""
        return [made(self.namespace, self.settings) for made in (WebOpen, WebClick, WebFind)]

    def one_tool(self) -> Tool:
        """One tool for all."""
        return WebTool(self.namespace, self.settings, self.result_chars, facts=self.facts)


def browsing_of(
    config: Config,
    web: WebParts,
    opener: Opener,
    shelf: Shelf,
    table: RefTable,
    shooter: Screenshooter,
    elsewhere: BrowseNamespace | None = None,
) -> Browsing:
    """Browsing as the settings have it: a model's is carried out here, or `elsewhere` behind gates where that can be used."""
    parts, secrets = web.web.extractor.parts, web.guards.secrets
    revisit = Revisit(parts)
    browser = Browser(web.web.extractor, opener, shelf, Handles(table), revisit)
    namespace: BrowseNamespace
    if elsewhere is not None and elsewhere.unavailable() is None:
        namespace = HostedNamespace(elsewhere, secrets, revisit, SecretRedactor(web.guards.table), fresh_nonce)
    else:
        facts = Facts(web.offer.facts, secrets, lambda: parts().rules.mode, lambda: web.settings().web.facts)
        queries = Queries(web.web.searcher, pictures_of(config, web))
        namespace = HereNamespace(browser, queries, facts, shooter, fresh_nonce)
    return Browsing(browser, namespace, browse_settings(config), config.tools.max_result_chars, config.web.facts)


def browse_settings(config: Config) -> BrowseSettings:
    """What an operator set that whoever browses must heed."""
    web = config.web
    return BrowseSettings(web.mode, location_of(config), web.allowed_domains, web.blocked_domains)


def pictures_of(config: Config, web: WebParts) -> list[str]:
    """Who may be asked for pictures. The keyless one is asked unasked only where that is allowed."""
    chosen = (config.web.search_backend or config.web.backend).strip()
    names = dict.fromkeys((chosen, *PICTURES))
    usable = [name for name in names if name in PICTURES and name in web.offer.search]
    usable = [name for name in usable if web.offer.search[name].unavailable() is None]
    return [name for name in usable if name != _KEYLESS or config.web.keyless_fallback or name == chosen]
