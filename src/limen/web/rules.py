"""The operator's settings as the rules that gates go by."""

from pathlib import Path

import msgspec

from limen.config.schema import Config
from limen.core.web import Location
from limen.net.host import spelled
from limen.web.extract import ExtractRules
from limen.web.gates.block_files import WatchedBlockList
from limen.web.gates.cache import CacheRules
from limen.web.gates.memo import MemoRules
from limen.web.gates.permission import Permission, PermissionRules
from limen.web.gates.policy import Rule
from limen.web.gates.secrets import SECRET_PARAMETERS, SecretRules, is_called


def secret_rules(config: Config) -> SecretRules:
    """Parameter names that are credentials, and the hosts that may be given some."""
    params = config.web.secret_params
    removed = frozenset(name.lower() for name in params.remove)
    names = (name for name in SECRET_PARAMETERS | {name.lower() for name in params.add} if not is_called(name, removed))
    return SecretRules(frozenset(names), frozenset(spelled(host) for host in config.web.secret_exempt_hosts))


def block_list(config: Config, home: Path) -> WatchedBlockList:
    """The block-list, empty unless it is switched on; relative files start at the home."""
    settings = config.security.website_blocklist
    if not settings.enabled:
        return WatchedBlockList((), ())
    files = [home / Path(name).expanduser() for name in settings.shared_files]
    return WatchedBlockList([Rule(domain, "config") for domain in settings.domains], files)


def permission_rules(config: Config) -> PermissionRules:
    """Which hosts may be read, and what holds for addresses that nobody has shown."""
    web = config.web
    named = (rule.removeprefix("domain:").lower().rsplit("=", 1) for rule in web.permissions)
    hosts = msgspec.convert({spelled(host): said for host, said in named}, dict[str, Permission])
    return PermissionRules(web.permission, hosts, web.allowed_domains, web.blocked_domains, web.unseen_urls)


def cache_rules(config: Config) -> CacheRules:
    """How long a page counts as new, for how long an old one stands in, whose pages are never kept, and what alters them."""
    web, reader = config.web, config.reader
    asked_with = (reader.user_agent, reader.accept_language, config.security.proxy)
    return CacheRules(
        enabled=web.cache_enabled,
        ttl_s=web.cache_ttl_minutes * 60.0,
        exempt_hosts=web.cache_exempt_hosts,
        stale_s=web.cache_stale_minutes * 60.0,
        variants={"local": "\n".join(asked_with) if any(asked_with) else "", "firecrawl": web.firecrawl.api_url},
    )


def memo_rules(config: Config, location: Location) -> MemoRules:
    """How long a search counts as new."""
    return MemoRules(config.web.cache_enabled, config.web.cache_ttl_minutes * 60.0, location)


def extract_rules(config: Config, backend: str, searchers: frozenset[str]) -> ExtractRules:
    """Who reads pages when a call does not say, and what a call may ask. `searchers` only search."""
    return ExtractRules(
        backend=backend,
        max_url_chars=config.reader.max_url_chars,
        mode=config.web.mode,
        searchers=searchers,
        chain=extract_chain(config),
        patience_s=config.web.extract_timeout_s,
        same_host=config.web.redirects == "same-host",
    )


def extract_chain(config: Config) -> tuple[str, ...]:
    """The chain of page readers; none where one reader was chosen."""
    chosen = config.web.extract_backend.strip() or config.web.backend.strip()
    return () if chosen else tuple(filter(None, (name.strip() for name in config.web.extract_chain)))
