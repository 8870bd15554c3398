"""What counts as public: what would pass the gate if no host were opened."""

import pytest

from limen.net.policy import AddressPolicy
from limen.testing.network import ListedResolver
from limen.web.gates.network import is_public

pytestmark = pytest.mark.anyio

ANSWERS = {"public.example.org": "93.184.216.34", "fake.example.org": "198.18.0.5", "wiki.example.org": "10.0.0.7"}
OPENED = ("wiki.example.org", "fake.example.org:8080", "10.0.0.7")
FAKE = ("198.18.0.0/15",)


@pytest.mark.parametrize(
    ("opened", "faked", "url", "public"),
    [
        ((), (), "http://public.example.org/", True),
        ((), FAKE, "http://fake.example.org/", True),
        ((), FAKE, "http://public.example.org/", True),
        (OPENED, FAKE, "http://fake.example.org/", True),
        (OPENED, FAKE, "http://fake.example.org:8080/", False),
        (OPENED, FAKE, "http://public.example.org/", True),
        (OPENED, FAKE, "http://wiki.example.org/", False),
        (OPENED, FAKE, "http://10.0.0.7/", False),
        (OPENED, (), "http://wiki.example.org/", False),
        (OPENED, (), "http://public.example.org/", True),
        (("nas.lan",), FAKE, "http://nas.lan/", False),
        (("x",), (), "no address", False),
    ],
)
async def test_what_is_public(opened, faked, url, public):
    resolver = ListedResolver({host: [[answer]] for host, answer in {**ANSWERS, "nas.lan": "198.18.0.9"}.items()})
    assert await is_public(url, policy=AddressPolicy(opened, faked), resolver=resolver) is public
