"""What the network gate costs: microseconds per operation, beside the standard library in the same run.

Run: python bench/net.py [SECONDS_PER_ROW]
"""

import ipaddress
import sys
import time
import urllib.parse

import ada_url
import anyio

from limen.net.address import AddressPolicy, judge_address
from limen.net.judge import vet_url
from limen.net.url import normalise, parse

SHUT = AddressPolicy()
MANY = AddressPolicy(allow_private_hosts=(*(f"host{n}.corp.example" for n in range(200)), "10.0.0.0/8", "192.168.0.0/16"))
URL = "https://docs.example.com/library/asyncio-task.html?highlight=cancel#task"
LONG = "https://docs.example.com/" + "a%20b/ü" * 250
IDN = "https://bücher.example/straße?q=ü"


def literal(ip, policy=SHUT):
    return lambda: judge_address(ip, policy, host=ip, literal=True)


def floor(ip):
    return lambda: ipaddress.ip_address(ip).is_private


ROWS = [
    ("floor: ip_address + is_private, v4 public", floor("93.184.216.34")),
    ("literal, v4 public", literal("93.184.216.34")),
    ("literal, v4 private (refused)", literal("10.1.2.3")),
    ("literal, v4 private, opened by 1 of 202 entries", literal("10.1.2.3", MANY)),
    ("floor: ip_address + is_private, v6 public", floor("2606:4700:4700::1111")),
    ("literal, v6 public", literal("2606:4700:4700::1111")),
    ("literal, v6 NAT64 of metadata (refused)", literal("64:ff9b::a9fe:a9fe")),
    ("floor: urlsplit, 71 characters", lambda: urllib.parse.urlsplit(URL).hostname),
    ("floor: ada_url, 71 characters", lambda: ada_url.parse_url(URL, attributes=("hostname", "port"))),
    ("parse, 71 characters", lambda: parse(URL)),
    ("normalise, 71 characters", lambda: normalise(URL)),
    ("parse, internationalised", lambda: parse(IDN)),
    ("parse, 1,775 characters, half of them to encode", lambda: parse(LONG)),
    ("parse, refused: numeric host", lambda: parse("http://0x7f000001/")),
]


def micros(operation, seconds):
    """The best of several rounds: noise only ever adds."""
    operation()
    rounds, best = 0, float("inf")
    until = time.perf_counter() + seconds
    while rounds < 3 or time.perf_counter() < until:
        start = time.perf_counter()
        for _ in range(200):
            operation()
        best = min(best, (time.perf_counter() - start) / 200)
        rounds += 1
    return best * 1e6


async def gate(seconds):
    """The whole gate on a name, with a resolver that answers at once."""

    async def resolver(_host, _port):
        return ("93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946")

    best, until = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < until:
        start = time.perf_counter()
        for _ in range(50):
            await vet_url(URL, SHUT, resolver)
        best = min(best, (time.perf_counter() - start) / 50)
    return best * 1e6


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.3
    print(f"{'operation':<52} {'µs':>8}")
    for name, operation in ROWS:
        print(f"{name:<52} {micros(operation, seconds):>8.2f}")
    print(f"{'vet_url: parse, 2 answers judged':<52} {anyio.run(gate, seconds):>8.2f}")


if __name__ == "__main__":
    main()
