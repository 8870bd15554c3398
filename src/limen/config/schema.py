"""The typed configuration: every key with its type, default, unit and meaning. Reader, writer, checker and manual use this one.

`Meta.extra` of a key may hold `tightens` (True: the key can only forbid, so it is kept while the rest of its section falls
back to defaults) and `strict` (the value that stands in for one that cannot be read).
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from limen.core.route import WireName

VERSION = 1

# The outer shape of what the network's own rules read, so that a slip is found while the section can still fall back.
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
_V4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_V6 = r"[0-9A-Fa-f:]*:[0-9A-Fa-f:]*(?:[0-9.]+)?"
_V6_BITS = r"(?:12[0-8]|1[01][0-9]|[1-9]?[0-9])"
_PORT = r"(?::[0-9]{1,5})?"

Name = Annotated[str, Meta(min_length=1, title="text")]
Host = Annotated[str, Meta(pattern=r"^[^\s/@?#]+\Z", title="a host name")]
HostOrNetwork = Annotated[
    str,
    Meta(
        pattern=rf"^(?:(?:\*?\.)?[A-Za-z0-9_][A-Za-z0-9._-]*{_PORT}|{_V4}/(?:3[0-2]|[12]?[0-9]){_PORT}|{_V6}(?:/{_V6_BITS})?"
        rf"|\[{_V6}(?:/{_V6_BITS})?\]{_PORT})\Z",
        max_length=300,
        title="a host, an address or a network, with `:port` where only that is meant (no `http://`, no path)",
    ),
]
Network = Annotated[
    str,
    Meta(
        pattern=rf"^(?:{_V4}/(?:[4-9]|[12][0-9]|3[0-2])|{_V6}/(?!0*[0-6]\Z){_V6_BITS})\Z",
        title="a network such as `198.18.0.0/15`",
    ),
]
Word = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_-]*\Z", title="a lower-case word")]
Endpoint = Annotated[str, Meta(pattern=r"^https?://\S+\Z", title="a URL that begins with `http://` or `https://`")]
WindowTokens = Annotated[int, Meta(ge=1_000, le=100_000_000)]
Tokens = Annotated[int, Meta(ge=1)]
TurnSeconds = Annotated[float, Meta(gt=0, le=31_536_000)]
Dollars = Annotated[float, Meta(ge=0, le=1_000_000)]
VariableName = Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]*\Z", title="the name of a variable, such as `OPENAI_API_KEY`")]
Permission = Literal["allow", "ask", "deny"]
HostPermission = Annotated[
    str, Meta(pattern=r"^domain:[^\s/@?#=]+=(allow|ask|deny)\Z", title="a rule, such as `domain:example.org=ask`")
]
RouteName = Annotated[str, Meta(pattern=r"^[^\s/]+/\S+\Z", title="a route, `provider/model`")]

_TIGHTENS = {"tightens": True}


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """Which model answers."""

    route: Annotated[
        RouteName,
        Meta(
            description="The route that answers, as `provider/model`. `limen/extractive` quotes what was read and needs no "
            "model at all.",
        ),
    ] = "limen/extractive"


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """A model provider: its own name under `providers` makes a new one, a known name changes what is built in."""

    endpoint: Annotated[
        Endpoint | None,
        Meta(description="Base URL of the API, such as `http://127.0.0.1:8080/v1`."),
    ] = None
    api_key_env: Annotated[
        VariableName | None,
        Meta(
            description="Name of the environment variable, or of the line in the secrets file, that holds the key. Never the "
            "key itself.",
        ),
    ] = None
    wire: Annotated[WireName | None, Meta(description="The protocol the endpoint speaks.")] = None
    model: Annotated[Name | None, Meta(description="The model that is meant where a route names only the provider.")] = None
    window_tokens: Annotated[WindowTokens | None, Meta(description="Size of the model's context window, in tokens.")] = None
    quirks: Annotated[tuple[Word, ...] | None, Meta(description="Departures of this server from its protocol.")] = None


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Where a turn ends at the latest."""

    steps: Annotated[int, Meta(ge=1, le=1_000, extra=_TIGHTENS, description="Model replies in one turn.")] = 25
    tokens: Annotated[Tokens | None, Meta(extra=_TIGHTENS, description="Tokens of one turn, sent and received together.")] = None
    time_s: Annotated[TurnSeconds | None, Meta(extra=_TIGHTENS, description="Seconds one turn may take.")] = 600.0
    cost_usd: Annotated[
        Dollars | None,
        Meta(extra=_TIGHTENS, description="US dollars one turn may cost, by the provider's prices."),
    ] = None
    output_tokens: Annotated[int, Meta(ge=1, le=1_000_000, description="Tokens of one model reply.")] = 4_096


