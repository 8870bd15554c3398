"""What stands between a wish and the network is told in the code's order, and what is told of each gate is what it does."""

import re

import pytest
from docs.pages import ROOT, scripts

from limen.config import keys
from limen.config.paths import Home
from limen.core.context import CallContext
from limen.core.web import Extraction, Unread
from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.network import reply, serve
from limen.web.explain import Supposed
from limen.web.extract import EXTRACT_GATES, EXTRACT_SHAPERS
from limen.web.gates.policy import BlockList, Rule
from limen.web.search import SEARCH_GATES, SEARCH_SHAPERS
from limen.wiring.explain import Explainers

PAGE = (ROOT / "docs" / "before-the-first-byte.md").read_text()
PUBLIC = ("93.184.216.34",)
HTML = "<html><head><title>Tea</title></head><body><main><h1>Tea</h1><p>Steep it for four minutes.</p></main></body></html>"
# One address for each thing that a gate may say of one, as far as nothing has to be looked up for it.
ADDRESSES = (
    "http://127.0.0.1/", "http://169.254.169.254/", "http://169.254.1.1/", "http://240.0.0.1/", "http://wiki.lan/", "http://wiki/",
    "http://2130706433/", "http://a.example:22/", "http://u:p@a.example/", "ftp://a.example/", "http://a.example\\b/",
    "http://a b/", "http://%61.example/", "http://[fe80::1%25eth0]/", "", "http://", "http://١٢٧.0.0.1/", "http://a.example/\x01",
    "https://a.example/?token=abc", "https://a.example/ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "https://blocked.example/",
    "https://denied.example/", "https://asked.example/", "https://a.example/" + "x" * 9_000,
)  # fmt: skip
SETTINGS = {
    "LIMEN_SECURITY_WEBSITE_BLOCKLIST_ENABLED": "true",
    "LIMEN_SECURITY_WEBSITE_BLOCKLIST_DOMAINS": "blocked.example",
    "LIMEN_WEB_PERMISSIONS": "domain:denied.example=deny,domain:asked.example=ask",
}


@pytest.fixture(scope="module")
def script():
    """The modules that make the page, out of their folder."""
    with scripts("codes", "reached", "threshold") as modules:
        yield modules


@pytest.fixture
def explainer(tmp_path):
    return Explainers(Home.resolve(tmp_path / "home", None, {}), {}).under(SETTINGS)


def test_the_page_tells_the_gates_in_the_order_of_the_code():
    told = re.findall(r"^### (\d+)\. `(\w+)`", PAGE, re.MULTILINE)
    both = [*enumerate(EXTRACT_GATES, 1), *enumerate(SEARCH_GATES, 1)]
    assert told == [(str(n), name) for n, name in both]
    shapers = re.findall(r"^- `(\w+)`: ", PAGE.partition("### On the way in\n")[2].partition("## Who is asked")[0], re.MULTILINE)
    assert shapers == [*EXTRACT_SHAPERS, *SEARCH_SHAPERS]


def test_a_gate_without_a_section_stops_the_docs(script):
    stations = script["threshold"].stations
    assert list(stations("extract", EXTRACT_GATES)) == list(EXTRACT_GATES)
    for names in ((*EXTRACT_GATES, "newcomer"), EXTRACT_GATES[1:]):
        with pytest.raises(SystemExit, match="secrets"):
            stations("extract", names)


def test_what_a_gate_reaches_is_followed_through_calls_classes_and_imports(script):
    reached = script["reached"]
    assert reached.refusals("web/gates/policy.py:policy_gate") == ("policy.blocked",)
    assert "network.metadata" in reached.refusals("web/gates/network.py:network_gate")
    assert reached.logged("web/gates/block_files.py:WatchedBlockList") == ("policy.bad_rule", "policy.file_missing")
    with pytest.raises(SystemExit, match="no_such_gate"):
        reached.refusals("web/gates/policy.py:no_such_gate")


