"""A documentation site's index passes the same gates as a page of it, at every hop, by the settings as they are now."""

import msgspec
import pytest

from limen.config.schema import Config
from limen.core.fault import Refusal
from limen.kit.redact import SecretTable
from limen.net.policy import AddressPolicy
from limen.testing.network import redirect, reply, serve
from limen.web.gates.policy import RulesNow
from limen.web.gates.secrets import SecretsGate
from limen.web.rules import block_list, secret_rules
from limen.wiring.net import Net
from limen.wiring.sites import sites_of

pytestmark = pytest.mark.anyio
LOOPBACK = ("127.0.0.0/8",)


def settings_of(**sections):
    return msgspec.convert(sections, type=Config)


class Access:
    """Looking at indexes with settings that can be changed meanwhile."""

    def __init__(self, tmp_path, config):
        self.config = config
        self.net = Net(config, AddressPolicy(LOOPBACK))
        gate = SecretsGate(SecretTable(), lambda: secret_rules(self.config))
        blocked = RulesNow(lambda: block_list(self.config, tmp_path))
        self.sites = sites_of(lambda: self.config, self.net, gate, blocked)

    async def code(self, url):
        """What became of an address: its code, or its body."""
        found = await self.sites.fetch(url, 1_000)
        return found.code if isinstance(found, Refusal) else found.body.decode()


@pytest.fixture
async def access(tmp_path):
    made = Access(tmp_path, settings_of())
    yield made
    await made.net.close()


async def test_what_passes_the_gates_is_read(access):
    async with serve({"/robots.txt": reply("Sitemap: x")}) as server:
        assert await access.code(server.url("/robots.txt")) == "Sitemap: x"


async def test_each_gate_refuses_before_anything_is_sent(access):
    async with serve({"*": reply("x")}) as server:
        secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
        assert (await access.code(server.url(f"/{secret}"))).startswith("secrets.")
        access.config = settings_of(security={"website_blocklist": {"enabled": True, "domains": ["127.0.0.1"]}})
        assert await access.code(server.url("/")) == "policy.blocked"
        access.config = settings_of(web={"permissions": ["domain:127.0.0.1=ask"]})
        assert await access.code(server.url("/")) == "permission.ask"
        access.config = settings_of(web={"blocked_domains": ["127.0.0.1"]})
        assert await access.code(server.url("/")) == "permission.blocked_domain"
        assert server.received == []
    assert await access.code("http://169.254.169.254/") == "network.metadata"
    assert await access.code("http://10.0.0.1/") == "network.private_address"


async def test_a_redirect_is_judged_as_the_address_it_leads_to(access):
    async with serve({"/": redirect("http://93.184.216.34/x")}) as server:
        access.config = settings_of(security={"website_blocklist": {"enabled": True, "domains": ["93.184.216.34"]}})
        assert await access.code(server.url("/")) == "policy.blocked"


async def test_an_index_is_bounded(access):
    async with serve({"/": reply("x" * 2_000)}) as server:
        assert await access.code(server.url("/")) == "network.too_large"


async def test_known_sites_and_the_mode(tmp_path):
    access = Access(tmp_path, settings_of(web={"documentation_hosts": ["manual.corp.example"]}))
    assert {"docs.python.org", "manual.corp.example"} <= access.sites.known
    assert access.sites.closed() is None
    access.config = settings_of(web={"mode": "indexed"})
    assert access.sites.closed().code == "web.mode"
    await access.net.close()
