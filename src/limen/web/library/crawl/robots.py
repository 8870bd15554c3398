"""`robots.txt` (RFC 9309): which addresses of a site a crawler may read, and how far apart."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

# What the RFC has a crawler parse at least; what lies behind is left.
LIMIT_BYTES = 512_000
PRODUCT = "limen"
_LINE = re.compile(r"^[ \t]*([a-z-]+)[ \t]*:[ \t]*([^#\r\n]*)", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z_-]+", re.IGNORECASE)
_BREAK = re.compile(r"\r\n|\r|\n")
_RESERVED = b"%*$?/#[]@!&'()+,;=:"


class _Rule(NamedTuple):
    pattern: str
    allows: bool


class Robots(NamedTuple):
    """The rules for this program, and the sitemaps that the site names. Without a rule everything may be read."""

    rules: tuple[_Rule, ...] = ()
    delay_s: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def allows(self, path: str) -> bool:
        """Whether a path with its query may be read: the longest rule that fits decides, of equals the one that allows."""
        path = _plain(path)
        if path == "/robots.txt":
            return True
        fitting = [(len(rule.pattern), rule.allows) for rule in self.rules if _fits(rule.pattern, path)]
        return max(fitting, default=(0, True))[1]


# What holds where a site's rules could not be asked for.
NOTHING_ALLOWED = Robots((_Rule("/", False),))


def parse_robots(data: bytes, product: str = PRODUCT) -> Robots:
    """Read the file. The groups that name `product` count together; those for `*` where there are none. Never raises."""
    named: list[tuple[str, str]] = []
    others: list[tuple[str, str]] = []
    sitemaps: list[str] = []
    found = False
    for agents, fields in _groups(_lines(data), sitemaps):
        if product in agents:
            found = True
            named += fields
        if "*" in agents:
            others += fields
    fields = named if found else others
    rules = tuple(_Rule(_plain(value), name == "allow") for name, value in fields if name != "crawl-delay" and value)
    delays = [_seconds(value) for name, value in fields if name == "crawl-delay"]
    return Robots(rules, max(delays, default=0.0), tuple(dict.fromkeys(sitemaps)))


def _lines(data: bytes) -> Iterator[tuple[str, str]]:
    text = data[:LIMIT_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
    for line in _BREAK.split(text):
        if found := _LINE.match(line):
            yield found[1].lower(), found[2].strip()


def _groups(lines: Iterator[tuple[str, str]], sitemaps: list[str]) -> Iterator[tuple[set[str], Sequence[tuple[str, str]]]]:
    """Names of crawlers, in lower case, with the lines that are for them; `sitemaps` takes what stands outside of groups."""
    agents: set[str] = set()
    fields: list[tuple[str, str]] = []
    for name, value in lines:
        if name == "sitemap":
            sitemaps.append(value)
        elif name == "user-agent":
            if fields:
                yield agents, fields
                agents, fields = set(), []
            token = _TOKEN.match(value)
            agents.add("*" if value.startswith("*") else token[0].lower() if token else "")
        elif name in ("allow", "disallow", "crawl-delay") and agents:
            fields.append((name, value))
    yield agents, fields


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        return 0.0
    return seconds if 0 < seconds < float("inf") else 0.0


def _plain(path: str) -> str:
    """One spelling of a path or pattern: what needs no escape is not escaped, what needs one is, in capitals."""
    kept: list[str] = []
    for part in re.split(r"(%[0-9A-Fa-f]{2})", path):
        if len(part) == 3 and part[0] == "%":
            byte = unquote_to_bytes(part)
            kept.append(byte.decode() if byte.isalnum() or byte in b"-._~" else part.upper())
        else:
            kept.append(quote(part.encode("utf-8", "replace"), safe=_RESERVED))
    return "".join(kept)


def _fits(pattern: str, path: str) -> bool:
    """Whether a path begins as the pattern says: `*` is anything, a last `$` the end. Takes one walk along the path."""
    ends = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    for part in rest[:-1] if ends else rest:
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    if not ends:
        return True
    return path.endswith(rest[-1]) and len(path) - len(rest[-1]) >= at if rest else at == len(path)
