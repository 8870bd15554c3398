"""The browsers of a process: one a session, each with its own profile and proxy, ended when nobody has used it for a while."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.abc
import anyio.to_thread
from playwright.async_api import BrowserContext

from limen.builtin.browser.admission import Admission
from limen.builtin.browser.chromium import chromium, find_chromium
from limen.builtin.browser.profiles import picture_profile, profile_of, remove_profile
from limen.builtin.browser.rules import BrowserMeans
from limen.builtin.browser.tab import Tab
from limen.core.fault import Refusal
from limen.kit.atomic import make_private_dir
from limen.net.checking_proxy import CheckingProxy


class _Living:
    """A session's browser: its tab, and the scope that ends it; its deadline moves with each use."""

    def __init__(self, tab: Tab, scope: anyio.CancelScope) -> None:
        self.tab = tab
        self.scope = scope
        self.ended = anyio.Event()


class Browsers:
    """Tabs by session. Browsers live in `group`, and end with it at the latest."""

    def __init__(self, means: BrowserMeans, group: anyio.abc.TaskGroup) -> None:
        self._means = means
        self._group = group
        self._living: dict[str, _Living] = {}
        self._locks: dict[str, anyio.Lock] = {}

    def opened(self, session: str) -> Tab | None:
        """The session's tab where its browser runs."""
        living = self._living.get(session)
        if living is None or living.scope.cancel_called:
            return None
        self._touch(living)
        return living.tab

    async def tab(self, session: str) -> Tab | Refusal:
        """The session's tab; its browser is started at the first use. Raises ToolFault `browser.not_started`, `browser.busy`."""
        program = self.program()
        if isinstance(program, Refusal):
            return program
        async with self._locks.setdefault(session, anyio.Lock()):
            tab = self.opened(session)
            if tab is not None:
                return tab
            ending = self._living.get(session)
            if ending is not None:
                await ending.ended.wait()
            living: _Living = await self._group.start(self._live, session, program)
            return living.tab

    def program(self) -> Path | Refusal:
        """Chromium's program, or why there is none."""
        named = self._means.rules.executable
        program = find_chromium(named, os.environ)
        if program is not None:
            return program
        reason = f"There is no program {named}." if named else "No Chromium is installed."
        mend = "playwright install chromium, or name yours: limen config set browser.executable PATH"
        return Refusal("browser", "browser.no_chromium", reason, mend)

    async def forget(self, session: str) -> bool:
        """Remove a session's profile with its cookies; whether there was one. Raises ToolFault as `remove_profile`."""
        living = self._living.get(session)
        if living is not None:
            living.scope.cancel()
            await living.ended.wait()
        return await anyio.to_thread.run_sync(remove_profile, self._means.profiles, session)

    @asynccontextmanager
    async def for_picture(self, program: Path) -> AsyncIterator[Tab]:
        """A browser with an empty profile that is gone afterwards: nobody's cookies are sent, and none are kept."""
        async with picture_profile(self._means.profiles) as profile, self._started(profile, program) as (_context, tab):
            yield tab

    @asynccontextmanager
    async def for_person(self, session: str, program: Path) -> AsyncIterator[tuple[BrowserContext, Tab]]:
        """A window over a session's profile. Where a person goes in it, hosts alone are judged."""
        async with self._started(profile_of(self._means.profiles, session), program, headless=False) as opened:
            yield opened

    @asynccontextmanager
    async def _started(self, profile: Path, program: Path, *, headless: bool = True) -> AsyncIterator[tuple[BrowserContext, Tab]]:
        """A browser of its own over a profile, behind a proxy of its own, for the length of a block."""
        means = self._means
        judges = means.judges if headless else means.judges.for_person()
        await anyio.to_thread.run_sync(make_private_dir, profile)
        admission = Admission(means.judges.resource)
        proxy = CheckingProxy(means.policy(), means.resolver, admission)
        async with (
            proxy.serve() as address,
            chromium(program, profile, address, headless=headless, timeout_s=means.rules.timeout_s) as context,
        ):
            tab = Tab(context, proxy, admission, judges, means.rules)
            await tab.prepare()
            yield context, tab

    async def _live(self, session: str, program: Path, *, task_status: anyio.abc.TaskStatus[_Living]) -> None:
        """One browser from start to end: nobody's use, its own end, or that of the process."""
        living: _Living | None = None
        try:
            with anyio.CancelScope() as scope:
                async with self._started(profile_of(self._means.profiles, session), program) as (context, tab):
                    living = self._living[session] = _Living(tab, scope)
                    self._touch(living)
                    context.on("close", lambda _context: scope.cancel())
                    task_status.started(living)
                    await anyio.sleep_forever()
        finally:
            if living is not None:
                del self._living[session]
                living.ended.set()

    def _touch(self, living: _Living) -> None:
        rules = self._means.rules  # what is begun now may take as long as anything may
        living.scope.deadline = anyio.current_time() + rules.timeout_s + rules.idle_s
