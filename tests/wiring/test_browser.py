"""Who judges a browser's addresses: what was named strictly, what a page composed by its host."""

import pytest

from limen.config.schema import Config, Web
from limen.core.context import CallContext
from limen.kit.redact import SecretTable
from limen.net.client import AddressPolicy
from limen.testing.network import ListedResolver
from limen.web.download import Downloader, DownloadParts
from limen.web.gates.network import network_gate
from limen.web.gates.permission import permission_gate
from limen.web.gates.policy import BlockList, Rule, policy_gate
from limen.web.gates.secrets import SecretRules, SecretsGate
from limen.web.rules import permission_rules
from limen.wiring.judging import judges_of

pytestmark = pytest.mark.anyio
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SIGNED = "https://cdn.example/a.png?X-Amz-Signature=abcdef0123456789"


class Means:
    """As much of page reading as judges need."""

    def __init__(self):
        self.secrets = SecretsGate(SecretTable(), lambda: SecretRules(exempt_hosts=frozenset({"own.example"})))
        self.blocked = BlockList([Rule("blocked.example", "test")])


@pytest.fixture
def judges():
    config = Config(web=Web(allowed_domains=("shop.example", "own.example"), blocked_domains=("tracker.example",)))
    means = Means()
    resolver = ListedResolver(
        {name: [["93.184.216.34"]] for name in ("shop.example", "cdn.example", "own.example", "blocked.example")}
    )
    gates = {
        "secrets": means.secrets,
        "network": network_gate(AddressPolicy(), resolver),
        "policy": policy_gate(means.blocked),
        "permission": permission_gate(permission_rules(config)),
    }
    return judges_of(lambda: config, means.secrets, means.blocked, Downloader(lambda: DownloadParts(gates, None)).vet)


@pytest.mark.parametrize(
    ("url", "named", "navigation", "resource"),
    [
        ("https://shop.example/", None, None, None),
        ("https://shop.example/?token=abcdefgh", "secrets.parameter", "secrets.parameter", None),
        (f"https://shop.example/{TOKEN}", "secrets.value", "secrets.value", None),
        ("https://own.example/?token=abcdefgh", None, None, None),
        (SIGNED, "secrets.parameter", "secrets.parameter", None),
        ("https://cdn.example/lib.js", "permission.not_allowed_domain", "permission.not_allowed_domain", None),
        ("https://blocked.example/", "policy.blocked", "policy.blocked", "policy.blocked"),
        ("https://a.tracker.example/pixel", "network.dns_failed", "permission.blocked_domain", "permission.blocked_domain"),
        (f"https://{TOKEN.replace('_', '-')}.shop.example/", "network.dns_failed", None, None),
        ("http://10.0.0.1/", "network.private_address", "permission.not_allowed_domain", None),
    ],
)
async def test_each_judge_says_what_is_its_own(judges, url, named, navigation, resource):
    answers = [await judges.named(url, CallContext()), await judges.navigation(url), await judges.resource(url)]
    assert [answer and answer.code for answer in answers] == [named, navigation, resource]


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://shop.example/?token=abcdefgh", None),
        ("https://cdn.example/", "permission.not_allowed_domain"),
        ("https://blocked.example/", "policy.blocked"),
    ],
)
async def test_where_a_person_goes_in_a_window_hosts_alone_are_judged(judges, url, code):
    refusal = await judges.for_person().navigation(url)
    assert (refusal and refusal.code) == code


def test_a_credential_is_not_to_be_typed(judges):
    assert judges.typed(f"my token is {TOKEN}").code == "secrets.value"
    assert judges.typed("four minutes") is None
