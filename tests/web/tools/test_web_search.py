"""The tool `web_search`: what models give for its arguments, and what the window gets of the answer."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from web.search_rig import Provider, Rig, down, hit, own, web

from limen.agent.shelving import Shelve
from limen.agent.toolbox import Toolbox, schema_of
from limen.agent.toolsets import Selection
from limen.core.context import CallContext, silent
from limen.core.ledger import Trust
from limen.core.message import ToolCall
from limen.evidence.redactor import SecretRedactor
from limen.kit.redact import SecretTable
from limen.web.tools.search import WebSearch
from limen.web.tools.search_arguments import SearchArguments

pytestmark = pytest.mark.anyio


class NoShelf:
    """A shelf that nothing should be put on."""

    async def keep(self, text, *, session, tool, source="", media_type="text/plain"):
        raise AssertionError("a search is short")


async def run(rig, arguments):
    """The document of one call, and its outcome."""
    tool = WebSearch(rig.searcher)
    tools = Selection({"web_search": tool}, frozenset({"web_search"}))
    toolbox = Toolbox(tools, SecretRedactor(SecretTable()), Shelve(NoShelf(), len), limit_chars=10**6)
    outcomes = [None]
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    await toolbox.run([ToolCall("c", "web_search", text)], CallContext(), silent, outcomes, room_tokens=10**9)
    (outcome,) = outcomes
    return json.loads(outcome.block.blocks[0].text), outcome


def asked(rig):
    return rig.named["brave"].asked[-1]


def vendor(*hits):
    return Rig(Provider("brave", tuple(hits) or (hit("https://a.example/"),)), chosen="brave")


def test_a_model_is_told_plain_types_and_no_default_but_the_limit():
    schema, _ = schema_of(WebSearch(None))
    properties = schema.parameters["properties"]
    assert list(properties) == [
        "query", "limit", "allowed_domains", "blocked_domains", "recency_days", "type", "region", "context_size", "live",
        "max_chars", "provider", "raw",
    ]  # fmt: skip
    assert schema.parameters["required"] == ["query"]
    assert properties["limit"] == {"type": "integer", "default": 5}
    assert properties["type"] == {"enum": ["web", "news", "images"]}
    assert properties["context_size"] == {"enum": ["low", "medium", "high"]}
    assert [name for name, shape in properties.items() if "default" in shape] == ["limit"]


async def test_every_wish_reaches_who_searches():
    rig = vendor()
    wishes = {
        "query": "heron", "limit": 3, "allowed_domains": ["a.example"], "recency_days": 7, "type": "news", "region": "br-pt",
        "context_size": "high", "live": True, "max_chars": 90,
    }  # fmt: skip
    document, outcome = await run(rig, wishes)
    assert (outcome.block.is_error, document["source"]["notices"]) == (False, [])
    request = asked(rig)
    got = {name: getattr(request, name) for name in wishes}
    assert got == {**wishes, "allowed_domains": ("a.example",)}


async def test_what_was_left_out_is_the_default():
    rig = vendor()
    await run(rig, {"query": "heron"})
    request = asked(rig)
    assert (request.limit, request.type, request.recency_days, request.context_size, request.live) == (
        5,
        "web",
        None,
        None,
        False,
    )


@pytest.mark.parametrize(
    ("given", "limit"),
    [("7", 7), (7.9, 7), ("NaN", 5), (None, 5), (True, 5), (0, 1), (1_000, 100), (10**30, 100), ("a few", 5)],
)
async def test_a_limit_is_taken_as_meant(given, limit):
    rig = vendor()
    document, _ = await run(rig, {"query": "heron", "limit": given})
    assert asked(rig).limit == limit
    assert bool(document["source"]["notices"]) is (given != "7")


async def test_a_bare_name_is_a_list_of_one():
    rig = vendor(hit("https://a.example/"), hit("https://b.example/"))
    document, _ = await run(rig, {"query": "heron", "blocked_domains": "b.example"})
    assert [found["url"] for found in document["results"]] == ["https://a.example/"]


@pytest.mark.parametrize("query", [None, 7, True, ["heron"], {"q": "heron"}])
async def test_a_query_that_is_no_text_is_refused(query):
    rig = vendor()
    document, outcome = await run(rig, {"query": query})
    assert (document["error"]["code"], outcome.block.is_error) == ("search.bad_query", True)
    assert rig.named["brave"].asked == []


async def test_both_lists_and_unknown_names_are_refused_with_what_to_do():
    both, _ = await run(vendor(), {"query": "x", "allowed_domains": "a.example", "blocked_domains": "b.example"})
    assert both["error"]["code"] == "search.two_domain_lists"
    unknown, _ = await run(vendor(), {"query": "x", "provider": "bing"})
    assert (unknown["error"]["code"], unknown["error"]["mend"]) == ("web.unknown_provider", "name one of: brave, library")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from(
            ["limit", "allowed_domains", "recency_days", "type", "region", "context_size", "live", "max_chars", "provider"]
        ),
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=8)
        | st.lists(st.integers() | st.text(max_size=8)),
    )
)
async def test_no_argument_breaks_a_search(arguments):
    document, outcome = await run(vendor(), {"query": "heron", **arguments})
    refused = document.get("error", {}).get("code")
    assert refused in (None, "web.unknown_provider", "tool.invalid_arguments", "secrets.value", "search.bad_domain")
    assert outcome.block.is_error is (refused is not None)


async def test_the_origin_says_who_is_to_be_trusted():
    library = Provider("library", (own(1, 1.0),))
    cases = [
        (Rig(library=library), "tool", Trust.WORKSPACE),
        (Rig(library=Provider("library", (own(1, 0.1),)), free=(web("exa"),)), "web", Trust.WEB),
        (vendor(hit("http://library/", site="library", ref="lib:1")), "web", Trust.WEB),
        (Rig(down("brave"), chosen="brave"), "tool", Trust.TOOL),
        (Rig(Provider("brave"), chosen="brave"), "tool", Trust.TOOL),
    ]
    for rig, kind, trust in cases:
        _, outcome = await run(rig, {"query": "heron"})
        (origin,) = outcome.origins
        assert (origin.kind, origin.trust) == (kind, trust)


async def test_the_ledger_has_the_gates_and_the_rescue():
    rig = Rig(down("brave"), chosen="brave", ring=(web("exa"),))
    _, outcome = await run(rig, {"query": "heron"})
    (origin,) = outcome.origins
    assert [verdict.gate for verdict in origin.treatment.gates][:2] == ["secrets", "resolve"]
    assert origin.treatment.rescued_from == "brave"
    assert origin.source == "search: heron"


@pytest.mark.parametrize(
    ("rig", "said"),
    [
        (vendor(), "1 hit · asked brave"),
        (Rig(library=Provider("library", (own(1, 1.0),))), "1 hit"),
        (Rig(web("exa"), library=Provider("library", (own(1, 1.0),)), found="exa"), "2 hits · asked exa"),
        (Rig(down("exa"), ring=(web("parallel"),), chosen="exa"), "1 hit · asked exa, parallel"),
        (Rig(Provider("exa"), chosen="exa"), "no hits · asked exa"),
    ],
)
async def test_a_person_is_told_who_was_given_the_words(rig, said):
    heard = []

    async def emit(event):
        heard.append(event.text)

    await WebSearch(rig.searcher).run(SearchArguments("heron"), CallContext("s", "t", emit=emit))
    assert heard == [said]
