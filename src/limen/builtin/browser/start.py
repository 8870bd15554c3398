"""A browser of its own for the length of a block: Chromium over a profile, behind a proxy that is its only way out."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio.to_thread
from playwright.async_api import BrowserContext

from limen.builtin.browser.admission import Admission
from limen.builtin.browser.chromium import chromium, find_chromium
from limen.builtin.browser.profiles import picture_profile
from limen.builtin.browser.rules import BrowserMeans, BrowserRules
from limen.builtin.browser.tab import Tab
from limen.core.fault import Refusal
from limen.kit.atomic import make_private_dir
from limen.net.checking_proxy import CheckingProxy


def program_of(rules: BrowserRules) -> Path | Refusal:
    """Chromium's program, or why there is none."""
    program = find_chromium(rules.executable, os.environ)
    if program is not None:
        return program
    reason = f"There is no program {rules.executable}." if rules.executable else "No Chromium is installed."
    mend = "playwright install chromium, or name yours: limen config set browser.executable PATH"
    return Refusal("browser", "browser.no_chromium", reason, mend)


@asynccontextmanager
async def started(
    means: BrowserMeans, profile: Path, program: Path, *, headless: bool = True
) -> AsyncIterator[tuple[BrowserContext, Tab]]:
    """A browser over a profile. Raises ToolFault as `chromium`."""
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


@asynccontextmanager
async def afresh(means: BrowserMeans, program: Path) -> AsyncIterator[Tab]:
    """A browser with an empty profile that is gone afterwards: nobody's cookies are sent, and none are kept."""
    async with picture_profile(means.profiles) as profile, started(means, profile, program) as (_context, tab):
        yield tab
