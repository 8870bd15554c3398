"""The extract pipeline over the local reader and loopback servers."""

from contextlib import asynccontextmanager

from limen.builtin.web.local import LocalLimits, LocalReader
from limen.kit.redact import SecretTable
from limen.net.client import AddressPolicy, new_client
from limen.reading.document import read
from limen.testing.network import never
from limen.web.extract import Extractor, ExtractRules, ReadingParts
from limen.web.gates.network import network_gate
from limen.web.gates.policy import BlockList, Rule, judge_host, policy_gate
from limen.web.gates.resolve import resolve_gate
from limen.web.gates.secrets import SecretRules, SecretsGate
from limen.web.masking import Masking


class InlineReader:
    """Reads where it stands."""

    async def read(self, data, *, url="", content_type=None, page_format="markdown"):
        return read(data, url, content_type, page_format)


class Canned:
    """An extract provider that answers what it is told."""

    def __init__(self, *pulled, unavailable=None, error=None):
        self.name = "canned"
        self.pulled = pulled
        self.asked = []
        self._unavailable = unavailable
        self._error = error

    def unavailable(self):
        return self._unavailable

    async def extract(self, request, context):
        self.asked.append(request.urls)
        if self._error:
            raise self._error
        return [one for one in self.pulled if one.requested in request.urls]


def secrets_gate(rules=None):
    return SecretsGate(SecretTable(), lambda: rules or SecretRules())


def masking(rules=None):
    return Masking(SecretTable(), lambda: rules or SecretRules())


def opened(*servers):
    return AddressPolicy(allow_private_hosts=tuple(f"127.0.0.1:{server.port}" for server in servers))


def make_extractor(tmp_path, providers, policy=None, *, blocked=(), resolver=never, backend="local", rules=None, mode="live"):
    gate = secrets_gate(rules)
    block_list = BlockList(Rule(text, "test") for text in blocked)
    addresses = policy or AddressPolicy()
    gates = {
        "secrets": gate,
        "network": network_gate(addresses, resolver),
        "resolve": resolve_gate(providers, backend),
        "policy": policy_gate(block_list),
    }
    return Extractor(lambda: ReadingParts(gates, providers, ExtractRules(backend, mode=mode)), tmp_path / "pages", lambda: "abcd")


@asynccontextmanager
async def local_extractor(tmp_path, policy, *, blocked=(), resolver=never, rules=None, **limits):
    gate = secrets_gate(rules)
    block_list = BlockList(Rule(text, "test") for text in blocked)

    async def vet(url):
        return gate.judge_url(url) or judge_host(block_list, url)

    async with new_client(policy, resolver=resolver) as client:
        provider = LocalReader(lambda: client, InlineReader(), policy, vet, LocalLimits(**limits))
        yield make_extractor(tmp_path, {"local": provider}, policy, blocked=blocked, resolver=resolver, rules=rules)
