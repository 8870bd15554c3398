"""The settings of search and page reading: the section `web` of the configuration."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from limen.config.kinds import TIGHTENS, Host, HostPermission, Name, Permission


class SecretParams(msgspec.Struct, frozen=True, kw_only=True):
    """Changes to the list of URL parameters that are taken for credentials."""

    add: Annotated[tuple[Name, ...], Meta(extra=TIGHTENS, description="Parameter names that are credentials here too.")] = ()
    remove: Annotated[tuple[Name, ...], Meta(description="Parameter names that are no credentials here.")] = ()


Tier = Annotated[
    Literal["auto", "free", "paid"],
    Meta(
        description="`free` asks without a key even where one is set, `paid` never without, `auto` with one where there is one."
    ),
]


class ProviderTier(msgspec.Struct, frozen=True, kw_only=True):
    """Which tier of a vendor is used."""

    exa: Tier = "auto"
    firecrawl: Tier = "auto"
    keenable: Tier = "auto"
    parallel: Tier = "auto"
    tavily: Tier = "auto"


class VendorAddress(msgspec.Struct, frozen=True, kw_only=True):
    """A vendor's software on a server of one's own, or behind a gateway."""

    api_url: Annotated[str, Meta(description="Its address; empty for the vendor's usual one, or the vendor's variable.")] = ""


class VendorGateway(VendorAddress, frozen=True, kw_only=True):
    """A vendor that is also reached through a managed gateway, by a token of the gateway's own."""

    gateway: Annotated[
        str,
        Meta(
            description="Address of a managed gateway; goes before `api_url`. Its token stands in FIRECRAWL_GATEWAY_TOKEN "
            "and goes to that host alone."
        ),
    ] = ""


class VendorModel(msgspec.Struct, frozen=True, kw_only=True):
    """A search that a model vendor makes with a model of its own; each search is a paid call of it."""

    model: Annotated[str, Meta(description="The vendor's name of the model; the search cannot be used without one.")] = ""


class SearchLocation(msgspec.Struct, frozen=True, kw_only=True):
    """Where searches come from; nothing is said to anybody unless it is set."""

    country: Annotated[
        str,
        Meta(
            pattern=r"^([A-Z]{2})?\Z",
            title="two capital letters such as `DE`, or empty",
            description="ISO 3166-1 code of the country.",
        ),
    ] = ""
    region: Annotated[str, Meta(description="Region or state.")] = ""
    city: Annotated[str, Meta(description="City.")] = ""
    timezone: Annotated[str, Meta(description="IANA name, such as `Europe/Berlin`.")] = ""


