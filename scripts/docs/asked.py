"""Who else is asked: the web's vendors with their hosts, their order where nobody was chosen, and whose network is not ours."""

import ast
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from limen.builtin.web.facts.table import FACT_VENDORS
from limen.builtin.web.vendors import RING, SCRAPER, VENDORS, Vendor
from limen.web.gates.policy import BlockList, Rule
from limen.web.search_walk import _MOST_DOMAINS, FITS
from limen.wiring.browsing import PICTURES

SOURCE = Path(__file__).parents[2] / "src"
# The first of these hosts is the rule's own, the others are near it.
_RULES: Mapping[str, tuple[str, ...]] = {
    "example.org": ("example.org", "www.example.org", "a.b.example.org", "notexample.org"),
    "*.example.org": ("example.org", "www.example.org", "a.b.example.org", "notexample.org"),
    "ads*.example.org": ("ads.example.org", "ads7.example.org", "x.ads7.example.org", "example.org"),
    "https://www.example.org/news": ("example.org", "www.example.org", "news.example.org", "example.com"),
}


def autodetect() -> str:
    """The orders in which a vendor with a key, or with an address of its own, is found."""
    found = [vendor for vendor in VENDORS if vendor.detected]
    rows = (
        ("searches", [one.name for one in found], "else the walk below"),
        ("reading pages", [*(one.name for one in found if one.extract), "local"], "`web.prefer_local` puts `local` first"),
        ("pictures", PICTURES, "`ddgs` only where `web.keyless_fallback` is on, or it was chosen"),
    )
    lines = [f"| {what} | {_listed(names)} | {then} |" for what, names, then in rows]
    return _table("| for | the first of these that can be used | |", lines)


def walk() -> str:
    """Whom a search goes to that nobody was chosen for, step by step."""
    fields = [f"   - `{vendor.name}`: {vendor.field}" for vendor in VENDORS if vendor.field]
    lines = [
        f"1. **The library**, on your machine. Where its best hit holds {FITS:.0%} of what the question weighs, that is",
        "   the answer, and nobody else is told anything.",
        f"2. **Searches of one field** that fit the question, the {_MOST_DOMAINS} best of them:",
        *fields,
        f"3. **Free providers**, one after another until one answers: {_listed(RING)}, then `{SCRAPER}` where it is installed.",
        "   With which of them it begins, the session decides.",
    ]
    return "\n".join([*lines, ""])


def ring() -> str:
    """The free vendors that stand in for one that failed, in their order."""
    return f"{_listed(RING)}\n"


def rules() -> str:
    """Rules of the block-list, each asked about hosts near it."""
    lines = []
    for rule, hosts in _RULES.items():
        blocked = BlockList([Rule(rule, "docs")])
        yes = [host for host in hosts if blocked.match(host)]
        lines.append(f"| `{rule}` | {_names(yes)} | {_names(host for host in hosts if host not in yes)} |")
    return _table("| rule | blocks | does not block |", lines)


def uncovered() -> str:
    """Whose connections are made by others: the gates are all there is before them."""
    rows = [(vendor, "reads pages from its own network") for vendor in VENDORS if vendor.extract]
    rows += [(vendor, "a package with a client of its own, in a child process") for vendor in VENDORS if vendor.package]
    rows += [(vendor, "an installed program, in a child process") for vendor in VENDORS if vendor.program]
    lines = [f"| `{one.name}` | {what} | {_hosts(one)} |" for one, what in rows]
    return _table("| who | what it is | where it connects to, or where we hand it an address |", lines)


def vendors() -> str:
    """Every vendor with its hosts and when it is asked."""
    every = [(vendor, _when(vendor)) for vendor in VENDORS]
    every += [(one.vendor, f"the tool `web` is asked for {one.kind}") for one in FACT_VENDORS]
    lines = [f"| `{vendor.name}` | {_hosts(vendor)} | {_variables(vendor)} | {when} |" for vendor, when in every]
    return _table("| vendor | hosts | key or address | asked when |", lines)


def _variables(vendor: Vendor) -> str:
    return _listed(filter(None, (vendor.key_env, vendor.url_env, vendor.gateway_env)))


def _when(vendor: Vendor) -> str:
    if vendor.field:
        return f"chosen; else {vendor.field}"
    if vendor.spends:
        return "chosen, with its key and a model"
    said = "chosen"
    if vendor.detected:
        said += ", or its key is set" if vendor.key_env else ", or its address is set"
    if vendor.name in RING:
        return f"{said}; else in the walk of a search and in rescues"
    return f"{said}; else last in the walk of a search" if vendor.name == SCRAPER else said


def _hosts(vendor: Vendor) -> str:
    """Hosts that a vendor's row and the addresses in its code name."""
    if vendor.program:
        return f"the index of {vendor.program}'s settings"
    if vendor.package:
        return "the search engines that the package asks, such as DuckDuckGo, Bing, Brave, Google, Mojeek and Yahoo"
    addresses = [vendor.base_url, *_addresses(vendor.made_by)]
    hosts = dict.fromkeys([urlsplit(one).hostname or "" for one in addresses if one])
    named = ", ".join(f"`{host}`" for host in hosts if host)
    own = " or your own instance" if named else "your own instance"
    return f"{named}{own}" if vendor.url_env else named or "documentation sites"


def _addresses(made_by: str) -> list[str]:
    """What stands in a vendor's module as a constant and is an address."""
    path = SOURCE / "limen/builtin/web" / (made_by.partition(":")[0].replace(".", "/") + ".py")
    constants = [node.value for node in ast.parse(path.read_text()).body if isinstance(node, ast.Assign | ast.AnnAssign)]
    texts = [node.value for one in constants if one is not None for node in ast.walk(one) if isinstance(node, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and text.startswith("https://")]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _names(hosts: Iterable[str]) -> str:
    return _listed(hosts) or "–"


def _table(head: str, lines: Iterable[str]) -> str:
    return "\n".join([head, "|---" * (head.count("|") - 1) + "|", *lines, ""])


PARTS: dict[str, Callable[[], str]] = {
    "autodetect": autodetect,
    "walk": walk,
    "ring": ring,
    "rules": rules,
    "uncovered": uncovered,
}
