"""The gate `permission`: hosts by rule, domain lists, and addresses that nobody has shown."""

import pytest

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import Trust
from limen.core.web import ExtractAnswer, Extraction, Fetched, Page
from limen.net.url import comparable
from limen.web.call import ExtractCall, Wanted
from limen.web.gates.permission import PermissionRules, judge_permission, permission_gate

pytestmark = pytest.mark.anyio


def code(url, **rules):
    refusal = judge_permission(url, PermissionRules(**rules))
    return refusal.code if isinstance(refusal, Refusal) else None


@pytest.mark.parametrize(
    ("url", "rules", "expected"),
    [
        ("https://x.example/", {}, None),
        ("https://x.example/", {"default": "deny"}, "permission.denied"),
        ("https://x.example/", {"default": "ask"}, "permission.ask"),
        ("https://docs.python.org/3/", {"default": "ask"}, None),
        ("https://proj.readthedocs.io/", {"default": "deny"}, None),
        ("https://docs.python.org/3/", {"hosts": {"python.org": "deny"}}, "permission.denied"),
        ("https://a.x.example/", {"hosts": {"x.example": "ask"}}, "permission.ask"),
        ("https://a.x.example/", {"hosts": {"x.example": "deny", "a.x.example": "allow"}}, None),
        ("https://notx.example/", {"hosts": {"x.example": "deny"}}, None),
        ("https://x.example/", {"blocked_domains": ("x.example",)}, "permission.blocked_domain"),
        (
            "https://a.x.example/",
            {"blocked_domains": ("X.example.",), "hosts": {"a.x.example": "allow"}},
            "permission.blocked_domain",
        ),
        ("https://xn--bcher-kva.example/", {"blocked_domains": ("bücher.example",)}, "permission.blocked_domain"),
        ("https://a.xn--bcher-kva.example/", {"blocked_domains": ("*.Bücher.example.",)}, "permission.blocked_domain"),
        ("https://xn--bcher-kva.example/", {"allowed_domains": ("bücher.example",)}, None),
        ("https://x.example/", {"allowed_domains": ("y.example",)}, "permission.not_allowed_domain"),
        ("https://a.y.example/", {"allowed_domains": ("y.example",)}, None),
        (
            "https://a.y.example/",
            {"allowed_domains": ("y.example",), "blocked_domains": ("a.y.example",)},
            "permission.blocked_domain",
        ),
    ],
)
def test_hosts(url, rules, expected):
    assert code(url, **rules) == expected


SEEN = "https://x.example/a?b=1"


async def read(url, rules, *, trust=Trust.WEB, final=None):
    async def endpoint(call):
        return ExtractAnswer(
            tuple(Fetched(one.requested, Page(url=final or one.url, text="t"), "r", "", "t", 1, 1) for one in call.wanted)
        )

    context = CallContext("s", "t", window_trust=trust, seen_urls=frozenset({comparable(SEEN), comparable("https://y.example")}))
    (entry,) = (await permission_gate(rules)(ExtractCall((Wanted(url, url),), Extraction((url,)), context), endpoint)).entries
    return entry.refusal.code if not isinstance(entry, Fetched) else None


@pytest.mark.parametrize(
    ("url", "trust", "unseen", "expected"),
    [
        (SEEN, Trust.WEB, "ask", None),
        (f"{SEEN}#part", Trust.WEB, "ask", None),
        ("https://X.example:443/a?b=1", Trust.WEB, "ask", None),
        ("https://y.example/", Trust.WEB, "ask", None),
        ("https://x.example/a?b=secret", Trust.WEB, "ask", "permission.unseen_url"),
        ("https://x.example/a?b=secret", Trust.WEB, "refuse", "permission.unseen_url"),
        ("https://x.example/a?b=secret", Trust.WEB, "allow", None),
        ("https://x.example/a?b=secret", Trust.WORKSPACE, "ask", None),
        ("https://x.example/a?b=secret", Trust.USER, "refuse", None),
    ],
)
async def test_an_address_that_nobody_has_shown(url, trust, unseen, expected):
    assert await read(url, PermissionRules(unseen=unseen), trust=trust) == expected


async def test_the_final_address_is_judged_too():
    rules = PermissionRules(blocked_domains=("bad.example",))
    assert await read(SEEN, rules, final="https://bad.example/") == "permission.blocked_domain"