class SecretParams(msgspec.Struct, frozen=True, kw_only=True):
    """Changes to the list of URL parameters that are taken for credentials."""

    add: Annotated[tuple[Name, ...], Meta(extra=_TIGHTENS, description="Parameter names that are credentials here too.")] = ()
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


class VendorModel(msgspec.Struct, frozen=True, kw_only=True):
    """A search that a model vendor makes with a model of its own; each search is a paid call of it."""

    model: Annotated[str, Meta(description="The vendor's name of the model; the search cannot be used without one.")] = ""


class SearchLocation(msgspec.Struct, frozen=True, kw_only=True):
    """Where searches come from; nothing is said to anybody unless it is set."""

    country: Annotated[
        str, Meta(pattern=r"^([A-Z]{2})?\Z", title="two capitals", description="ISO 3166-1 code, such as `DE`.")
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
        Meta(extra=_TIGHTENS, description="Where there are any, only these domains are read and shown among search results."),
    ] = ()
    blocked_domains: Annotated[
        tuple[Host, ...],
        Meta(extra=_TIGHTENS, description="Domains that are neither read nor shown; they win over what is allowed."),
    ] = ()
    unseen_urls: Annotated[
        Literal["allow", "ask", "refuse"],
        Meta(
            extra={"tightens": True, "strict": "refuse"},
            description="What holds for an address that nobody has shown, once text from the web is in the window.",
        ),
    ] = "ask"
    search_chain: Annotated[
        tuple[Name, ...],
        Meta(description="Search providers asked in order until one answers; goes before what is found of itself."),
    ] = ()
    prefer_local: Annotated[
        bool, Meta(description="Whether pages are read by the local reader even where a vendor's key is set.")
    ] = False
    keyless_rescue: Annotated[
        bool,
        Meta(
            description="Whether free readers are asked when the chosen vendor fails all pages of a call. The addresses then go "
            "to vendors that were not chosen."
        ),
    ] = True
    provider_tier: ProviderTier = ProviderTier()
    firecrawl: VendorAddress = VendorAddress()
    searxng: VendorAddress = VendorAddress()
    xai: VendorModel = VendorModel()
    openai_hosted: VendorModel = VendorModel()
    anthropic_hosted: VendorModel = VendorModel()
    location: SearchLocation = SearchLocation()
    cache_enabled: Annotated[bool, Meta(description="Whether pages read lately are kept and answered from disk.")] = True
    cache_ttl_minutes: Annotated[int, Meta(ge=1, le=1_440, description="Minutes for which a kept page counts as new.")] = 20
    cache_exempt_hosts: Annotated[
        tuple[Host, ...], Meta(description="Hosts, or `*.host` for what lies below one, whose pages are never kept.")
    ] = ()
    cache_max_mb: Annotated[int, Meta(ge=1, le=100_000, description="Megabytes of kept pages; the oldest make room.")] = 100


class WebsiteBlocklist(msgspec.Struct, frozen=True, kw_only=True):
    """Websites that are neither read nor shown among search results."""

    enabled: Annotated[bool, Meta(extra={"tightens": True, "strict": True}, description="Whether the list holds.")] = False
    domains: Annotated[
        tuple[Name, ...],
        Meta(extra=_TIGHTENS, description="Rules: `example.org` is the host and all below it, `*.example.org` only those below."),
    ] = ()
    shared_files: Annotated[
        tuple[Name, ...],
        Meta(extra=_TIGHTENS, description="Files with one rule a line; relative paths start at the home."),
    ] = ()


