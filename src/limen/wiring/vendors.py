"""The web's vendors as the configuration has them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from limen.builtin.web.offered import Means, Offer, VendorSettings, offered
from limen.builtin.web.sites import Sites
from limen.config.schema import Config
from limen.core.ports import Reader
from limen.core.web import Location
from limen.wiring.net import Net

if TYPE_CHECKING:
    import httpx2


def vendors_of(
    config: Config, net: Net, reader: Reader, secret: Callable[[str], str | None], sites: Sites | None = None
) -> Offer:
    """Every vendor as a provider, usable or not. Without `sites` no site is asked for its own index."""
    return offered(_vendor_settings(config), Means(secret, _client_for(net), reader, sites or Sites()))


def nobody_reads() -> Reader:
    """The reader of who only asks vendors what they lack. Raises AssertionError where a page is read after all."""
    raise AssertionError("nothing is read here")


def _client_for(net: Net) -> Callable[[str], "httpx2.AsyncClient"]:
    return lambda address: net.for_named(address) if address else net.reading()


def _vendor_settings(config: Config) -> VendorSettings:
    web = config.web
    return VendorSettings(
        urls={"firecrawl": web.firecrawl.api_url, "searxng": web.searxng.api_url},
        gateways={"firecrawl": web.firecrawl.gateway},
        models={"xai": web.xai.model, "openai-hosted": web.openai_hosted.model, "anthropic-hosted": web.anthropic_hosted.model},
        tiers={name: getattr(web.provider_tier, name) for name in web.provider_tier.__struct_fields__},
        location=location_of(config),
    )


def location_of(config: Config) -> Location:
    """Where searches come from, as far as that was set."""
    place = config.web.location
    return Location(place.country, place.region, place.city, place.timezone)
