"""Gate: whether this host may be read at all, and whether anybody has shown this address.

A page can tell a model to read an address that carries the conversation away in its path. So, once text from the web has entered
the window, an address that neither the user, a search result nor a page has shown is not read unasked.
"""

from collections.abc import Mapping
from shlex import quote
from typing import Literal

import msgspec

from limen.core.fault import Refusal
from limen.core.ledger import Trust
from limen.core.web import Fetched
from limen.net.host import host_of, spelled
from limen.net.url import comparable
from limen.web.call import ExtractCall, ExtractGate, Wanted, per_entry

Permission = Literal["allow", "ask", "deny"]
Unseen = Literal["allow", "ask", "refuse"]

# Hosts of programming languages' and projects' own documentation: public, versioned, and without places to leave a message.
DOCUMENTATION_HOSTS = frozenset({
    "cppreference.com", "developer.mozilla.org", "devdocs.io", "docs.djangoproject.com", "docs.docker.com", "docs.github.com",
    "docs.gitlab.com", "docs.oracle.com", "docs.python.org", "docs.rs", "doc.rust-lang.org", "git-scm.com", "go.dev",
    "golang.org", "kubernetes.io", "learn.microsoft.com", "man7.org", "nodejs.org", "numpy.org", "pandas.pydata.org",
    "peps.python.org", "pkg.go.dev", "postgresql.org", "readthedocs.io", "readthedocs.org", "rfc-editor.org", "ruby-doc.org",
    "sqlite.org", "typescriptlang.org", "w3.org", "whatwg.org",
})  # fmt: skip


class PermissionRules(msgspec.Struct, frozen=True):
    """What an operator sets. A host's own rule goes before its parents', and any rule before `default`.

    `hosts` maps a host (itself and what lies below it) to a permission. Of `allowed_domains`, where there are any, one must hold
    the host; none of `blocked_domains` may: a block wins over everything.
    """

    default: Permission = "allow"
    hosts: Mapping[str, Permission] = {}
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    unseen: Unseen = "ask"

    def permission(self, host: str) -> Permission:
        """What the operator says of a host."""
        names = _and_parents(host)
        for name in names:
            if name in self.hosts:
                return self.hosts[name]
        return "allow" if any(name in DOCUMENTATION_HOSTS for name in names) else self.default


def _and_parents(host: str) -> list[str]:
    labels = host.lower().rstrip(".").split(".")
    return [".".join(labels[index:]) for index in range(len(labels))]


def domain_refusal(host: str, rules: PermissionRules) -> Refusal | None:
    """Why the domain lists keep a host out, or None. Codes: `permission.blocked_domain`, `permission.not_allowed_domain`."""
    names = _and_parents(host)
    blocked = next((rule for rule in rules.blocked_domains if _plain(rule) in names), None)
    if blocked is not None:
        reason = f"{host} is kept out by web.blocked_domains ({blocked})."
        mend = f"limen config set web.blocked_domains --remove {quote(blocked)}"
        return Refusal("permission", "permission.blocked_domain", reason, mend)
    if rules.allowed_domains and not any(_plain(rule) in names for rule in rules.allowed_domains):
        reason = f"{host} is not among web.allowed_domains."
        mend = f"limen config set web.allowed_domains --add {quote(host)}"
        return Refusal("permission", "permission.not_allowed_domain", reason, mend)
    return None


def _plain(rule: str) -> str:
    return spelled(rule.strip().strip(".").removeprefix("*."))


def judge_permission(url: str, rules: PermissionRules) -> Refusal | None:
    """Why this host may not be read, or None. Further codes: `permission.denied`, `permission.ask`."""
    host = host_of(url)
    refusal = domain_refusal(host, rules)
    if refusal is not None:
        return refusal
    permission = rules.permission(host)
    if permission == "deny":
        return Refusal("permission", "permission.denied", f"{host} may not be read.", _allow(host))
    if permission == "ask":
        return Refusal(
            "permission", "permission.ask", f"Reading {host} wants a person's consent, and nobody can be asked.", _allow(host)
        )
    return None


def _allow(host: str) -> str:
    return f"To allow it always: limen config set web.permissions --add {quote(f'domain:{host}=allow')}"


def judge_unseen(url: str, call: ExtractCall, rules: PermissionRules) -> Refusal | None:
    """Why an address that nobody has shown is not read now that web text is in the window. Code: `permission.unseen_url`."""
    context = call.context
    if rules.unseen == "allow" or context.window_trust.rank < Trust.WEB.rank or comparable(url) in context.seen_urls:
        return None
    reason = (
        f"Nobody has shown {url}: neither the user, nor a search result, nor a page that was read. Text from the web is in the "
        "window, and a page may have composed the address to carry something out."
    )
    return Refusal(
        "permission", "permission.unseen_url", reason, "Give the address yourself, or: limen config set web.unseen_urls allow"
    )


def permission_gate(rules: PermissionRules) -> ExtractGate:
    """The gate over both rules; where a redirect ends is judged by the host's rules alone, since a page's own site chose it."""

    async def judge(wanted: Wanted, call: ExtractCall) -> Wanted | Refusal:
        refusal = judge_permission(wanted.url, rules) or judge_unseen(wanted.url, call, rules)
        return refusal or wanted.passed("permission")

    async def judge_final(entry: Fetched, _call: ExtractCall) -> Refusal | None:
        return judge_permission(entry.page.url, rules)

    return per_entry(judge, judge_final)
