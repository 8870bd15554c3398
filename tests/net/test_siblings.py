"""Relatives of the table's rows: the same kinds in other forms."""

import pytest

from limen.net.client import AddressPolicy
from limen.net.judge import rehearse

SHUT = AddressPolicy()
pytestmark = pytest.mark.anyio

PUBLIC = ["93.184.216.34"]
REFUSED = [
    # numeric spellings
    ("http://0177.0.0.1/", "numeric_host"),
    ("http://127.1/", "numeric_host"),
    ("http://0x7F000001./", "numeric_host"),
    ("http://0x/", "numeric_host"),
    ("http://1.0x/", "numeric_host"),
    ("http://08.0.0.1/", "numeric_host"),
    ("http://127.0.0.01/", "numeric_host"),
    ("http://127.0.0.1e1/", "malformed"),
    ("http://4294967296/", "numeric_host"),
    ("http://1.2.3.4.5/", "numeric_host"),
    ("http://256.1.1.1/", "numeric_host"),
    ("http://127.0.0.1../", "malformed"),
    ("http://a.b.c.1/", "numeric_host"),
    ("http://+127.0.0.1/", "numeric_host"),
    ("http://-1/", "special_name"),
    ("http://127.0.0.1:80.example.com/", "port"),
    # IPv6 spellings and what they embed
    ("http://[::FFFF:127.0.0.1]/", "private_address"),
    ("http://[0:0:0:0:0:FFFF:169.254.169.254]/", "metadata"),
    ("http://[::169.254.169.254]/", "metadata"),
    ("http://[::8.8.8.8]/", "special_address"),
    ("http://[::ffff:0:10.0.0.1]/", "special_address"),
    ("http://[64:ff9b::10.0.0.1]/", "private_address"),
    ("http://[64:ff9b::168.63.129.16]/", "metadata"),
    ("http://[64:ff9b:1::8.8.8.8]/", "private_address"),
    ("http://[64:ff9b:1:a9fe:a9:fe00::]/", "metadata"),
    ("http://[64:ff9b:2::1]/", "special_address"),
    ("http://[2002:a9fe:a9fe::]/", "metadata"),
    ("http://[2002:c0a8:0101::1]/", "private_address"),
    ("http://[2001:0:7f00:1::]/", "special_address"),
    ("http://[2001:0:808:808:0:0:5601:5601]/", "metadata"),
    ("http://[2606:4700::5efe:169.254.169.254]/", "metadata"),
    ("http://[2606:4700::0:5efe:192.168.0.1]/", "private_address"),
    ("http://[fe80::5efe:8.8.8.8]/", "link_local"),
    ("http://[fd12:3456::1]/", "private_address"),
    ("http://[fd00:ec2::23]/", "metadata"),
    ("http://[fd20:ce::254]/", "metadata"),
    ("http://[fd00:c1::a9fe:a9fe]/", "metadata"),
    ("http://[ff02::1]/", "special_address"),
    ("http://[2001:db8::1]/", "special_address"),
    ("http://[2001:10::1]/", "special_address"),
    ("http://[2001:20::1]/", "special_address"),
    ("http://[5f00::1]/", "special_address"),
    ("http://[4000::1]/", "special_address"),
    ("http://[1::1]/", "special_address"),
    ("http://[::1%251]/", "zone_id"),
    ("http://[v1.fe80]/", "malformed"),
    ("http://[]/", "malformed"),
    ("http://[127.0.0.1]/", "malformed"),
    ("http://[::1]8080/", "malformed"),
    ("http://[:::1]/", "malformed"),
    ("http://[::ffff:127.0.0.1.]/", "malformed"),
    ("http://[::ffff:0177.0.0.1]/", "malformed"),
    # IPv4 ranges
    ("http://100.64.0.1/", "private_address"),
    ("http://172.16.0.1/", "private_address"),
    ("http://192.0.0.9/", "special_address"),
    ("http://203.0.113.255/", "special_address"),
    ("http://224.0.0.251/", "special_address"),
    ("http://255.255.255.255/", "special_address"),
    ("http://198.19.255.255/", "proxy_sentinel"),
    ("http://100.100.100.200/latest/meta-data/", "metadata"),
    ("http://169.254.170.3/", "metadata"),
    ("http://169.254.0.23/", "metadata"),
    # names
    ("http://a.b.localhost/", "special_name"),
    ("http://printer.local/", "special_name"),
    ("http://nas.home.arpa/", "special_name"),
    ("http://db.corp/", "special_name"),
    ("http://router.lan./", "special_name"),
    ("http://hidden.onion/", "special_name"),
    ("http://x.METADATA.google.internal/", "metadata"),
    ("http://metadata.tencentyun.com/", "metadata"),
    ("http://rancher-metadata/latest", "metadata"),
    ("http://kubernetes/", "special_name"),
    ("http://host.docker.internal:2375/", "special_name"),
    # Unicode
    ("http://𝟘x7f.1/", "unicode_digits"),
    ("http://２１３０７０６４３３/", "unicode_digits"),
    ("http://0x７f000001/", "unicode_digits"),
    ("http://⑯⑨.254.169.254/", "unicode_digits"),
    ("http://۱۲۷.۰.۰.۱/", "unicode_digits"),
    ("http://१२७.०.०.१/", "unicode_digits"),
    ("http://127．0｡0．1/", "unicode_digits"),
    ("http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "special_name"),
    ("http://LOCALHOſT/", "special_name"),
    ("http://local\u2060host/", None),
    ("http://ex\u202eample.com/", "malformed"),
    ("http://example.com／@127.0.0.1/", "userinfo"),
    ("http://example.com？127.0.0.1/", None),
    ("http://127.0.0.1：80/", None),
    ("http://[：：1]/", "malformed"),
    ("http://☕.example/", "malformed"),
    # shapes
    ("http:/127.0.0.1/", "malformed"),
    ("http:///127.0.0.1/", "malformed"),
    ("//127.0.0.1/", "scheme"),
    ("127.0.0.1", "scheme"),
    ("example.com:80", "scheme"),
    ("http://:80/", "malformed"),
    ("http://?x", "malformed"),
    ("http://#x", "malformed"),
    ("http://@/", "userinfo"),
    ("http://example.com:080/", "port"),
    ("http://example.com:+80/", "port"),
    ("http://example.com:8_0/", "port"),
    ("http://example.com:99999999999999999999/", "port"),
    ("http://example.com:0x50/", "port"),
    ("http://example.com:22/", "port"),
    ("http://example.com:6379/", "port"),
    ("http://.example.com/", "malformed"),
    ("http://exa<mple.com/", "malformed"),
    ("http://example.com;.evil.example/", "malformed"),
    ("http://ex'ample.com/", "malformed"),
    ("http://example.com/\x85", "control_character"),
    ("http://example.com/\u2028x", "control_character"),
    ("http://example.com/a\u3000b", "control_character"),
    ("http://example.com/\ud800", "control_character"),
    (" http://example.com/", "control_character"),
    ("http://example.com/ ", "control_character"),
    ("http://example.com/?q=a b", "control_character"),
    ("http://example.com/\\..\\x", "backslash"),
    ("http://example.com/?a=\\", "backslash"),
    ("http://x@example.com/", "userinfo"),
    ("http://x:@example.com/", "userinfo"),
    ("http://example.com%2f.evil.example/", "percent_host"),
    ("http://exam%70le.com/", "percent_host"),
    ("http://localhost%/", "percent_host"),
    ("http://xn--/", "malformed"),
    ("http://xn--0.example/", "malformed"),
    # schemes
    ("view-source:http://example.com/", "scheme"),
    ("filesystem:http://example.com/x", "scheme"),
    ("tftp://example.com/", "scheme"),
    ("ldap://127.0.0.1:389/", "scheme"),
    ("wss://example.com/", "scheme"),
    ("https+insecure://example.com/", "scheme"),
    ("\ufeffhttp://example.com/", "scheme"),
    ("javascript://example.com/%0aalert(1)", "scheme"),
    ("intent://example.com/#Intent;scheme=http;end", "scheme"),
]
ALLOWED = [
    "https://example.com.",
    "https://EXAMPLE.com:00443/".replace("00443", "443"),
    "http://example.com?q",
    "http://example.com#f",
    "https://example.com/%zz",
    "https://bücher.example/straße?q=ü#ä",
    "https://日本語。example/",
    "https://xn--bcher-kva.example/",
    "https://a--b.example/",
    "https://r3---sn-4g5e6nez.example.com/",
    "https://1e100.net/",
    "https://3com.com/",
    "https://0x.example/",
    "https://192.0.1.1/",
    "https://[2001:4860:4860::8888]/",
    "https://[2002:808:808::1]/",
    "https://[64:ff9b::8.8.8.8]/",
    "https://192.31.196.1/",
    "https://[2620:4f:8000::1]/",
    "https://localhost.com/",
    "https://internal.example.com/",
    "https://metadata.example.com/",
    "https://example.com:9200/",
    "https://example.com/a//b/../c/./d?x=/../y",
    "https://example.com/@user/%40x",
    "https://example.com/?next=http://127.0.0.1/&u=a@b",
    "https://de.example.com/wiki/Schr%C3%B6dinger's_cat_(film)",
    "https://fa.example.com/می\u200cخواهم",
]


class Public:
    async def __call__(self, host, port):
        return PUBLIC


@pytest.mark.parametrize(("url", "code"), REFUSED, ids=lambda value: ascii(value)[:60])
async def test_refused(url, code):
    _, refusal = await rehearse(url, SHUT, Public())
    assert refusal is not None
    if code is not None:
        assert refusal.code == f"network.{code}"


@pytest.mark.parametrize("url", ALLOWED, ids=ascii)
async def test_allowed(url):
    _, refusal = await rehearse(url, SHUT, Public())
    assert refusal is None


ANSWERS = [
    "127.0.0.1", "::1", "0.0.0.0", "::", "10.1.2.3", "::ffff:10.0.0.1", "::ffff:7f00:1", "64:ff9b::a00:1", "2002:a00:1::",
    "fe80::1", "fe80::1%2", "2606:4700::1%eth0", "fec0::1", "169.254.1.1", "198.18.0.9", "168.63.129.16", "192.0.0.192",
    "100.100.100.200", "224.0.0.1", "", "localhost", "127.1", "0x7f.1", "2130706433", "93.184.216.34 ", "[::1]", "1.1.1.1\n",
]  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS, ids=ascii)
@pytest.mark.parametrize("beside", [[], PUBLIC, ["2606:4700::1"] * 70])
async def test_one_bad_answer_refuses_the_name(answer, beside):
    async def resolver(host, port):
        return [*beside, answer]

    _, refusal = await rehearse("https://site.example/", SHUT, resolver)
    assert refusal is not None
