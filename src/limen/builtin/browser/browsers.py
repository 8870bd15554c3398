"""The browsers of a process: one a session, each with its own profile and proxy, ended when nobody has used it for a while."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.abc
import anyio.to_thread
from playwright.async_api import BrowserContext

from limen.builtin.browser.profiles import profile_of, remove_profile
from limen.builtin.browser.rules import BrowserMeans
from limen.builtin.browser.start import program_of, started
from limen.builtin.browser.tab import Tab
from limen.core.fault import Refusal


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
        return program_of(self._means.rules)

    async def forget(self, session: str) -> bool:
        """Remove a session's profile with its cookies; whether there was one. Raises ToolFault as `remove_profile`."""
        living = self._living.get(session)
        if living is not None:
            living.scope.cancel()
            await living.ended.wait()
        return await anyio.to_thread.run_sync(remove_profile, self._means.profiles, session)

    @asynccontextmanager
    async def for_person(self, session: str, program: Path) -> AsyncIterator[tuple[BrowserContext, Tab]]:
        """A window over a session's profile. Where a person goes in it, hosts alone are judged."""
        async with started(self._means, profile_of(self._means.profiles, session), program, headless=False) as opened:
            yield opened

    async def _live(self, session: str, program: Path, *, task_status: anyio.abc.TaskStatus[_Living]) -> None:
        """One browser from start to end: nobody's use, its own end, or that of the process."""
        living: _Living | None = None
        try:
            with anyio.CancelScope() as scope:
                async with started(self._means, profile_of(self._means.profiles, session), program) as (context, tab):
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
