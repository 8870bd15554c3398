"""The typed configuration: every key with its type, default, unit and meaning. Reader, writer, checker and manual use this one.

`Meta.extra` of a key may hold `tightens` (True: the key can only forbid, so it is kept while the rest of its section falls
back to defaults), `strict` (the value that stands in for one that cannot be read), `command` (the command line that changes it;
no variable and no option does) and `instead` (no variable sets it; what a person types in place of `{variable}` to set `{key}`).
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from limen.config.evidence import Evidence
from limen.config.fallback_entry import Entries
from limen.config.kinds import (
    TIGHTENS,
    AuxiliaryRoute,
    Dollars,
    Endpoint,
    FoldTokens,
    HostOrNetwork,
    KeyReference,
    Name,
    Network,
    Proxy,
    RouteName,
    Tokens,
    TurnSeconds,
    VariableName,
    WindowTokens,
    Word,
)  # fmt: skip
from limen.config.web import Web
from limen.core.prompt_cache import CacheTtl
from limen.core.route import Effort, WireName

VERSION = 2

# Read from the settings file alone, so that nothing in the surroundings can send a conversation to another provider.
_CHAIN = {"command": "limen fallback add ROUTE"}
_IN_FILE = {"instead": 'limen config set {key} "${variable}"'}


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """Which model answers."""

    route: Annotated[
        RouteName,
        Meta(
            extra={"instead": 'export LIMEN_MODEL="${variable}"'},
            description="The route that answers, as `provider/model`. `limen/extractive` quotes what was read and needs no "
            "model at all.",
        ),
    ] = "limen/extractive"


class Auxiliary(msgspec.Struct, frozen=True, kw_only=True):
    """Small jobs for a second model, each `auto`, `off` or a route of its own. `auto` asks the main route, then the small models
    of the providers whose key is set. A job that nobody does fails no turn."""

    title: Annotated[
        AuxiliaryRoute, Meta(extra=_IN_FILE, description="A short title for a conversation, after its first answer.")
    ] = "auto"
    fold: Annotated[AuxiliaryRoute, Meta(extra=_IN_FILE, description="A summary of what leaves the model's window.")] = "auto"
    fetch: Annotated[
        AuxiliaryRoute,
        Meta(extra=_IN_FILE, description="A question about one page; where nobody else does, its passages answer."),
    ] = "auto"
    vision: Annotated[AuxiliaryRoute, Meta(extra=_IN_FILE, description="What a picture shows, for a model that sees none.")] = (
        "auto"
    )
    memory: Annotated[AuxiliaryRoute, Meta(extra=_IN_FILE, description="What of a conversation is worth remembering.")] = "auto"
    schedule: Annotated[AuxiliaryRoute, Meta(extra=_IN_FILE, description="A scheduled prompt that needs no conversation.")] = (
        "auto"
    )


class Models(msgspec.Struct, frozen=True, kw_only=True):
    """How models are asked, whichever they are."""

    max_retries: Annotated[
        int, Meta(ge=0, le=10, description="How often a route is tried again after a failure that may pass by itself.")
    ] = 2
    idle_s: Annotated[
        float,
        Meta(
            ge=1,
            le=3_600,
            description="Seconds that a server may say nothing before it is given up; one that only keeps the connection alive "
            "has three times as long. A large prompt on a small machine, or long thinking, takes minutes.",
        ),
    ] = 300.0
    cache_ttl: Annotated[
        CacheTtl,
        Meta(
            description="How long a provider shall keep the beginning of a conversation, so that it need not be read anew, where "
            "it can be told: `1h` is worth its price for one that you leave for more than five minutes.",
        ),
    ] = "5m"


class Fallback(msgspec.Struct, frozen=True, kw_only=True):
    """When another route answers. The routes themselves are the list `fallback_providers`."""

    wait_s: Annotated[
        float,
        Meta(
            ge=0,
            le=600,
            description="Seconds that are waited for a provider that says when it takes requests again: a wait keeps the "
            "prompt cache, another route does not have it.",
        ),
    ] = 10.0
    back: Annotated[
        Literal["turn", "sticky", "until-reset"],
        Meta(
            description="When the first route is asked again: `turn` at the next turn, unless it is known to be out of order; "
            "`until-reset` when the time is over that its provider named, without one not in this session; `sticky` not in "
            "this session.",
        ),
    ] = msgspec.field(default="turn", name="return")
    per_turn: Annotated[
        Literal["one", "chain"],
        Meta(description="How far one turn goes: to `one` other route, or along the whole `chain`, each route once."),
    ] = "chain"


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """A model provider: its own name under `providers` makes a new one, a known name changes what is built in."""

    endpoint: Annotated[
        Endpoint | None,
        Meta(extra=_IN_FILE, description="Base URL of the API, such as `http://127.0.0.1:8080/v1`."),
    ] = None
    api_key_env: Annotated[
        VariableName | None,
        Meta(
            description="Name of the environment variable, or of the line in the secrets file, that holds the key. Never the "
            "key itself.",
        ),
    ] = None
    keys: Annotated[
        tuple[KeyReference, ...],
        Meta(
            description="More keys of this provider, used as `key_strategy` says: references such as `env:OPENAI_API_KEY_2`, "
            "`file:PATH`, `cmd:COMMAND` or `keyring:SERVICE/NAME`. Never the keys themselves."
        ),
    ] = ()
    key_strategy: Annotated[
        Literal["least_used", "round_robin", "fill_first"],
        Meta(
            description="Which of several keys is used: `least_used` gives each conversation the one used least and stays with "
            "it, so that the prompt cache holds; `round_robin` takes turns with every request; `fill_first` keeps to their order."
        ),
    ] = "least_used"
    issuer: Annotated[
        Endpoint | None,
        Meta(
            extra=_IN_FILE,
            description="Base URL of the service where one logs in, for a provider that takes a log-in in place of a key.",
        ),
    ] = None
    wire: Annotated[WireName | None, Meta(description="The protocol the endpoint speaks.")] = None
    model: Annotated[
        Name | None, Meta(extra=_IN_FILE, description="The model that is meant where a route names only the provider.")
    ] = None
    window_tokens: Annotated[WindowTokens | None, Meta(description="Size of the model's context window, in tokens.")] = None
    effort: Annotated[
        Effort, Meta(description="How hard its models shall think before they answer; empty leaves that to them.")
    ] = ""
    quirks: Annotated[tuple[Word, ...] | None, Meta(description="Departures of this server from its protocol.")] = None


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Where a turn ends at the latest."""

    steps: Annotated[int, Meta(ge=1, le=1_000, extra=TIGHTENS, description="Model replies in one turn.")] = 25
    tokens: Annotated[Tokens | None, Meta(extra=TIGHTENS, description="Tokens of one turn, sent and received together.")] = None
    time_s: Annotated[TurnSeconds | None, Meta(extra=TIGHTENS, description="Seconds one turn may take.")] = 600.0
    cost_usd: Annotated[
        Dollars | None,
        Meta(extra=TIGHTENS, description="US dollars one turn may cost, by the provider's prices."),
    ] = None
    cost_usd_per_day: Annotated[
        Dollars | None,
        Meta(
            extra=TIGHTENS,
            description="US dollars that models may cost on one day, local time, all conversations of the home together. "
            "What is free still answers. `limen model costs` shows what went.",
        ),
    ] = None
    output_tokens: Annotated[int, Meta(ge=1, le=1_000_000, description="Tokens of one model reply.")] = 4_096


