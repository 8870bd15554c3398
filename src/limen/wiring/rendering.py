"""The browser that runs the scripts of pages without text: made when first used, and only where it is installed."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from limen.builtin.browser.rules import BrowserMeans, BrowserRules
from limen.config.paths import Home
from limen.config.schema import Config
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Rendered
from limen.core.web import RawFile
from limen.kit.deferred import load
from limen.net.host import host_of
from limen.web.gates.policy import HostRules
from limen.web.gates.secrets import SecretsGate
from limen.web.rules import secret_rules
from limen.wiring.judging import judges_of
from limen.wiring.net import Net

if TYPE_CHECKING:
    from limen.builtin.browser.renderer import PageRenderer

NOT_INSTALLED = Refusal(
    "browser", "browser.not_installed", "The extra `browser` is not installed.", "pip install 'limen-agent[browser]'"
)


def missing_browser() -> Refusal | None:
    """What is lacking of the extra, from installed packages alone."""
    return None if find_spec("playwright") is not None else NOT_INSTALLED


def browser_rules(config: Config) -> BrowserRules:
    """What an operator set of browsers."""
    settings = config.browser
    return BrowserRules(settings.executable, settings.timeout_s, settings.idle_minutes * 60.0)


class LateRenderer:
    """The `Renderer` port. A host to which credentials may go is never shown by a browser: what it sends is for one reader."""

    def __init__(self, means: BrowserMeans, limit_chars: int, never: frozenset[str]) -> None:
        self._means = means
        self._limit_chars = limit_chars
        self._never = never
        self._made: PageRenderer | None = None

    async def render(self, given: RawFile, context: CallContext) -> Rendered | Refusal:
        """Codes beside those of `PageRenderer`: `browser.not_installed`, `browser.credentials`."""
        if (missing := missing_browser()) is not None:
            return missing
        if host_of(given.url) in self._never:
            reason = "Credentials may go to this host (web.secret_exempt_hosts), so no browser is shown its pages."
            return Refusal("browser", "browser.credentials", reason, "Open it in a browser of your own.")
        if self._made is None:
            made: type[PageRenderer] = load("limen.builtin.browser.renderer:PageRenderer")
            self._made = made(self._means, self._limit_chars)
        return await self._made.render(given, context)


def renderer_of(home: Home, config: Config, net: Net, secrets: SecretsGate, blocked: HostRules) -> LateRenderer:
    """The renderer as the settings have it: what a page leads to and is made of passes the gates of page reading."""

    async def passed(_url: str, _context: CallContext) -> Refusal | None:
        return None  # what is rendered was fetched

    judges = judges_of(lambda: config, secrets, blocked, passed)
    means = BrowserMeans(home.browser_profiles, lambda: net.policy, net.resolver, judges, browser_rules(config))
    return LateRenderer(means, config.reader.max_bytes, secret_rules(config).exempt_hosts)
