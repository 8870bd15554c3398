"""A page asked about: the fetch over the local reader, with a scripted second model or none."""

from contextlib import asynccontextmanager

from web.rig import local_extractor, make_extractor, opened, secrets_gate

from limen.builtin.models.quoting import ExtractiveQuoter
from limen.core.exchange import Usage
from limen.core.fault import Refusal
from limen.core.ports import Completion, Redaction
from limen.net.client import fetch, new_client
from limen.web.answering import PageAnswerer
from limen.web.download import Downloaded, Downloader, DownloadParts
from limen.web.fetch import FetchParts, PageFetcher
from limen.web.gates.network import network_gate
from limen.web.gates.permission import PermissionRules, permission_gate
from limen.web.gates.policy import BlockList, Rule, policy_gate
from limen.web.tools.fetch import WebFetch

NONCE = "abcd"


class SecondModel:
    """An `Auxiliary` that says what it is told to, or raises it."""

    def __init__(self, said, *, room_chars=50_000, cut=False):
        self.said = said
        self.asked = []
        self.mains = []
        self._room_chars = room_chars
        self._cut = cut

    def serves(self, main=""):
        return self._room_chars > 0

    async def room_chars(self, *, output_tokens=None, main=""):
        return self._room_chars

    async def complete(self, task, text, *, output_tokens=None, images=(), main=""):
        self.asked.append((task, text))
        self.mains.append(main)
        if isinstance(self.said, Exception):
            raise self.said
        return Completion(self.said, "test/small", Usage(10, 5), self._cut)


class Masks:
    """A `Redactor` that knows one secret."""

    def redact(self, text):
        return Redaction(text.replace("hush-hush", "[masked]"), text.count("hush-hush"))


def answerer(auxiliary=None):
    return PageAnswerer(auxiliary, ExtractiveQuoter(), Masks(), lambda: NONCE)


def downloader(policy, client, *, blocked=(), resolver=None, rules=None, mode="live"):
    gates = {
        "secrets": secrets_gate(),
        "network": network_gate(policy, resolver),
        "policy": policy_gate(BlockList(Rule(text, "test") for text in blocked)),
        "permission": permission_gate(rules or PermissionRules()),
    }

    async def get(url, max_bytes, headers):
        got = await fetch(client, url, policy=policy, max_bytes=max_bytes, headers=headers)
        if isinstance(got, Refusal):
            return got
        unchanged = got.status == 304
        return Downloaded(got.final_url, got.media_type, got.body, (), got.headers, got.moved_to, unchanged)

    return Downloader(lambda: DownloadParts(gates, get, mode))


@asynccontextmanager
async def asking(tmp_path, *servers, auxiliary=None, budget_chars=15_000, policy=None, provider=None, **limits):
    """The tool `web_fetch` over these servers, which are opened; by the local reader within `limits`, or another `provider`."""
    addresses = policy or opened(*servers)
    async with local_extractor(tmp_path, addresses, **limits) as local, new_client(addresses) as client:
        other = provider and make_extractor(tmp_path, {provider.name: provider}, addresses, backend=provider.name)
        extractor = other or local
        parts = FetchParts(extractor, downloader(addresses, client), answerer(auxiliary), budget_chars)
        yield WebFetch(PageFetcher(parts), lambda: NONCE)