class Security(msgspec.Struct, frozen=True, kw_only=True):
    """What the network gate lets through. A section that cannot be read opens nothing."""

    allow_private_hosts: Annotated[
        tuple[HostOrNetwork, ...],
        Meta(description="Hosts, addresses and networks inside your own network that may be read: `wiki.lan`, `10.1.0.0/16`."),
    ] = ()
    fake_ip_ranges: Annotated[
        tuple[Network, ...],
        Meta(description="Networks from which your proxy's DNS answers with stand-in addresses, such as `198.18.0.0/15`."),
    ] = ()
    proxy: Annotated[
        str,
        Meta(
            description="A proxy for pages, as `http://host:port`; the only way one is ever used. It is given checked addresses."
        ),
    ] = ""
    website_blocklist: WebsiteBlocklist = WebsiteBlocklist()


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """The built-in page reader."""

    max_bytes: Annotated[int, Meta(ge=1_000, le=1_000_000_000, description="Bytes of one page after decompression.")] = 10_000_000
    connect_timeout_s: Annotated[float, Meta(gt=0, le=600, description="Seconds until a connection must stand.")] = 10.0
    total_timeout_s: Annotated[float, Meta(gt=0, le=3_600, description="Seconds until a page must have been read.")] = 60.0
    max_redirects: Annotated[int, Meta(ge=0, le=20, description="Redirects that are followed for one page.")] = 5
    max_url_chars: Annotated[int, Meta(ge=100, le=100_000, description="Characters of a URL.")] = 8_000


class Library(msgspec.Struct, frozen=True, kw_only=True):
    """The private document index."""

    search: Annotated[tuple[Name, ...], Meta(description="Libraries that a search looks into.")] = ("default",)


class Tools(msgspec.Struct, frozen=True, kw_only=True):
    """What a model may call."""

    toolsets: Annotated[tuple[Word, ...], Meta(description="Toolsets that a session starts with.")] = ("web", "files")
    max_result_chars: Annotated[
        int, Meta(ge=2_000, le=500_000, description="Characters that one call may put into the window.")
    ] = 100_000


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """The model's window."""

    fold_at: Annotated[
        float, Meta(ge=0.5, le=0.95, description="Share of the window that must be full before old blocks leave it.")
    ] = 0.75
    fold_to: Annotated[float, Meta(ge=0.1, le=0.5, description="Share of the window that is still full after that.")] = 0.5


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """The shelf: whole outputs of which the window got a part."""

    retention_days: Annotated[int, Meta(ge=0, le=36_500, description="Days an output is kept.")] = 30
    max_store_size_mb: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Megabytes (10⁶ bytes) of outputs; the oldest go first.")
    ] = 100

    @property
    def max_bytes(self) -> int:
        """`max_store_size_mb` in bytes."""
        return self.max_store_size_mb * 1_000_000


class Ui(msgspec.Struct, frozen=True, kw_only=True):
    """The terminal."""

    color: Annotated[
        Literal["auto", "always", "never"], Meta(description="Colours; `auto` uses them on a terminal unless NO_COLOR is set.")
    ] = "auto"
    history_lines: Annotated[
        int, Meta(ge=0, le=1_000_000, description="Lines typed into `limen chat` that are remembered; 0 remembers none.")
    ] = 1_000


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """The whole configuration. `providers` goes by name; `plugins.NAME` belongs to the plug-in of that name, unchecked here."""

    version: Annotated[int, Meta(ge=1, description="The shape of this file. Limen writes it.")] = VERSION
    model: Model = Model()
    providers: dict[str, Provider] = {}
    limits: Limits = Limits()
    web: Web = Web()
    security: Security = Security()
    reader: Reader = Reader()
    library: Library = Library()
    tools: Tools = Tools()
    context: Context = Context()
    evidence: Evidence = Evidence()
    ui: Ui = Ui()
    plugins: Annotated[dict[str, dict[str, Any]], Meta(description="Settings of plug-ins, each under its name.")] = {}
