"""The web's providers as one process has them: which vendors there are, which can be used now, and who may stand in for whom.

A vendor's code is loaded at its first use; whether it can be used is told from the table, its key and its address alone.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from limen.builtin.web.facts.desk import FactDesk
from limen.builtin.web.facts.table import FACT_VENDORS
from limen.builtin.web.sites import Sites
from limen.builtin.web.vendors import RING, SCRAPER, VENDORS, Vendor, lacking, vendor_table
from limen.core.facts import FactKind
from limen.core.fault import Refusal
from limen.core.late import LateExtractProvider, LateSearchProvider
from limen.core.ports import DomainSearch, ExtractProvider, FactProvider, Reader, SearchProvider
from limen.core.web import Location, SearchRequest
from limen.kit.deferred import load

if TYPE_CHECKING:
    import httpx2

    from limen.builtin.web.calling.provider import Setup

Tier = str  # auto, free or paid

_SEARCH_TIMEOUT_S, _EXTRACT_TIMEOUT_S = 30.0, 60.0
# Who is asked unchosen is not waited for as long as who was chosen.
_UNCHOSEN_TIMEOUT_S, _UNCHOSEN_CONNECT_S = 15.0, 3.0
_CONNECT_TIMEOUT_S = 10.0
_MAX_BYTES = 10_000_000
# It asks sites through our own gates and has no vendor behind it.
_SITES = "docs-sitemap"


class VendorSettings(msgspec.Struct, frozen=True):
    """What an operator said of vendors: addresses of their own, managed gateways, models, tiers (`auto`, `free`, `paid`), and
    where they are."""

    urls: Mapping[str, str] = {}
    gateways: Mapping[str, str] = {}
    models: Mapping[str, str] = {}
    tiers: Mapping[str, Tier] = {}
    location: Location = Location()


class Means(msgspec.Struct, frozen=True):
    """What providers work with: secrets by variable, the client for an operator's address (empty: the public web), a reader.

    `sites` lets a domain search look at a site's own index.
    """

    secret: Callable[[str], str | None]
    client_for: Callable[[str], "httpx2.AsyncClient"]
    reader: Reader
    sites: Sites = Sites()


class Offer(msgspec.Struct, frozen=True):
    """Providers by name; `detected` are usable of themselves, in order; `ring` needs no key; `eligible` may be rescued.

    `domains` search one field each, where they fit the question. `facts` know what changes by the hour, one for each kind.
    """

    search: Mapping[str, SearchProvider]
    extract: Mapping[str, ExtractProvider]
    detected: tuple[str, ...]
    ring: tuple[ExtractProvider, ...]
    ring_all_paid: bool
    eligible: frozenset[str]
    domains: tuple[DomainSearch, ...] = ()
    search_ring: tuple[SearchProvider, ...] = ()
    scraper: SearchProvider | None = None
    ring_hosts: tuple[str, ...] = ()
    facts: Mapping[FactKind, FactProvider] = {}


class _LateDomainSearch(LateSearchProvider):
    """A domain search made at its first search; how well it fits is asked without making it."""

    def __init__(
        self,
        name: str,
        make: Callable[[], SearchProvider],
        missing: Callable[[], Refusal | None],
        fits: Callable[[SearchRequest], float],
    ) -> None:
        super().__init__(name, make, missing)
        self._fits = fits

    def fits(self, request: SearchRequest) -> float:
        """How well it fits a question."""
        return self._fits(request)


class _Vendors:
    """Makes providers of vendors, with what is known of each."""

    def __init__(self, settings: VendorSettings, means: Means) -> None:
        self._settings = settings
        self._means = means

    def secret(self, vendor: Vendor) -> str | None:
        free = self._settings.tiers.get(vendor.name) == "free"
        variable = vendor.gateway_env if self._settings.gateways.get(vendor.name) else vendor.key_env
        return None if free or not variable else self._means.secret(variable) or None

    def url(self, vendor: Vendor) -> str:
        configured = self._settings.gateways.get(vendor.name, "") or self._settings.urls.get(vendor.name, "")
        return configured or ((self._means.secret(vendor.url_env) or "") if vendor.url_env else "")

    def missing(self, vendor: Vendor) -> Refusal | None:
        """What a vendor lacks to be used."""
        if vendor.name == _SITES:
            return self._means.sites.closed()
        key, address = self.secret(vendor) is not None, bool(self.url(vendor))
        if self._settings.gateways.get(vendor.name) and not key:
            reason = f"The gateway of {vendor.name} has no token."
            return Refusal(vendor.name, "web.no_key", reason, f"set {vendor.gateway_env} to the gateway's token")
        model = bool(self._settings.models.get(vendor.name))
        return lacking(vendor, key=key, address=address, model=model, keyless=self.without_key(vendor))

    def without_key(self, vendor: Vendor) -> bool:
        """Whether a vendor may be asked without a key: where it answers so, and nobody pinned it to its paid tier."""
        tier = self._settings.tiers.get(vendor.name, "auto")
        return tier != "paid" and (vendor.keyless == "yes" or (vendor.keyless == "chosen" and tier == "free"))

    def search(self, vendor: Vendor, *, keyless: bool = False) -> SearchProvider:
        limits = (_UNCHOSEN_TIMEOUT_S, _UNCHOSEN_CONNECT_S) if keyless else (_SEARCH_TIMEOUT_S,)
        return LateSearchProvider(
            vendor.name, self._maker(vendor, *limits, keyless=keyless), self._judge(vendor, keyless=keyless)
        )

    def domain(self, vendor: Vendor) -> DomainSearch:
        make = self._maker(vendor, _UNCHOSEN_TIMEOUT_S, _UNCHOSEN_CONNECT_S)
        known = (self._means.sites.known,) if vendor.name == _SITES else ()

        def fits(request: SearchRequest) -> float:
            fit: float = load(f"limen.builtin.web.domains.fields:{vendor.fits}")(request, *known)
            return fit

        return _LateDomainSearch(vendor.name, make, self._judge(vendor), fits)

    def extract(self, vendor: Vendor, *, keyless: bool = False) -> ExtractProvider:
        make = self._maker(vendor, _EXTRACT_TIMEOUT_S, keyless=keyless)
        return LateExtractProvider(vendor.name, make, self._judge(vendor, keyless=keyless))

    def desk(self, kind: FactKind) -> FactProvider:
        """Whoever has facts of a kind."""
        rows = [one.vendor for one in FACT_VENDORS if one.kind == kind]
        return FactDesk(kind, {vendor.name: self._maker(vendor, _SEARCH_TIMEOUT_S) for vendor in rows})

    def _judge(self, vendor: Vendor, *, keyless: bool = False) -> Callable[[], Refusal | None]:
        """What tells whether it can be used; who is asked without a key always can."""
        return (lambda: None) if keyless else (lambda: self.missing(vendor))

    def _maker(
        self, vendor: Vendor, timeout_s: float, connect_s: float = _CONNECT_TIMEOUT_S, *, keyless: bool = False
    ) -> Callable[[], Any]:
        def make() -> Any:
            provider = load(f"limen.builtin.web.{vendor.made_by}")
            if vendor.name == _SITES:
                return provider(self._means.sites)
            if vendor.program:
                return provider(vendor.name)
            setup = self._setup(vendor, timeout_s, connect_s, keyless=keyless)
            if vendor.extract:
                return provider(setup, self._means.reader)
            return provider(setup, self._settings.models.get(vendor.name, "")) if vendor.spends else provider(setup)

        return make

    def _setup(self, vendor: Vendor, timeout_s: float, connect_s: float, *, keyless: bool) -> "Setup":
        setup: type[Setup] = load("limen.builtin.web.calling.provider:Setup")
        url = "" if keyless else self.url(vendor)
        secret = None if keyless else self.secret(vendor)
        return setup(
            client=lambda: self._means.client_for(url),
            key=load("limen.builtin.web.calling.provider:key_for")(vendor, secret, url),
            base_url=url,
            keyless=keyless or self.without_key(vendor),
            location=self._settings.location,
            limits=load("limen.builtin.web.calling.link:Limits")(timeout_s, _MAX_BYTES, connect_s),
        )


def offered(settings: VendorSettings, means: Means) -> Offer:
    """Every vendor as a provider, usable or not."""
    vendors = _Vendors(settings, means)
    table = vendor_table()
    readers = [vendor for vendor in VENDORS if vendor.extract]
    free = [table[name] for name in RING if settings.tiers.get(name) != "paid"]
    chosen = [vendor for vendor in VENDORS if not vendor.field]
    keyed = [vendor.name for vendor in chosen if vendors.secret(vendor) or vendors.url(vendor) or vendor.name not in RING]
    detected = [
        vendor.name
        for vendor in VENDORS
        if vendor.detected and (vendors.secret(vendor) or vendors.url(vendor)) and vendors.missing(vendor) is None
    ]
    domains = {vendor.name: vendors.domain(vendor) for vendor in VENDORS if vendor.field}
    return Offer(
        search={vendor.name: vendors.search(vendor) for vendor in chosen} | domains,
        extract={vendor.name: vendors.extract(vendor) for vendor in readers},
        detected=tuple(detected),
        ring=tuple(vendors.extract(vendor, keyless=True) for vendor in free),
        ring_all_paid=not free,
        eligible=frozenset(keyed),
        search_ring=tuple(vendors.search(vendor, keyless=True) for vendor in free),
        scraper=vendors.search(table[SCRAPER]),
        ring_hosts=tuple(vendor.host for vendor in free),
        domains=tuple(domains.values()),
        facts={kind: vendors.desk(kind) for kind in get_args(FactKind)},
    )
