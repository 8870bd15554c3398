"""What operators write, and what of it cannot be read."""

from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.fault import ConfigFault
from limen.net.judge import judge_plain
from limen.net.names import judge_name
from limen.net.policy import AddressPolicy
from limen.net.ports import judge_port

UNREADABLE = [
    "", " ", "*", ".", "http://nas", "nas/24", "nas:", "nas:x", "nas:0", "nas:65536", "nas:٨٠", "nas:" + "9" * 5_000, "n s",
    "nas:1:2:x", "[::1", "[::1]x", "[::1]:", "10.0.0.0/33", "bücher.example", "a,b",
]  # fmt: skip


@pytest.mark.parametrize("entry", UNREADABLE)
def test_an_entry_that_cannot_be_read_is_a_fault(entry):
    with pytest.raises(ConfigFault) as caught:
        AddressPolicy(allow_private_hosts=(entry,))
    assert caught.value.place == "security.allow_private_hosts"
    assert "limen config set" in caught.value.mend


@pytest.mark.parametrize("entry", ["", "198.18.0.0/3", "0.0.0.0/0", "::/0", "proxy", "198.18.0.0/15:80"])
def test_a_fake_range_must_be_a_range(entry):
    with pytest.raises(ConfigFault):
        AddressPolicy(fake_ip_ranges=(entry,))


@given(st.text(max_size=30))
def test_any_entry_is_read_or_a_fault(entry):
    with suppress(ConfigFault):
        AddressPolicy(allow_private_hosts=(entry,))


def test_it_travels_as_plain_data():
    policy = AddressPolicy(("nas.lan",), ("198.18.0.0/15",))
    assert msgspec.json.decode(msgspec.json.encode(policy), type=AddressPolicy) == policy


@pytest.mark.parametrize("port", [21, 22, 25, 6379])
def test_a_port_is_opened_only_by_an_entry_that_says_it(port):
    assert judge_port("example.com", port, AddressPolicy()).code == "network.port"
    assert judge_port("example.com", port, AddressPolicy(("example.com",))) is not None
    assert judge_port("example.com", port, AddressPolicy((f"example.com:{port + 1}",))) is not None
    assert judge_port("example.com", port, AddressPolicy((f"example.com:{port}",))) is None
    assert judge_port("a.example.com", port, AddressPolicy((f".example.com:{port}",))) is None
    assert judge_port("10.0.0.1", port, AddressPolicy((f"10.0.0.0/8:{port}",))) is None
    assert judge_port("fd00::1", port, AddressPolicy((f"[fd00::1]:{port}",))) is None


@pytest.mark.parametrize("port", [80, 443, 8000, 8080, 8443, 9200, 65535])
def test_other_ports_are_open(port):
    assert judge_port("example.com", port, AddressPolicy()) is None


def test_an_address_is_refused_for_what_it_is_before_its_port():
    assert judge_plain("127.0.0.1", 22, AddressPolicy()).code == "network.private_address"


@pytest.mark.parametrize("host", ["localhost", "nas.local", "wiki", "db.internal", "x.onion"])
def test_special_names_are_opened_by_name(host):
    assert judge_name(host, AddressPolicy()).code == "network.special_name"
    assert judge_name(host, AddressPolicy(("10.0.0.0/8", "127.0.0.1"))) is not None
    assert judge_name(host, AddressPolicy((host,))) is None
    assert judge_name(host, AddressPolicy((f"{host}:8080",)), port=80) is not None
    assert judge_name(host, AddressPolicy((f"{host}:8080",)), port=8080) is None


@pytest.mark.parametrize("host", ["metadata", "metadata.google.internal", "a.metadata.google.internal", "instance-data"])
def test_metadata_names_stay_shut(host):
    assert judge_name(host, AddressPolicy((host, ".internal", ".goog"))).code == "network.metadata"


@pytest.mark.parametrize(
    "host", ["metadata.example.com", "mymetadata.goog.example.com", "localhost.example.com", "local.example"]
)
def test_names_that_merely_look_alike_pass(host):
    assert judge_name(host, AddressPolicy()) is None
