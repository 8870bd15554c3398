"""Every row of the table of hostile and honest URLs: its verdict, what opens it, and that nothing else does."""

import json
import shlex
from pathlib import Path

import msgspec
import pytest

from limen.net.client import AddressPolicy, Refused, fetch, new_client
from limen.net.judge import rehearse, vet_url
from limen.testing.network import ListedResolver

ROWS = [json.loads(line) for line in Path(__file__).with_name("ssrf.jsonl").read_text().splitlines()]
SHUT = AddressPolicy()
PROXY = {
    "HTTP_PROXY": "http://proxy.corp.example:3128",
    "HTTPS_PROXY": "http://proxy.corp.example:3128",
    "ALL_PROXY": "socks5://p:1",
}

pytestmark = pytest.mark.anyio


def ids(rows):
    return [row["id"] for row in rows]


def of(*expected):
    return [row for row in ROWS if row["expected"] in expected]


class RowResolver:
    """Answers every name as the row says: the first look-up, then all later ones."""

    def __init__(self, row):
        self.answers = [row.get("resolves_to", []), row.get("resolves_then", row.get("resolves_to", []))]
        self.asked = 0

    async def __call__(self, host, port):
        self.asked += 1
        return self.answers[min(self.asked - 1, 1)]


async def verdict(row, policy):
    _, refusal = await rehearse(row["url"], policy, RowResolver(row), row.get("redirects_to"))
    return refusal


async def test_the_table_is_whole():
    assert len(ROWS) == 300
    assert {row["expected"] for row in ROWS} == {"allow", "block", "block-scheme", "needs-config"}


@pytest.mark.parametrize("row", of("allow"), ids=ids(of("allow")))
async def test_honest_addresses_pass(row):
    assert await verdict(row, SHUT) is None


@pytest.mark.parametrize("row", of("block", "block-scheme", "needs-config"), ids=ids(of("block", "block-scheme", "needs-config")))
async def test_all_others_are_refused_by_default(row, monkeypatch):
    for name, value in {**PROXY, **row.get("env", {})}.items():
        monkeypatch.setenv(name, value)
    refusal = await verdict(row, SHUT)
    assert refusal is not None
    assert refusal.gate == "network"
    assert refusal.code.startswith("network.")
    assert refusal.reason
    if row["expected"] == "block-scheme":
        assert refusal.code == "network.scheme"


def followed(policy, mend):
    """The policy after the command in a mend was typed."""
    *_, key, option, value = shlex.split(mend)
    assert option == "--add"
    name = key.removeprefix("security.")
    return msgspec.structs.replace(policy, **{name: (*getattr(policy, name), value)})


@pytest.mark.parametrize("row", of("needs-config"), ids=ids(of("needs-config")))
async def test_the_mend_opens_what_may_be_opened(row):
    policy = AddressPolicy(proxy="http://proxy.corp.example:3128") if "env" in row else SHUT
    refusal = await verdict(row, policy)
    assert refusal is not None
    assert await verdict(row, followed(policy, refusal.mend)) is None


@pytest.mark.parametrize("row", of("needs-config"), ids=ids(of("needs-config")))
async def test_another_setting_does_not_open_it(row):
    wrong = {
        "allow_private_hosts": ("other.example", "10.0.0.0/8", "192.168.0.0/16", ".other.example", "example.com:26"),
        "fake_ip_ranges": () if row["family"] == "fakeip" else ("198.18.0.0/15",),
        "proxy": "http://proxy.corp.example:3128",
    }
    assert await verdict(row, AddressPolicy(**wrong)) is not None


WIDE = AddressPolicy(
    allow_private_hosts=("0.0.0.0/0", "::/0", ".example", ".internal", "metadata", "metadata.goog", "instance-data", ".nip.io"),
    fake_ip_ranges=("198.18.0.0/15", "168.0.0.0/7", "fd00::/8"),
)


@pytest.mark.parametrize("row", [row for row in ROWS if row["family"].startswith("metadata") and "2375" not in row["url"]])
async def test_no_setting_opens_metadata(row):
    refusal = await verdict(row, WIDE)
    assert refusal is not None
    assert refusal.code in ("network.metadata", "network.link_local")
    assert "limen config set" not in refusal.mend


REBINDING = [row for row in ROWS if "resolves_then" in row]


@pytest.mark.parametrize("row", REBINDING, ids=ids(REBINDING))
async def test_a_second_answer_is_never_dialled(row):
    """The gate saw a public answer; the transport's own look-up gets the other one, and dials nothing."""
    resolver = RowResolver(row)
    _, refusal = await vet_url(row["url"], SHUT, resolver)
    assert refusal is None
    async with new_client(SHUT, resolver=resolver) as client:
        answer = await fetch(client, row["url"], policy=SHUT)
        with pytest.raises(Refused):
            await client.get(row["url"])
    assert answer.code in ("network.private_address", "network.metadata")


async def test_the_gate_says_its_verdict_for_the_ledger():
    resolver = ListedResolver({"ok.example": [["93.184.216.34"]], "bad.example": [["10.0.0.1"]]})
    verdicts, refusal = await vet_url("https://ok.example/", SHUT, resolver)
    assert refusal is None
    assert [(verdict.gate, verdict.verdict, verdict.code) for verdict in verdicts] == [("network", "allow", None)]
    verdicts, refusal = await vet_url("https://bad.example/", SHUT, resolver)
    assert verdicts[0].verdict == "refuse"
    assert verdicts[0].code == refusal.code == "network.private_address"
