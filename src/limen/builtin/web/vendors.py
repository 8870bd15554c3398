"""The web's vendors as data: what each can do, whose key it takes, where that key may go, how to get it going."""

from importlib.util import find_spec
from shutil import which
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from limen.core.fault import Refusal

Keyless = Literal["no", "yes", "chosen"]


class Vendor(msgspec.Struct, frozen=True):
    """One vendor of search or page reading.

    `key_env` and `url_env` are the usual variables of its key and of the address of an instance of one's own. Its key goes to
    the host of `base_url` and that host's subdomains. `keyless` says whether it answers without a key, of itself or only where
    a person chose so. `spends` marks a call of a model, counted as spend. `detected` ones are used of themselves when their key
    or address is set. `gateway_env` is the variable of the token that a managed gateway takes in place
    of the vendor's key. `package` or `program` must be installed. `start` tells how to get it going.
    A `field` makes it a domain search: what it is asked for of itself, without a key, and who is told; `fits` names the
    function of `domains.fields` that says how well a question fits. `made_by` names its provider's class, below this package;
    both are loaded when they are needed.
    """

    name: str
    made_by: str
    extract: bool = False
    base_url: str = ""
    key_env: str = ""
    url_env: str = ""
    gateway_env: str = ""
    key_header: str = "authorization"
    keyless: Keyless = "no"
    detected: bool = False
    spends: bool = False
    package: str = ""
    program: str = ""
    start: str = ""
    field: str = ""
    fits: str = ""

    @property
    def host(self) -> str:
        """The host it answers at and its key belongs to; empty where each has an instance of their own, or none is asked."""
        return urlsplit(self.base_url).hostname or ""


# Vendors that answer without a key, in the order in which they stand in for another one that failed.
RING = ("exa", "parallel", "firecrawl", "keenable")
# Who reads result pages made for people; asked unchosen only after the ring.
SCRAPER = "ddgs"


def _key(env: str, place: str) -> str:
    return f"set {env} to a key from {place}"


