"""The browser of the extra `browser`: made when first used, and only where it is installed."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.abc
import anyio.to_thread

from limen.builtin.browser.profiles import remove_profile
from limen.builtin.browser.rules import BrowserMeans
from limen.builtin.browser.tools import TOOLSET, BrowserAct, BrowserOpen, BrowserScreenshot, BrowserSnapshot
from limen.config.paths import Home
from limen.config.problem import Problem
from limen.config.schema import Config
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Shot, Tool
from limen.core.untrusted import fresh_nonce
from limen.core.web import RawFile
from limen.kit.deferred import load
from limen.web.download import Downloader
from limen.web.screenshot import BrowserCamera
from limen.wiring.judging import judges_of
from limen.wiring.reading import ReadingMeans
from limen.wiring.rendering import browser_rules, missing_browser

if TYPE_CHECKING:
    from limen.builtin.browser.browsers import Browsers
    from limen.builtin.browser.login import LoggedIn


class LateBrowsers:
    """Browsers of a process: their tools, their pictures, a person's log-in."""

    def __init__(self, means: BrowserMeans, group: anyio.abc.TaskGroup) -> None:
        self._means = means
        self._group = group
        self._made: Browsers | None = None

    @property
    def _browsers(self) -> "Browsers":
        if self._made is None:
            made: type[Browsers] = load("limen.builtin.browser.browsers:Browsers")
            self._made = made(self._means, self._group)
        return self._made

    def missing(self) -> Refusal | None:
        """What is lacking, from installed packages alone."""
        return missing_browser()

    def tools(self) -> list[Tool]:
        """The toolset `browser`; empty where it is not installed."""
        if self.missing() is not None:
            return []
        vet = self._means.judges.named
        return [
            BrowserOpen(lambda: self._browsers, vet, fresh_nonce),
            *(made(lambda: self._browsers, fresh_nonce) for made in (BrowserAct, BrowserSnapshot, BrowserScreenshot)),
        ]

    def shooter(self) -> BrowserCamera | None:
        """Who pictures web pages; None where it is not installed."""
        return self if self.missing() is None else None

    async def shoot(self, url: str, page: int, context: CallContext, given: RawFile | None = None) -> Shot | Refusal:
        """A picture by a browser of its own; see `BrowserCamera`."""
        shooter: BrowserCamera = load("limen.builtin.browser.shooter:BrowserShooter")(self._means)
        return await shooter.shoot(url, page, context, given)

    async def log_in(self, url: str, session: str, opened: Callable[[], Awaitable[None]]) -> "LoggedIn | Refusal":
        """A window for a person, whose cookies stay with the session. Codes beside the gates': `browser.*`."""
        if (missing := self.missing()) is not None:
            return missing
        log_in: Any = load("limen.builtin.browser.login:log_in")
        done: LoggedIn | Refusal = await log_in(self._browsers, self._means.judges.named, url, session, opened)
        return done

    async def forget(self, session: str) -> bool:
        """Remove a session's profile with its cookies; whether there was one. Also where the extra was uninstalled since.

        Raises ToolFault `browser.busy`, `browser.profile_left`.
        """
        if self._made is not None:
            return await self._made.forget(session)
        return await anyio.to_thread.run_sync(remove_profile, self._means.profiles, session)

    def program(self) -> Path | Refusal:
        """Chromium's program, or why no page can be shown; nothing is started."""
        missing = self.missing()
        return missing if missing is not None else self._browsers.program()


def browsers_of(
    home: Home, settings: Callable[[], Config], means: ReadingMeans, downloader: Downloader, group: anyio.abc.TaskGroup
) -> LateBrowsers:
    """The browsers of a process. `group` is where they live."""
    rules, net = browser_rules(settings()), means.net
    judges = judges_of(settings, means.secrets, means.blocked, downloader.vet)
    return LateBrowsers(BrowserMeans(home.browser_profiles, lambda: net.policy, net.resolver, judges, rules), group)


def browser_problems(config: Config, browsers: LateBrowsers) -> tuple[Problem, ...]:
    """What is wrong where the toolset is wanted and cannot be had."""
    missing = browsers.missing() if TOOLSET in config.tools.toolsets else None
    if missing is None:
        return ()
    return (Problem("warning", missing.code, missing.reason, missing.mend, "tools.toolsets", "tools.toolsets"),)