class WebsiteBlocklist(msgspec.Struct, frozen=True, kw_only=True):
    """Websites that are neither read nor shown among search results."""

    enabled: Annotated[bool, Meta(extra={"tightens": True, "strict": True}, description="Whether the list holds.")] = False
    domains: Annotated[
        tuple[Name, ...],
        Meta(extra=TIGHTENS, description="Rules: `example.org` is the host and all below it, `*.example.org` only those below."),
    ] = ()
    shared_files: Annotated[
        tuple[Name, ...],
        Meta(extra=TIGHTENS, description="Files with one rule a line; relative paths start at the home."),
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
    fake_ip_detect: Annotated[
        bool,
        Meta(
            description="Whether such a proxy is found out: addresses of `198.18.0.0/15` pass while two public names and "
            "one that does not exist are all answered from there."
        ),
    ] = False
    proxy: Annotated[
        Proxy,
        Meta(
            extra={"tightens": True, "strict": "http://proxy.invalid:9"},  # nothing is asked past the proxy that was meant
            description="A proxy for pages, as `http://host:port`; the only way one is ever used. It is given checked addresses.",
        ),
    ] = ""
    website_blocklist: WebsiteBlocklist = WebsiteBlocklist()


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """The built-in page reader."""

    max_bytes: Annotated[int, Meta(ge=1_000, le=1_000_000_000, description="Bytes of one page after decompression.")] = 10_000_000
    connect_timeout_s: Annotated[float, Meta(gt=0, le=600, description="Seconds until a connection must stand.")] = 10.0
    total_timeout_s: Annotated[float, Meta(gt=0, le=3_600, description="Seconds until a page must have been read.")] = 60.0
    max_redirects: Annotated[int, Meta(ge=0, le=20, description="Redirects that are followed for one page.")] = 5
    max_url_chars: Annotated[int, Meta(ge=100, le=8_000, description="Characters of a URL, escapes included.")] = 8_000
    max_pdf_bytes: Annotated[int, Meta(ge=1_000, le=1_000_000_000, description="Bytes of one PDF, office document or book.")] = (
        50_000_000
    )
    connections: Annotated[int, Meta(ge=1, le=64, description="Pages of one call that are fetched at a time.")] = 16
    connections_per_host: Annotated[
        int, Meta(ge=1, le=64, description="The same for one host, unless `security.allow_private_hosts` names it.")
    ] = 6
    user_agent: Annotated[
        str,
        Meta(
            pattern=r"^[ -~]*\Z",
            max_length=300,
            title="text in plain ASCII",
            description="What the reader calls itself; empty for its own name.",
        ),
    ] = ""
    accept_language: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9*,;=. -]*\Z",
            max_length=200,
            title="languages such as `de, en;q=0.8`, or empty",
            description="Languages that pages are asked for in; empty says nothing.",
        ),
    ] = ""


