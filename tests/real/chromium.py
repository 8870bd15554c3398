"""The real Chromium of these tests, and browsers over it whose network is a loopback server or two."""

import os
from contextlib import asynccontextmanager
from importlib.util import find_spec

import anyio
import pytest

from limen.builtin.browser.rules import BrowserMeans, BrowserRules, Judges
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.kit.deferred import load
from limen.net.client import AddressPolicy
from limen.testing.network import ListedResolver

NONCE = "abcd"


def need():
    """Skip where Chromium or Playwright is missing; in CI, where they must be there, fail."""
    missing = "" if find_spec("playwright") else "pip install 'limen-agent[browser]'"
    if not missing and load("limen.builtin.browser.chromium:find_chromium")("", os.environ) is None:
        missing = "scripts/counterparts (or: apt-get install chromium)"
    if not missing:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"no Chromium here: {missing}")
    pytest.skip(f"no Chromium here: {missing}")


class Rig:
    """Browsers, what they looked up, and their tools for one session."""

    def __init__(self, browsers, means, resolver, vet, session):
        self.browsers = browsers
        self.means = means
        self.resolver = resolver
        self.vet = vet
        self.context = CallContext(session=session)

    def tool(self, name):
        made = load(f"limen.builtin.browser.tools:{name}")
        return made(lambda: self.browsers, *([self.vet] if name == "BrowserOpen" else []), lambda: NONCE)

    async def run(self, name, *arguments):
        tool = self.tool(name)
        return await tool.run(tool.spec.arguments(*arguments), self.context)


def refusing(*hosts):
    async def vet(url, _context=None):
        refused = next((host for host in hosts if f"//{host}" in url), None)
        return Refusal("policy", "policy.blocked", f"{refused} is blocked", "unblock it") if refused else None

    return vet


def typed(text):
    return Refusal("secrets", "secrets.value", "a credential", "remove it") if "hush-hush" in text else None


@asynccontextmanager
async def browsing(tmp_path, *servers, names=None, blocked=(), session="s1", navigation=None, **rules):
    """Browsers that may reach these servers under `names`, and nothing else."""
    need()
    resolver = ListedResolver({name: [["127.0.0.1"]] for name in names or ()})
    policy = AddressPolicy(allow_private_hosts=tuple(f"127.0.0.1:{server.port}" for server in servers))
    vet = refusing(*blocked)
    judges = Judges(vet, navigation or vet, vet, typed, by_person=vet)
    means = BrowserMeans(tmp_path / "browser", lambda: policy, resolver, judges, BrowserRules(**{"timeout_s": 20, **rules}))
    async with anyio.create_task_group() as group:
        yield Rig(load("limen.builtin.browser.browsers:Browsers")(means, group), means, resolver, vet, session)
        group.cancel_scope.cancel()
