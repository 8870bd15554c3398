"""An explanation says what the pipeline would do, and what every other gate thinks besides."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from web.rig import Canned, secrets_gate

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Pulled
from limen.core.web import Extraction, Page, Unread
from limen.net.client import AddressPolicy
from limen.testing.network import ListedResolver, never
from limen.web.cache.pages import PageCache
from limen.web.explain import Explainer, Supposed, SupposedResolver
from limen.web.extract import EXTRACT_GATES, Extractor, ExtractRules, ReadingParts
from limen.web.gates.cache import CacheGate, CacheRules
from limen.web.gates.network import network_gate, plain_network_gate
from limen.web.gates.permission import PermissionRules, permission_gate
from limen.web.gates.policy import BlockList, Rule, policy_gate
from limen.web.gates.rescue import Ring, rescue_gate
from limen.web.gates.resolve import resolve_gate
from limen.web.kept import KeptPages, kept_gate

pytestmark = pytest.mark.anyio
ROWS = [json.loads(line) for line in (Path(__file__).parents[1] / "net/ssrf.jsonl").read_text().splitlines()]
PUBLIC = ("93.184.216.34",)
SHUT = AddressPolicy()


async def no_documents(url):
    return None


class Other(Canned):
    """A reader that stands in for another."""

    def __init__(self, name, *pulled, **options):
        super().__init__(*pulled, **options)
        self.name = name


class Rig:
    """The whole list of gates, an explainer over them, and the extractor that it speaks of."""

    def __init__(self, tmp_path, *pulled, policy=SHUT, resolver=never, mode="live", reader="canned", unavailable=None):
        self.provider = Other(reader, *pulled, unavailable=unavailable)
        self.policy, self.resolver = policy, resolver
        self.rules = ExtractRules(reader, mode=mode)
        rescuers = [Other("first"), Other("second")]
        hosts = {"ask.example": "ask", "denied.example": "deny"}

        async def is_public(url):
            return True

        self.gates = {
            "secrets": secrets_gate(),
            "network": network_gate(policy, resolver),
            "resolve": resolve_gate({reader: self.provider}, reader),
            "policy": policy_gate(BlockList([Rule("blocked.example", "test")])),
            "permission": permission_gate(PermissionRules(hosts=hosts)),
            "cache": CacheGate(PageCache(tmp_path / "cache"), CacheRules(), is_public),
            "rescue": rescue_gate(Ring(rescuers), enabled=True, eligible=frozenset({reader})),
        }
        self.pages = tmp_path / "pages"

    async def explain(self, url, supposed=None, **options):
        explainer = Explainer(self.gates, self.rules, self.policy, self.resolver)
        return await explainer.explain(url, supposed or Supposed(PUBLIC), **options)

    async def extract(self, url, supposed):
        """What the pipeline says, its look-ups answered as supposed."""
        answers = SupposedResolver(supposed.resolves_to, supposed.resolves_then or supposed.resolves_to)
        gates = {**self.gates, "network": network_gate(self.policy, answers)}
        extractor = Extractor(
            lambda: ReadingParts(gates, {self.provider.name: self.provider}, self.rules), self.pages, lambda: "n"
        )
        answer = await extractor.extract(Extraction((url,), fresh=True), CallContext(), fenced=False)
        if answer.refusal is not None:
            return answer.refusal
        (entry,) = answer.entries
        return entry.refusal if isinstance(entry, Unread) else None


def words(explanation):
    return {row.gate: row.verdict for row in explanation.gates}


def decisive(explanation):
    return [row for row in explanation.gates if row.decides]


async def test_every_gate_speaks_once_in_the_pipelines_order(tmp_path):
    explanation = await Rig(tmp_path).explain("https://a.example/")
    assert tuple(row.gate for row in explanation.gates) == EXTRACT_GATES
    assert words(explanation) == {**dict.fromkeys(EXTRACT_GATES, "allow"), "cache": "miss"}
    assert (explanation.verdict, explanation.provider) == ("allow", "canned")


async def test_nothing_is_fetched_and_nothing_is_kept(tmp_path):
    rig = Rig(tmp_path)
    await rig.explain("https://a.example/", Supposed(PUBLIC, None, "https://b.example/"))
    assert rig.provider.asked == []
    assert list(tmp_path.rglob("*.md")) == []


async def test_gates_behind_a_refusal_are_asked_too_and_the_first_decides(tmp_path):
    explanation = await Rig(tmp_path).explain("https://blocked.example:25/?token=abc")
    assert {gate for gate, verdict in words(explanation).items() if verdict == "refuse"} == {"secrets", "network", "policy"}
    (first,) = decisive(explanation)
    assert (first.gate, first.code, explanation.verdict) == ("secrets", "secrets.parameter", "refuse")
    assert all(row.mend for row in explanation.gates if row.verdict == "refuse")


async def test_a_host_that_wants_consent_is_to_be_asked_about(tmp_path):
    explanation = await Rig(tmp_path).explain("https://ask.example/")
    assert (explanation.verdict, words(explanation)["permission"]) == ("ask", "ask")
    assert (await Rig(tmp_path).explain("https://denied.example/")).verdict == "refuse"


@pytest.mark.parametrize(
    "url", ["http://[::1", "http://a b/", "ftp://a.example/", "", "x", "http://user:pw@a.example/", "a" * 9_000]
)
async def test_of_an_address_that_cannot_be_read_the_gates_behind_know_nothing(tmp_path, url):
    explanation = await Rig(tmp_path).explain(url)
    assert explanation.verdict == "refuse"
    assert words(explanation)["policy"] == "unjudged"
    assert decisive(explanation)[0].code.startswith("network.")


async def test_without_a_reader_cache_and_rescue_know_nothing(tmp_path):
    explanation = await Rig(tmp_path, unavailable=Refusal("x", "web.no_key", "no key", "set KEY")).explain("https://a.example/")
    assert decisive(explanation)[0].code == "web.no_key"
    assert (words(explanation)["cache"], words(explanation)["rescue"]) == ("unjudged", "unjudged")
    assert (await Rig(tmp_path).explain("https://a.example/", provider="cannd")).verdict == "refuse"


async def test_the_mode_that_is_off_decides_before_all_gates(tmp_path):
    rig = Rig(tmp_path, mode="off")
    rig.gates["network"] = plain_network_gate(rig.policy)
    explanation = await rig.explain("https://a.example/?token=abc")
    (first,) = decisive(explanation)
    assert (first.gate, first.code) == ("resolve", "web.mode")
    assert words(explanation)["secrets"] == "refuse"


async def test_a_mode_that_fetches_nothing_asks_the_gates_that_it_has(tmp_path):
    rig = Rig(tmp_path, mode="cached")
    kept = KeptPages(PageCache(tmp_path / "cache"), CacheRules(), ["canned"], no_documents, lambda page: tmp_path / "none")
    rig.gates = {**rig.gates, "network": plain_network_gate(rig.policy), "cache": kept_gate(kept, "cached")}
    del rig.gates["resolve"], rig.gates["rescue"]
    explanation = await rig.explain("https://a.example/", Supposed())
    (first,) = decisive(explanation)
    assert (first.gate, first.code) == ("cache", "web.mode")
    assert (words(explanation)["resolve"], words(explanation)["permission"]) == ("unjudged", "allow")


@pytest.mark.parametrize("reader", ["local", "canned"])
async def test_a_redirect_to_another_host_is_handed_back_where_that_is_set(tmp_path, reader):
    rig = Rig(tmp_path, reader=reader)
    rig.rules = msgspec.structs.replace(rig.rules, same_host=True)
    explanation = await rig.explain("https://a.example/", Supposed(PUBLIC, None, "https://b.example/"))
    assert explanation.gates[-1].code == "web.cross_host_redirect"
    assert decisive(explanation) == [explanation.gates[-1]]
    assert (await rig.explain("https://a.example/", Supposed(PUBLIC, None, "https://www.a.example/"))).verdict == "allow"


async def test_who_would_stand_in_is_said_since_they_would_see_the_address(tmp_path):
    explanation = await Rig(tmp_path).explain("https://a.example/")
    assert "first, second" in explanation.gates[-1].reason


async def test_the_local_reader_looks_the_name_up_again_and_dials_only_that(tmp_path):
    rig = Rig(tmp_path, reader="local")
    explanation = await rig.explain("https://rebind.example/", Supposed(PUBLIC, ("10.0.0.1",)))
    (first,) = decisive(explanation)
    assert (first.gate, first.code) == ("network", "network.private_address")
    assert "10.0.0.1" in first.reason
    assert (await rig.explain("https://rebind.example/", Supposed(PUBLIC, ("1.1.1.1",)))).verdict == "allow"
    assert (await Rig(tmp_path).explain("https://rebind.example/", Supposed(PUBLIC, ("10.0.0.1",)))).verdict == "allow"


async def test_real_look_ups_go_to_the_gates_own_resolver(tmp_path):
    resolver = ListedResolver({"a.example": [["93.184.216.34"], ["10.0.0.9"]]})
    explanation = await Rig(tmp_path, resolver=resolver, reader="local").explain("https://a.example/", Supposed())
    assert decisive(explanation)[0].code == "network.private_address"
    assert resolver.asked == ["a.example", "a.example"]


@pytest.mark.parametrize("reader", ["local", "canned"])
@pytest.mark.parametrize(
    ("target", "gate", "code"),
    [
        ("http://127.0.0.1/", "network", "network.private_address"),
        ("//169.254.169.254/", "network", "network.metadata"),
        ("gopher://127.0.0.1/", "network", "network.scheme"),
        ("https://blocked.example/x", "policy", "policy.blocked"),
        ("https://denied.example/x", "permission", "permission.denied"),
        ("https://other.example/x", None, None),
        ("/elsewhere", None, None),
    ],
)
async def test_where_a_redirect_leads_is_judged_as_the_pipeline_does(tmp_path, reader, target, gate, code):
    explanation = await Rig(tmp_path, reader=reader).explain("https://a.example/", Supposed(PUBLIC, None, target))
    assert [(row.gate, row.code) for row in decisive(explanation)] == ([(gate, code)] if gate else [])


async def test_a_redirect_must_neither_carry_a_credential_nor_leave_https_here(tmp_path):
    rig = Rig(tmp_path, reader="local")
    onward = await rig.explain("https://a.example/", Supposed(PUBLIC, None, "https://a.example/?token=abc"))
    assert decisive(onward)[0].code == "secrets.parameter"
    downward = await rig.explain("https://a.example/", Supposed(PUBLIC, None, "http://a.example/"))
    assert decisive(downward)[0].code == "network.downgrade"


async def test_a_kept_page_is_told_and_its_final_address_judged(tmp_path):
    url, final = "https://a.example/", "https://b.example/"
    page = Page(url=final, text="A page that is long enough to be kept for a while.")
    rig = Rig(
        tmp_path,
        Pulled(url, page),
        resolver=ListedResolver({"a.example": [list(PUBLIC)], "b.example": [list(PUBLIC), ["10.0.0.1"]]}),
    )
    extractor = Extractor(lambda: ReadingParts(rig.gates, {"canned": rig.provider}, rig.rules), rig.pages, lambda: "n")
    await extractor.extract(Extraction((url,)), CallContext())
    explanation = await rig.explain(url, Supposed())
    assert words(explanation)["cache"] == "hit"
    assert decisive(explanation)[0].code == "network.private_address"


URLS = st.one_of(
    st.sampled_from([row["url"] for row in ROWS]),
    st.sampled_from([
        "https://blocked.example/a", "https://ask.example/?token=x", "https://denied.example:22/", "https://a.example/?password=1",
        "https://sub.blocked.example./", "https://a.example/sk-proj-" + "a1B2c3D4e5F6g7H8i9J0k1", "https://a.example/#access_token=zz",
    ]),
    st.text(max_size=20).map(lambda text: f"http://{text}/"),
    st.text(max_size=30),
)  # fmt: skip
ANSWERS = st.lists(
    st.sampled_from(["93.184.216.34", "10.0.0.1", "::1", "2606:4700::1", "198.18.0.1", "fe80::1%eth0"]), max_size=2
)


@given(
    URLS,
    ANSWERS,
    st.none() | st.sampled_from(["https://b.example/", "https://blocked.example/", "http://10.0.0.1/", "https://ask.example/"]),
)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_the_verdict_is_the_pipelines(tmp_path, url, answers, target):
    """Over a reader that finds every page, or finds it elsewhere: refused by the same gate for the same reason, or not at all."""
    rig = Rig(tmp_path)
    supposed = Supposed(tuple(answers), None, target)

    class Everywhere(Other):
        async def extract(self, request, context):
            return [Pulled(one, Page(url=target or one, text="words enough for a page of text")) for one in request.urls]

    rig.provider = Everywhere("canned")
    rig.gates["resolve"] = resolve_gate({"canned": rig.provider}, "canned")
    explanation = await rig.explain(url, supposed)
    refusal = await rig.extract(url, supposed)
    if refusal is None:
        assert explanation.verdict == "allow"
    else:
        (first,) = decisive(explanation)
        assert (first.gate, first.code) == (refusal.gate, refusal.code)
        assert explanation.verdict == ("ask" if refusal.code == "permission.ask" else "refuse")
