"""The host of an address, for rules that go by it."""

import pytest

from limen.net.host import host_of


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://User@B\u00fccher.Example.:8443/a?b#c", "xn--bcher-kva.example"),
        ("http://[2001:DB8::1]/", "2001:db8::1"),
        ("file:///etc/hosts", ""),
        ("no address", ""),
        ("https://[bad/", ""),
        ("", ""),
    ],
)
def test_the_host_is_in_one_spelling_and_empty_where_there_is_none(url, host):
    assert host_of(url) == host
