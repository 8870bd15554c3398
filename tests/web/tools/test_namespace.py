"""The tool `web` and the single tools of browsing, as a model calls them."""

import json

import pytest
from web.browse.rig import A, B, browsing, context

from limen.agent.call import CallRequest, valid
from limen.agent.toolbox import schema_of
from limen.core.browse import COMMANDS, BrowseSettings
from limen.core.ledger import Trust
from limen.core.message import Image, ToolCall
from limen.core.untrusted import unfence
from limen.kit.tokens import TokenCounter
from limen.web.tools.browse import WebClick, WebFind, WebOpen
from limen.web.tools.namespace import Web

pytestmark = pytest.mark.anyio
# A request carries the schema each time.
MOST_TOKENS, MOST_SINGLE_TOKENS = 560, 320


def tool_of(rig):
    return Web(rig.namespace, BrowseSettings(), 100_000)


async def call(tool, where=None, /, **arguments):
    """The answer of a call as it passes the gate that validates it, and its document."""
    where = where or context()
    request = CallRequest(ToolCall("c", tool.spec.name, json.dumps(arguments)), where, tool)
    answer = await valid(request, lambda request: tool.run(request.arguments, request.context))
    text = "\n".join(part.block.text for part in answer.parts if not isinstance(part.block, Image))
    return answer, json.loads(text)


async def test_the_leaves_of_a_call_are_one_document_and_a_ledger_line_each(tmp_path):
    async with browsing(tmp_path) as rig:
        answer, body = await call(
            tool_of(rig),
            search_query=[{"q": "kettles"}],
            open=[{"ref_id": A}, {"ref_id": "turn9view9"}],
            find=[{"ref_id": A, "pattern": "line 7 "}],
            screenshot=[{"ref_id": A}],
            time=[{"utc_offset": "Z"}],
        )
        commands = ["search_query", "open", "open", "find", "screenshot", "time"]
        assert [entry["command"] for entry in body["results"]] == commands
        assert [part.origin.source for part in answer.parts] == ["search: kettles", A, "open turn9view9", A, A, A, "clock"]
        assert isinstance(answer.parts[5].block, Image)
        assert not answer.is_error
        assert answer.refusal.code == "browse.unknown_ref"


async def test_what_was_not_done_stands_in_the_ledger_with_what_was_asked_and_the_gates_it_passed(tmp_path):
    blocked, unread = "https://blocked.example/", "https://a.example/none"
    async with browsing(tmp_path) as rig:
        rig.blocked.write_text("blocked.example\n")
        answer, _ = await call(
            tool_of(rig),
            open=[{"ref_id": blocked}, {"ref_id": unread}],
            click=[{"ref_id": A, "id": 9}],
            time=[{"utc_offset": "no"}],
        )
        told = {part.origin.source: [str(one.code or one.gate) for one in part.origin.treatment.gates] for part in answer.parts}
        assert told == {
            f"open {blocked}": ["secrets", "network", "resolve.local", "policy.blocked"],
            f"open {unread}": ["secrets", "network", "resolve.local", "policy", "permission", "network.http_status"],
            f"click {A} 9": ["browse.no_link"],
            "time no": ["web.bad_offset"],
        }
        assert {part.origin.treatment.gates[-1].verdict for part in answer.parts} == {"refuse"}


async def test_bad_commands_keep_their_places_among_the_good(tmp_path):
    async with browsing(tmp_path) as rig:
        answer, body = await call(
            tool_of(rig), search_query=[{"q": "a"}, {"x": 1}, {"q": "b"}, {"q": "c"}], open="https://a.example/", time=[7]
        )
        codes = [entry.get("error", {}).get("code") for entry in body["results"]]
        assert codes == [None, "browse.invalid_command", None, "browse.response_too_short", None, "browse.invalid_command"]
        assert not answer.is_error


@pytest.mark.parametrize("arguments", [{}, {"open": []}, {"open": None, "response_length": "long"}])
async def test_a_call_without_commands_says_what_there_is(tmp_path, arguments):
    async with browsing(tmp_path) as rig:
        answer, body = await call(tool_of(rig), **arguments)
        assert answer.is_error
        assert body["results"][0]["error"]["code"] == "browse.no_commands"
        assert all(kind.__struct_config__.tag in body["results"][0]["error"]["mend"] for kind in COMMANDS)


