"""Gate: the operator's block-list. A match is hard, on the way in and on the final address."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol
from urllib.parse import urlsplit

import msgspec
import re2

from limen.core.fault import Refusal
from limen.core.web import Fetched
from limen.kit.log import failed_open
from limen.web.call import ExtractCall, ExtractGate, Wanted, per_entry


class Rule(msgspec.Struct, frozen=True):
    """A block-list line and where it stands."""

    text: str
    source: str


class BlockList:
    """Bare hosts block themselves and their subdomains; globs block what they match. A look-up costs a host's labels.

    `*.x` blocks what lies below x and not x itself, at any depth.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._hosts: dict[str, Rule] = {}
        self._below: dict[str, Rule] = {}
        self._globs = _Globs()
        for rule in rules:
            self._add(rule)

    def _add(self, rule: Rule) -> None:
        name = rule.text.partition("#")[0].strip().lower()
        if "://" in name:
            name = urlsplit(name).hostname or ""
        name = name.partition("/")[0].rstrip(".").removeprefix("www.")
        if not name:
            if rule.text.partition("#")[0].strip():
                failed_open("policy.bad_rule", f"{rule.text!r} in {rule.source} names no host")
            return
        below = name.removeprefix("*.")
        if below != name and not _GLOB.intersection(below):
            self._below.setdefault(below, rule)
        elif _GLOB.intersection(name):
            self._globs.add(name, rule)
        else:
            self._hosts.setdefault(name, rule)

    def match(self, host: str) -> Rule | None:
        """The rule that blocks a host, or None."""
        name = host.lower().rstrip(".")
        labels = name.split(".")
        for index in range(len(labels)):
            suffix = ".".join(labels[index:])
            rule = self._hosts.get(suffix) or (self._below.get(suffix) if index else None)
            if rule is not None:
                return rule
        return self._globs.match(name)


_GLOB = frozenset("*?[")


class _Globs:
    """Shell patterns over whole host names, all asked in one linear pass."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._set = _new_set()
        self._ready = True

    def add(self, glob: str, rule: Rule) -> None:
        try:
            self._set.Add(_as_pattern(glob))
        except re2.error as error:
            failed_open("policy.bad_rule", f"{rule.text!r} in {rule.source}: {error}")
            return
        self._rules.append(rule)
        self._ready = False

    def match(self, host: str) -> Rule | None:
        if not self._rules:
            return None
        if not self._ready:
            self._set.Compile()
            self._ready = True
        found = self._set.Match(host)
        return self._rules[min(found)] if found else None


def _new_set() -> "re2.Set":
    options = re2.Options()
    options.log_errors = False
    return re2.Set.FullMatchSet(options)


def _as_pattern(glob: str) -> str:
    """`*` is any text, `?` one character, `[ab]` and `[!ab]` one of a set; everything else is itself, an open bracket too."""
    pieces = []
    for piece in re.findall(r"\[(?>!?)\]?[^\]]+\]|.", glob):
        if piece in "*?":
            pieces.append(".*" if piece == "*" else ".")
        elif len(piece) > 1:
            inverted = piece[1] == "!"
            inside = re2.escape(piece[2:-1] if inverted else piece[1:-1]).replace("\\-", "-")
            pieces.append(f"[{'^' if inverted else ''}{inside}]")
        else:
            pieces.append(re2.escape(piece))
    return "".join(pieces)


class HostRules(Protocol):
    """Rules that can be asked about a host."""

    def match(self, host: str) -> Rule | None: ...


class RulesNow:
    """`HostRules` that are asked for at each look, so that a change of the settings holds at once."""

    def __init__(self, now: Callable[[], HostRules]) -> None:
        self._now = now

    def match(self, host: str) -> Rule | None:
        """The rule that blocks a host now, or None."""
        return self._now().match(host)


def judge_host(blocked: HostRules, url: str) -> Refusal | None:
    """The refusal of a blocked address, naming host, rule and where the rule stands."""
    host = urlsplit(url).hostname or ""
    rule = blocked.match(host)
    if rule is None:
        return None
    detail: Mapping[str, str] = {"host": host, "rule": rule.text.strip(), "source": rule.source}
    reason = f"{host} is blocked by the rule {rule.text.strip()!r} ({rule.source})."
    mend = "The operator can change it: limen config get security.website_blocklist"
    return Refusal("policy", "policy.blocked", reason, mend, {"blocked_by_policy": dict(detail)})


def policy_gate(blocked: HostRules) -> ExtractGate:
    """The gate over a loaded list; an empty list passes everything."""

    async def judge(wanted: Wanted, _call: ExtractCall) -> Wanted | Refusal:
        return judge_host(blocked, wanted.url) or wanted.passed("policy")

    async def judge_final(entry: Fetched, _call: ExtractCall) -> Refusal | None:
        return judge_host(blocked, entry.page.url)

    return per_entry(judge, judge_final)