VENDORS: tuple[Vendor, ...] = (
    Vendor(
        "firecrawl", "engines.firecrawl:Firecrawl", extract=True, base_url="https://api.firecrawl.dev",
        key_env="FIRECRAWL_API_KEY", url_env="FIRECRAWL_API_URL", gateway_env="FIRECRAWL_GATEWAY_TOKEN", keyless="yes",
        detected=True,
        start="set FIRECRAWL_API_KEY to a key from firecrawl.dev, or FIRECRAWL_API_URL to your own instance",
    ),
    Vendor(
        "parallel", "engines.parallel:Parallel", extract=True, base_url="https://api.parallel.ai", key_env="PARALLEL_API_KEY",
        key_header="x-api-key", keyless="yes", detected=True,
        start=_key("PARALLEL_API_KEY", "platform.parallel.ai"),
    ),
    Vendor(
        "tavily", "engines.tavily:Tavily", extract=True, base_url="https://api.tavily.com", key_env="TAVILY_API_KEY",
        keyless="chosen", detected=True,
        start=_key("TAVILY_API_KEY", "app.tavily.com"),
    ),
    Vendor(
        "exa", "engines.exa:Exa", extract=True, base_url="https://api.exa.ai", key_env="EXA_API_KEY", key_header="x-api-key",
        keyless="yes", detected=True,
        start=_key("EXA_API_KEY", "dashboard.exa.ai"),
    ),
    Vendor(
        "keenable", "engines.keenable:Keenable", extract=True, base_url="https://api.keenable.ai", key_env="KEENABLE_API_KEY",
        key_header="x-api-key", keyless="yes", detected=True,
        start=_key("KEENABLE_API_KEY", "keenable.ai/console"),
    ),
    Vendor(
        "searxng", "engines.searxng:Searxng", url_env="SEARXNG_URL", keyless="yes", detected=True,
        start="set SEARXNG_URL to the address of your instance, with json among its search.formats",
    ),
    Vendor(
        "brave", "engines.brave:Brave", base_url="https://api.search.brave.com/res/v1", key_env="BRAVE_SEARCH_API_KEY",
        key_header="x-subscription-token",
        start=_key("BRAVE_SEARCH_API_KEY", "api-dashboard.search.brave.com"),
    ),
    Vendor(
        "brave-free", "engines.brave:BraveFree", base_url="https://api.search.brave.com/res/v1", key_env="BRAVE_SEARCH_API_KEY",
        key_header="x-subscription-token", detected=True,
        start=_key("BRAVE_SEARCH_API_KEY", "api-dashboard.search.brave.com"),
    ),
    Vendor(
        "ddgs", "engines.ddgs:Ddgs", keyless="yes", package="ddgs",
        start="pip install 'limen-agent[ddgs]'",
    ),
    Vendor(
        "bing-html", "engines.bing_html:BingHtml", base_url="https://www.bing.com", keyless="chosen",
        start="limen config set web.search_backend bing-html",
    ),
    Vendor(
        "xai", "engines.hosted:XaiSearch", base_url="https://api.x.ai/v1", key_env="XAI_API_KEY", spends=True,
        start=_key("XAI_API_KEY", "console.x.ai") + ", and name a model: limen config set web.xai.model NAME",
    ),
    Vendor(
        "openai-hosted", "engines.hosted:OpenAIHosted", base_url="https://api.openai.com/v1", key_env="OPENAI_API_KEY",
        spends=True,
        start="set OPENAI_API_KEY, and name a model: limen config set web.openai_hosted.model NAME",
    ),
    Vendor(
        "anthropic-hosted", "engines.hosted:AnthropicHosted", base_url="https://api.anthropic.com/v1",
        key_env="ANTHROPIC_API_KEY", key_header="x-api-key", spends=True,
        start="set ANTHROPIC_API_KEY, and name a model: limen config set web.anthropic_hosted.model NAME",
    ),
    Vendor(
        "github", "domains.github:GitHub", base_url="https://api.github.com", key_env="GITHUB_TOKEN", keyless="yes",
        start="set GITHUB_TOKEN for more searches a minute",
        field="questions that name GitHub or a repository go to api.github.com", fits="fits_github",
    ),
    Vendor(
        "arxiv", "domains.arxiv:Arxiv", base_url="https://export.arxiv.org", keyless="yes",
        start="limen search --provider arxiv WORDS",
        field="questions for papers and preprints go to export.arxiv.org", fits="fits_arxiv",
    ),
    Vendor(
        "wikipedia", "domains.wikipedia:Wikipedia", base_url="https://wikipedia.org", keyless="yes",
        start="limen search --provider wikipedia WORDS",
        field="who or what something is goes to the Wikipedia of the question's language", fits="fits_wikipedia",
    ),
    Vendor(
        "docs-sitemap", "domains.docs_sitemap:DocsSitemap", keyless="yes",
        start="limen search --provider docs-sitemap --site docs.python.org WORDS",
        field="a documentation site that is named is asked for its own index, and not told the question",
        fits="fits_documentation",
    ),
    Vendor(
        "pip", "domains.packages:PackageIndex", keyless="yes", program="pip",
        start="python -m ensurepip",
        field="names of Python packages go where pip's own settings say", fits="fits_pip",
    ),
    Vendor(
        "npm", "domains.packages:PackageIndex", keyless="yes", program="npm",
        start="install npm, which comes with Node.js",
        field="names and descriptions of npm packages go where npm's own settings say", fits="fits_npm",
    ),
    Vendor(
        "cargo", "domains.packages:PackageIndex", keyless="yes", program="cargo",
        start="install cargo, which comes with Rust",
        field="names and descriptions of Rust crates go where cargo's own settings say", fits="fits_cargo",
    ),
)  # fmt: skip


def vendor_table() -> dict[str, Vendor]:
    """The vendors by name."""
    return {vendor.name: vendor for vendor in VENDORS}


def lacking(vendor: Vendor, *, key: bool, address: bool, model: bool = True, keyless: bool = True) -> Refusal | None:
    """What a vendor lacks to be used, where it has a key, an address of its own, or a model to search with.

    `keyless` says whether it may be asked without a key, if it answers so at all. Nobody is asked.
    """
    if vendor.package and find_spec(vendor.package) is None:
        return Refusal(vendor.name, "web.not_installed", f"The package {vendor.package} is not installed.", vendor.start)
    if vendor.program and which(vendor.program) is None and find_spec(vendor.program) is None:
        return Refusal(vendor.name, "web.not_installed", f"The program {vendor.program} is not installed.", vendor.start)
    if not vendor.base_url and vendor.url_env and not address:
        return Refusal(vendor.name, "web.no_address", f"No instance of {vendor.name} is named.", vendor.start)
    if vendor.spends and not model:
        return Refusal(vendor.name, "web.no_model", f"No model is named for {vendor.name}.", vendor.start)
    if vendor.key_env and not key and not address and not (keyless and vendor.keyless != "no"):
        return Refusal(vendor.name, "web.no_key", f"{vendor.name} has no key.", vendor.start)
    return None