class Library(msgspec.Struct, frozen=True, kw_only=True):
    """The private document index."""

    search: Annotated[tuple[Name, ...], Meta(description="Libraries that a search looks into.")] = ("default",)
    embeddings: Annotated[
        str,
        Meta(
            description="Address of an OpenAI-compatible endpoint, such as http://127.0.0.1:8080/v1, that says what texts mean: "
            "searches then find by meaning too. All texts of your libraries are sent there. Empty: by words alone."
        ),
    ] = ""
    embeddings_model: Annotated[str, Meta(description="Model that the endpoint is asked for; empty for its only one.")] = ""
    crawl_delay_s: Annotated[
        float,
        Meta(
            ge=0,
            le=3_600,
            description="Seconds between two requests to a host while a site is read; its robots.txt may ask more.",
        ),
    ] = 0.5
    crawl_max_pages: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Pages that one site, sitemap or feed may bring into a library.")
    ] = 2_000
    crawl_max_mb: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Megabytes that one source may fetch in one go; the next goes on from there.")
    ] = 1_000


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
    fold_at_tokens: Annotated[
        FoldTokens | None,
        Meta(
            description="So many tokens fold it as well, however large the window is: every reply pays for all that is in it, "
            "and above the default several vendors charge more for each token. `none` leaves it to the share."
        ),
    ] = 200_000


class Browser(msgspec.Struct, frozen=True, kw_only=True):
    """The browser of the extra `browser`."""

    executable: Annotated[
        str, Meta(description="Chromium's program; empty for the one that Playwright installed, else the system's.")
    ] = ""
    render: Annotated[
        Literal["auto", "never", "always"],
        Meta(
            description="Which pages that Limen reads itself have their scripts run: those that say little without, none, or all."
        ),
    ] = "auto"
    timeout_s: Annotated[float, Meta(gt=0, le=600, description="Seconds that a page or an act in it may take.")] = 30.0
    idle_minutes: Annotated[float, Meta(gt=0, le=1_440, description="Minutes after which an unused browser ends.")] = 10.0


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
    auxiliary: Auxiliary = Auxiliary()
    models: Models = Models()
    fallback: Fallback = Fallback()
    fallback_providers: Annotated[
        Entries,
        Meta(
            extra=_CHAIN,
            title="a list (each entry: `provider/model`, or a mapping)",
            description="The routes that answer, in this order, when the first one cannot. An entry is `provider/model`, or a "
            "mapping with `provider`, `model` and, where they differ from the provider's own, `base_url`, `key` (a reference "
            "such as `env:NAME`, never a key), `wire` and `window` (tokens).",
        ),
    ] = ()
    fallback_model: Annotated[
        Entries,
        Meta(
            extra=_CHAIN,
            title="a mapping, or a list of them",
            description="The older name of `fallback_providers`: one such mapping or a list of them, asked after those.",
        ),
    ] = ()
    providers: dict[str, Provider] = {}
    limits: Limits = Limits()
    web: Web = Web()
    security: Security = Security()
    reader: Reader = Reader()
    library: Library = Library()
    tools: Tools = Tools()
    context: Context = Context()
    evidence: Evidence = Evidence()
    browser: Browser = Browser()
    ui: Ui = Ui()
    plugins: Annotated[dict[str, dict[str, Any]], Meta(description="Settings of plug-ins, each under its name.")] = {}
