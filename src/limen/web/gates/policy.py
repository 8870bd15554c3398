"""Gate: the operator's block-list. A match is hard, on the way in and on the final address."""

from collections.abc import Iterable, Mapping
from fnmatch import translate
from re import Pattern
from re import compile as compile_pattern
from typing import Protocol
from urllib.parse import urlsplit

import msgspec

from limen.core.fault import Refusal
from limen.core.web import Fetched
from limen.kit.log import failed_open
from limen.web.call import ExtractCall, ExtractGate, Wanted, per_entry


class Rule(msgspec.Struct, frozen=True):
    """A block-list line and where it stands."""

    text: str
    source: str


class BlockList:
    """Bare hosts block themselves and their subdomains; globs block what they match. A look-up costs a host's labels."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._hosts: dict[str, Rule] = {}
        self._globs: list[tuple[Pattern[str], Rule]] = []
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
        if any(char in name for char in "*?["):
            self._globs.append((compile_pattern(translate(name)), rule))
        else:
            self._hosts.setdefault(name, rule)

    def match(self, host: str) -> Rule | None:
        """The rule that blocks a host, or None."""
        name = host.lower().rstrip(".")
        labels = name.split(".")
        for index in range(len(labels)):
            rule = self._hosts.get(".".join(labels[index:]))
            if rule is not None:
                return rule
        return next((rule for pattern, rule in self._globs if pattern.match(name)), None)


class HostRules(Protocol):
    """Rules that can be asked about a host."""

    def match(self, host: str) -> Rule | None: ...


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
