"""Gate: the operator's block-list. A match is hard, on the way in and on the final address."""

import re
from collections.abc import Callable, Iterable
from typing import Protocol

import msgspec
import re2

from limen.core.fault import Refusal
from limen.core.web import Fetched
from limen.kit.log import failed_open
from limen.kit.text import clip
from limen.net.host import host_of, is_spelled, spelled
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
        bad: dict[str, list[str]] = {}
        for rule in rules:
            if not self._add(rule):
                bad.setdefault(rule.source, []).append(rule.text.strip())
        for source, texts in bad.items():  # once for each place: a list in a format of its own may have as many as it has lines
            more = f", nor do {len(texts) - 1:,} more rules there" if len(texts) > 1 else ""
            failed_open("policy.bad_rule", f"{clip(texts[0], _SHOWN_CHARS)!r} in {source} names no host{more}")

    def _add(self, rule: Rule) -> bool:
        """Take up a rule; False where it is none."""
        name = _named(rule.text)
        if not name:
            return name is not None
        below = name.removeprefix("*.")
        if below != name and not _GLOB.intersection(below):
            self._below.setdefault(below, rule)
        elif _GLOB.intersection(name):
            return self._globs.add(name, rule)
        else:
            self._hosts.setdefault(name, rule)
        return True

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
_IN_A_GLOB = re.compile(r"[a-z0-9_.*?\[\]!-]+")
_PORT = re.compile(r":[0-9]+\Z")
_NETWORK = re.compile(r"[0-9.]+/[0-9]+|[0-9a-f:.]+:[0-9a-f:.]*/[0-9]+")
_SHOWN_CHARS = 80


def _named(text: str) -> str | None:
    """The host or glob of a rule as hosts are spelled, empty for a rule that says nothing, None for one that names none."""
    written = text.partition("#")[0].strip().lower()
    if is_spelled(written):  # as nearly all are, in lists of a hundred thousand
        return written.removeprefix("www.")
    if not written or _NETWORK.fullmatch(written):
        return None if written else ""
    name = written.rpartition("://")[2].partition("/")[0].partition("?")[0] if "://" in written else written.partition("/")[0]
    name = name.rpartition("@")[2]
    if name.count(":") == 1 or "]:" in name:
        name = _PORT.sub("", name)
    name = name.rstrip(".").removeprefix("www.")
    if not _GLOB.intersection(name) or ":" in name:
        name = spelled(name)
        return name if is_spelled(name) else None
    # A name is matched in its ASCII form, of which a pattern over other letters knows nothing.
    name = ".".join(label if label.isascii() or _GLOB.intersection(label) else spelled(label) for label in name.split("."))
    return name if _IN_A_GLOB.fullmatch(name) else None


class _Globs:
    """Shell patterns over whole host names, all asked in one linear pass."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._set = _new_set()
        self._ready = True

    def add(self, glob: str, rule: Rule) -> bool:
        """Take up a pattern; False where it is none."""
        try:
            self._set.Add(_as_pattern(glob))
        except re2.error:
            return False
        self._rules.append(rule)
        self._ready = False
        return True

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
    host = host_of(url)
    rule = blocked.match(host)
    if rule is None:
        return None
    text = rule.text.strip()
    reason = f"{host} is blocked by the rule {text!r} ({rule.source})."
    mend = "The operator can change it: limen config get security.website_blocklist"
    detail = {"blocked_by_policy": {"host": host, "rule": text, "source": rule.source}}
    return Refusal("policy", "policy.blocked", reason, mend, detail)


def policy_gate(blocked: HostRules) -> ExtractGate:
    """The gate over a loaded list; an empty list passes everything."""

    async def judge(wanted: Wanted, _call: ExtractCall) -> Wanted | Refusal:
        return judge_host(blocked, wanted.url) or wanted.passed("policy")

    async def judge_final(entry: Fetched, _call: ExtractCall) -> Refusal | None:
        return judge_host(blocked, entry.page.url)

    return per_entry(judge, judge_final)