async def test_an_answer_is_an_error_only_where_nothing_was_done(tmp_path):
    async with browsing(tmp_path) as rig:
        answer, _ = await call(tool_of(rig), open=[{"ref_id": "turn9view9"}], time=[{"utc_offset": "noon"}])
        assert answer.is_error


async def test_a_length_nobody_knows_is_refused_with_the_others(tmp_path):
    async with browsing(tmp_path) as rig:
        answer, body = await call(tool_of(rig), time=[{"utc_offset": "Z"}], response_length="huge")
        assert answer.refusal.code == "tool.invalid_arguments"
        assert "error" in body


async def test_it_says_how_far_it_is(tmp_path):
    heard = []

    async def emit(event):
        heard.append(event.text)

    async with browsing(tmp_path) as rig:
        await call(tool_of(rig), context(emit=emit), time=[{"utc_offset": "Z"}, {"utc_offset": "noon"}])
        assert heard == ["1 of 2 commands", "2 of 2 commands", "1 of 2 commands"]  # as they are done, then how many could be


async def test_a_person_is_told_who_was_given_words_to_search_for(tmp_path):
    heard = []

    async def emit(event):
        heard.append(event.text)

    async with browsing(tmp_path) as rig:
        await call(tool_of(rig), context(emit=emit), search_query=[{"q": "kettles"}])
        assert heard == ["1 of 1 commands · asked test"]


def test_the_schema_is_small_and_names_every_command():
    schema, _ = schema_of(Web(None, BrowseSettings(), 100_000))
    assert set(schema.parameters["properties"]) == {kind.__struct_config__.tag for kind in COMMANDS} | {"response_length"}
    for kind in COMMANDS:
        fields = schema.parameters["properties"][kind.__struct_config__.tag]["items"]["properties"]
        assert set(fields) <= set(kind.__struct_fields__)
    assert tokens_of(Web(None, BrowseSettings(), 100_000)) <= MOST_TOKENS


def test_without_facts_a_model_is_not_told_of_their_commands():
    schema, _ = schema_of(Web(None, BrowseSettings(), 100_000, facts=False))
    assert not {"weather", "finance", "sports"} & set(schema.parameters["properties"])
    assert {"search_query", "time", "response_length"} <= set(schema.parameters["properties"])


def test_the_single_tools_are_small():
    assert sum(tokens_of(made(None, BrowseSettings())) for made in (WebOpen, WebClick, WebFind)) <= MOST_SINGLE_TOKENS


def tokens_of(tool):
    schema, _ = schema_of(tool)
    return TokenCounter()(json.dumps([schema.name, schema.description, schema.parameters], separators=(",", ":")))


async def test_the_single_tools_open_follow_and_find(tmp_path):
    async with browsing(tmp_path) as rig:
        made = (rig.namespace, BrowseSettings())
        _, body = await call(WebOpen(*made), ref=A, length="short")
        (entry,) = body["results"]
        assert (entry["ref_id"], entry["lines"]) == ("turn0view0", "1-40 of 300")
        _, body = await call(WebOpen(*made), ref="turn0view0", line=299)
        assert unfence(body["results"][0]["content"]) == "299: line 299 of the page\n300: line 300 of the page"
        _, body = await call(WebFind(*made), ref="turn0view0", pattern="line 42 ")
        assert "42: line 42 of the page" in body["results"][0]["content"]
        answer, body = await call(WebClick(*made), ref="turn0view0", link=1)
        assert body["results"][0]["url"] == B
        assert answer.parts[0].origin.trust is Trust.WEB
        answer, _ = await call(WebClick(*made), ref="turn0view0", link=99)
        assert (answer.is_error, answer.refusal.code) == (True, "browse.no_link")


async def test_each_tool_says_that_it_fetches():
    for tool in (Web(None, None, 1), WebOpen(None, None), WebClick(None, None), WebFind(None, None)):
        assert (tool.spec.effect, tool.spec.output) == ("fetch", "verbatim")