def section(gate):
    """The section of a gate of `web_extract`."""
    return re.split(r"^##", PAGE.partition(f". `{gate}`\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


@pytest.mark.anyio
async def test_every_code_of_a_gate_stands_in_its_section(explainer):
    said = {}
    for url in ADDRESSES:
        explanation = await explainer.explain(url, Supposed(PUBLIC))
        assert explanation.verdict != "allow", url
        for row in explanation.gates:
            if row.code is not None and row.verdict in ("refuse", "ask"):
                said.setdefault(row.gate, set()).add(row.code)
    unknown = await explainer.explain("https://a.example/", Supposed(PUBLIC), provider="nobody")
    said["resolve"] = {row.code for row in unknown.gates if row.gate == "resolve"}
    assert {gate: len(codes) for gate, codes in said.items()} == {
        "secrets": 2, "network": 16, "resolve": 1, "policy": 1, "permission": 2,
    }  # fmt: skip
    for gate, codes in said.items():
        assert codes <= set(re.findall(r"\[`([a-z_.]+)`\]\(errors", section(gate))), gate


@pytest.mark.anyio
async def test_those_that_look_again_are_those_that_are_said_to(script, explainer):
    """Of a page that a vendor read: a reader of our own has every hop judged besides."""
    ends = {
        "secrets": "https://a.example/?token=abc", "network": "http://127.0.0.1/", "policy": "https://blocked.example/",
        "permission": "https://denied.example/",
    }  # fmt: skip
    again = set()
    for gate, end in ends.items():
        explanation = await explainer.explain("https://a.example/", Supposed(PUBLIC, None, end), provider="exa")
        again |= {row.gate for row in explanation.gates if row.gate == gate and row.verdict == "refuse"}
    stations = script["threshold"].stations("extract", EXTRACT_GATES)
    assert again == {name for name, station in stations.items() if station.again}


@pytest.mark.anyio
async def test_a_no_costs_what_it_is_said_to_cost(script, home):
    stations = script["threshold"].stations("extract", EXTRACT_GATES)
    costs = {}
    async with serve({"*": reply(HTML)}) as server:
        flags = {
            "security.allow_private_hosts": f"127.0.0.1:{server.port},localhost:{server.port}",
            "web.unseen_urls": "allow",
        }
        good, named = server.url("/"), server.url("/", "localhost")
        blocked = {"security.website_blocklist.enabled": "true", "security.website_blocklist.domains": "localhost"}
        bad = {
            "secrets": (server.url("/?token=abc"), {}, ""),
            "network": ("http://10.0.0.1/", {}, ""),
            "resolve": (server.url("/other"), {}, "nobody"),
            "policy": (named, blocked, ""),
            "permission": (named, {"web.permissions": "domain:localhost=deny"}, ""),
        }
        for gate, (url, settings, provider) in bad.items():
            async with open_runtime(RuntimeOptions(home=home, flags={**flags, **settings})) as runtime:
                answer = await runtime.web.extract(Extraction((good, url), provider=provider), CallContext())
            refusals = [entry.refusal.gate for entry in answer.entries if isinstance(entry, Unread)]
            costs[gate] = "call" if answer.refusal is not None else "address"
            assert (answer.refusal.gate if answer.refusal is not None else refusals) == (gate if answer.refusal else [gate])
    assert costs == {name: station.refuses for name, station in stations.items() if station.refuses}


def test_every_setting_of_the_threshold_has_its_place():
    named = set(re.findall(r"`([a-z_]+\.[a-z_.]+)`", PAGE))
    for key in keys.KEYS.values():
        if key.section in ("web", "security", "reader"):
            parents = {key.name, *(key.name.rsplit(".", n)[0] for n in range(1, key.name.count(".")))}
            assert parents & named, key.name


def test_the_rule_of_a_host_below_is_not_the_rule_of_the_host():
    assert "| `*.example.org` | `www.example.org`, `a.b.example.org` | `example.org`," in PAGE
    assert BlockList([Rule("*.example.org", "test")]).match("example.org") is None