class Web(msgspec.Struct, frozen=True, kw_only=True):
    """Search and page reading."""

    mode: Annotated[
        Literal["off", "cached", "indexed", "live"],
        Meta(
            extra={"tightens": True, "strict": "off"},
            description="`off` takes the web tools away, `cached` answers from the library and stored pages alone, `indexed` "
            "searches but fetches no page, `live` does all.",
        ),
    ] = "live"
    surface: Annotated[
        Literal["narrow", "namespace"],
        Meta(
            description="What a model gets: `narrow` is a tool for each act (the toolset `browse` adds opening by reference), "
            "`namespace` the one tool `web` with lists of commands."
        ),
    ] = "narrow"
    facts: Annotated[
        bool,
        Meta(
            extra={"tightens": True, "strict": False},
            description="Whether the tool `web` asks public providers for the weather, prices and fixtures, where the mode lets "
            "somebody be asked.",
        ),
    ] = True
    backend: Annotated[str, Meta(description="Provider for search and for page reading; empty chooses among the available.")] = ""
    search_backend: Annotated[str, Meta(description="Provider for search; goes before `web.backend`.")] = ""
    extract_backend: Annotated[str, Meta(description="Provider for page reading; goes before `web.backend`.")] = ""
    extract_char_limit: Annotated[
        int, Meta(ge=2_000, le=500_000, description="Characters shown of each page; the whole is stored.")
    ] = 15_000
    max_urls: Annotated[int, Meta(ge=1, le=50, description="URLs that a model may read in one call.")] = 5
    secret_exempt_hosts: Annotated[
        tuple[Host, ...], Meta(description="Hosts whose URLs may carry credentials; they are read by the local reader alone.")
    ] = ()
    secret_params: SecretParams = SecretParams()
    permission: Annotated[
        Permission,
        Meta(
            extra={"tightens": True, "strict": "deny"},
            description="What holds for hosts without a rule: `allow`, `ask` a person, `deny`; known documentation is allowed.",
        ),
    ] = "allow"
    permissions: Annotated[
        tuple[HostPermission, ...],
        Meta(description="Rules for hosts and what lies below them: `domain:example.org=ask`. The nearest rule holds."),
    ] = ()
    allowed_domains: Annotated[
        tuple[Host, ...],
        Meta(extra=TIGHTENS, description="Where there are any, only these domains are read and shown among search results."),
    ] = ()
    blocked_domains: Annotated[
        tuple[Host, ...],
        Meta(extra=TIGHTENS, description="Domains that are neither read nor shown; they win over what is allowed."),
    ] = ()
    unseen_urls: Annotated[
        Literal["allow", "ask", "refuse"],
        Meta(
            extra={"tightens": True, "strict": "refuse"},
            description="What holds for an address that nobody has shown, once text from the web is in the window.",
        ),
    ] = "ask"
    documentation_hosts: Annotated[
        tuple[Host, ...],
        Meta(description="Further documentation sites, with what lies below them, whose own index may be searched."),
    ] = ()
    search_chain: Annotated[
        tuple[Name, ...],
        Meta(description="Search providers asked in order until one answers; goes before what is found of itself."),
    ] = ()
    extract_chain: Annotated[
        tuple[Name, ...],
        Meta(
            description="Page readers asked in order, each for what those before it could not read; goes before what is found "
            "of itself. `web.extract_backend` goes before it."
        ),
    ] = ()
    extract_timeout_s: Annotated[
        float, Meta(gt=0, le=3_600, description="Seconds one reader may take for every four pages; those finished are kept.")
    ] = 120.0
    redirects: Annotated[
        Literal["follow", "same-host"],
        Meta(
            extra={"tightens": True, "strict": "same-host"},
            description="Whether a page may lead to another host: `follow`, or `same-host`, which hands the new address back.",
        ),
    ] = "follow"
    prefer_local: Annotated[
        bool, Meta(description="Whether pages are read by the local reader even where a vendor's key is set.")
    ] = False
    keyless_fallback: Annotated[
        bool,
        Meta(
            description="Whether a search that nobody was chosen for, and that your library does not answer, goes on to searches "
            "of one field (such as an encyclopedia) and to free search providers. The query then goes to vendors that were not "
            "chosen; `false` keeps it in the library."
        ),
    ] = True
    keyless_rescue: Annotated[
        bool,
        Meta(
            description="Whether free vendors are asked when the chosen one fails all pages of a call, or a search. The "
            "addresses or the query then go to vendors that were not chosen."
        ),
    ] = True
    provider_tier: ProviderTier = ProviderTier()
    firecrawl: VendorGateway = VendorGateway()
    searxng: VendorAddress = VendorAddress()
    xai: VendorModel = VendorModel()
    openai_hosted: VendorModel = VendorModel()
    anthropic_hosted: VendorModel = VendorModel()
    location: SearchLocation = SearchLocation()
    cache_enabled: Annotated[
        bool, Meta(description="Whether pages read and searches made lately are kept and answered from disk.")
    ] = True
    cache_ttl_minutes: Annotated[
        int, Meta(ge=1, le=1_440, description="Minutes for which a kept page or search counts as new.")
    ] = 20
    cache_exempt_hosts: Annotated[
        tuple[Host, ...], Meta(description="Hosts, or `*.host` for what lies below one, whose pages are never kept.")
    ] = ()
    cache_max_mb: Annotated[
        int, Meta(ge=1, le=100_000, description="Megabytes of kept and of stored pages together; the oldest make room.")
    ] = 100
    cache_stale_minutes: Annotated[
        int,
        Meta(
            ge=0,
            le=525_600,
            description="Minutes past `web.cache_ttl_minutes` for which a kept page stands in, with its age, where it cannot be "
            "read anew; with 0 that is an error.",
        ),
    ] = 0
    debug: Annotated[
        bool,
        Meta(
            description="Whether each call is written to `logs/web-TURN.json`, without secrets. `WEB_TOOLS_DEBUG` does the same."
        ),
    ] = False
