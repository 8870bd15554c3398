"""Rows about what a provider's answer means and what goes back to it, each through the whole program over loopback."""

import json

import pytest
from cases.table import case
from cases.test_fallback_turns import CHAT, KEY, NO_CREDIT, runtime_in, with_keys
from stories.test_fallback import WIRES, configure, notices, play

from limen.core.event import Folded, Notice, ReplyFinished, ToolFinished, ToolStarted
from limen.core.message import ToolCall
from limen.models.health import Rest
from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.faults import events
from limen.testing.messages_format import SIGNATURE
from limen.testing.model_server import Answer, Raw, Stream, model_server
from limen.testing.scripted_model import Reply, call, say, use

pytestmark = pytest.mark.anyio

ENDS = {"chat_completions": 3, "anthropic_messages": 3, "codex_responses": 2}
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
ASKED = call("find", "call_a", ref="lib:a-b-c-d-e-f", pattern="x")


def cut(wire, *, events_left):
    """A stream with a call, without its end and without the pieces of arguments before that but for some."""
    written = events(wire, Reply(text="Now.", calls=(ASKED,), piece_chars=4))
    first = len(written) - ENDS[wire] - -(-len(ASKED.arguments) // 4)
    return Raw((HEAD, *written[: first + events_left], "pause"))


def started(seen):
    return [event.call for event in seen if isinstance(event, ToolStarted)]


async def one_turn(home, wire, *steps, then=None, retries=1):
    """What one turn against one server shows, its outcome, and the server."""
    async with model_server(*steps, then=then) as server:
        configure(home, (server, wire), retries=retries)
        async with runtime_in(home) as runtime:
            seen, outcome = await play(runtime)
        return seen, outcome, server


@case("FB-003")
@pytest.mark.parametrize("wire", WIRES)
async def test_half_of_a_call_s_arguments_runs_nothing(row, home, wire):
    seen, outcome, server = await one_turn(home, wire, then=cut(wire, events_left=3))
    assert started(seen) == []
    assert len(server.chats) == 2
    assert (outcome.end.reason, outcome.end.code) == ("failed", "model.network")


@case("FB-004")
@pytest.mark.parametrize("wire", WIRES)
async def test_a_cut_behind_a_tool_s_name_runs_nothing_and_a_call_without_arguments_runs(row, home, wire):
    seen, outcome, server = await one_turn(home, wire, cut(wire, events_left=0), use(call("find", "c1")), say("done"))
    assert started(seen) == [call("find", "c1")]
    assert outcome.answer == "done"
    assert len(server.chats) == 3


@case("FB-005")
@pytest.mark.parametrize("wire", WIRES)
async def test_a_call_cut_at_the_token_limit_goes_back_to_the_model(row, home, wire):
    half = Reply(calls=(ToolCall("call_a", "find", '{"ref":"build/'),), stop="length")
    seen, outcome, server = await one_turn(home, wire, half, say("done"))
    assert started(seen) == []
    assert outcome.answer == "done"
    assert b"was cut, so this call was not run" in server.chats[1].body


@case("FB-008")
async def test_a_signature_is_shown_to_the_model_that_gave_it_alone(row, home):
    def vendor(request):
        model = request.json["model"]
        for message in request.json["messages"]:
            for block in message["content"]:
                if block["type"] == "thinking" and block["signature"] != f"of-{model}":
                    return Answer.of(400, {"error": {"message": "Invalid `signature` in `thinking` block"}})
        written = b"".join(events("anthropic_messages", Reply(text=f"I am {model}.", thinking="hm")))
        return Stream((written.replace(SIGNATURE.encode(), f"of-{model}".encode()),))

    async with model_server(then=vendor) as server:
        configure(home, (server, "anthropic_messages"))
        async with runtime_in(home) as runtime:
            for model in ("opus", "fable", "opus", "fable"):
                seen, outcome = await play(runtime, f"Who are you, {model}?", model=f"first/{model}")
                assert outcome.answer == f"I am {model}."
                assert notices(seen, "model.thoughts_refused") == []
        assert len(server.chats) == 4
        assert b"of-opus" in server.chats[2].body
        assert b"of-fable" not in server.chats[2].body


@case("FB-009")
async def test_a_provider_that_demands_reasoning_takes_over_what_another_began(row, home):
    def demanding(request):
        for message in request.json["messages"]:
            if message["role"] == "assistant" and not message.get("reasoning_content"):
                return Answer.of(400, {"error": {"message": "Missing `reasoning_content` field in the assistant message"}})
        return say("from the other")

    thinking = Reply(thinking="hm", calls=(ASKED,))
    async with model_server(thinking, then=NO_CREDIT) as first, model_server(then=demanding) as second:
        configure(home, (first, "codex_responses"), (second, CHAT))
        settings = home / "config.yaml"
        settings.write_text(settings.read_text().replace("  other1:\n", "  other1:\n    quirks: [replay_reasoning]\n"))
        async with runtime_in(home) as runtime:
            seen, outcome = await play(runtime)
            assert outcome.answer == "from the other"
            assert started(seen) == [ASKED]
            _, outcome = await play(runtime, "And?")
            assert outcome.answer == "from the other"
        assert b"hm" not in second.chats[0].body.partition(b'"messages"')[2].partition(b"reasoning_content")[2][:8]


@case("FB-014")
@pytest.mark.parametrize("wire", WIRES)
async def test_a_day_s_limit_of_tokens_is_a_rate_and_folds_nothing(row, home, wire):
    said = {"message": "request reached organization TPD rate limit, current: 1506556, limit: 1500000"}
    seen, outcome, server = await one_turn(home, wire, then=Answer.of(429, {"error": said}), retries=0)
    assert outcome.end.code == "model.rate"
    assert not any(isinstance(event, Folded) for event in seen)
    assert len(server.chats) == 1


async def rests_after(home, monkeypatch, answer, turns=1):
    """What rests once a provider with a key has given this answer, and how often each of two servers was asked."""
    async with model_server(then=answer) as first, model_server(then=say("from the other")) as second:
        configure(home, (first, CHAT), (second, CHAT))
        with_keys(home, monkeypatch)
        shown = []
        async with runtime_in(home) as runtime:
            for _ in range(turns):
                seen, outcome = await play(runtime)
                shown += seen
                assert outcome.answer == "from the other"
            rests = list((await runtime.models.health.known()).values())
        assert all(isinstance(rest, Rest) for rest in rests)
        return rests, (len(first.chats), len(second.chats)), shown


@case("FB-015")
async def test_an_overload_rests_the_route_a_short_while_and_no_key(row, home, monkeypatch):
    busy = Answer.of(503, {"error": {"message": "Overloaded", "type": "overloaded_error"}})
    rests, hits, _ = await rests_after(home, monkeypatch, busy, turns=3)
    assert [rest.kind for rest in rests] == ["overload"]
    assert all(rest.subject.startswith("route ") and rest.until - rest.since <= 60 for rest in rests)
    assert hits == (1, 3)


@case("FB-016")
async def test_an_outage_behind_an_aggregator_is_not_the_key_s(row, home, monkeypatch):
    down = Answer.of(429, {"error": {"message": "Upstream model provider is temporarily unavailable", "code": 429}})
    rests, hits, _ = await rests_after(home, monkeypatch, down)
    assert [(rest.kind, rest.subject.partition(" ")[0]) for rest in rests] == [("upstream", "route")]
    assert hits == (1, 1)


@case("FB-017")
@pytest.mark.parametrize("wire", WIRES)
async def test_what_a_tool_or_a_model_says_is_never_taken_for_a_failure(row, home, wire, tmp_path):
    words = "HTTP 429: rate limit, limit reached, insufficient_quota, prompt is too long, overloaded, invalid api key"
    (tmp_path / "quotas.txt").write_text(words)
    async with model_server(use(call("read_file", "c1", path="quotas.txt"), text=words), say(words)) as server:
        configure(home, (server, wire))
        async with open_runtime(RuntimeOptions(home=home, workspace=tmp_path)) as runtime:
            seen, outcome = await play(runtime, words)
        assert outcome.answer == words
        assert json.dumps(server.chats[1].json).count("insufficient_quota") >= 3
    assert len(server.chats) == 2
    assert [event for event in seen if isinstance(event, Notice) and event.code.startswith("model.")] == []


@case("FB-018")
@pytest.mark.parametrize("wire", WIRES)
async def test_an_account_without_credit_is_asked_once_and_the_next_step_is_named(row, home, wire):
    _, outcome, server = await one_turn(home, wire, then=NO_CREDIT, retries=5)
    assert len(server.chats) == 1
    assert (outcome.end.reason, outcome.end.code) == ("failed", "model.billing")
    assert "Insufficient credits" in outcome.end.text
    assert "add credit" in outcome.end.mend


@case("FB-019")
async def test_credits_required_is_no_rate_and_is_paid_for_once(row, home, monkeypatch):
    stop = Answer.of(429, {"error": {"message": "Please add usage credits", "error_code": "credits_required"}})
    rests, hits, _ = await rests_after(home, monkeypatch, stop, turns=4)
    assert [(rest.kind, rest.until - rest.since) for rest in rests] == [("billing", 3_600.0)]
    assert hits == (1, 4)


@case("FB-022")
async def test_a_small_job_at_another_endpoint_gets_no_key_of_the_main_one(row, home, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with model_server(then=say("hello")) as first, model_server(then=say("A title")) as small:
        configure(home, (first, CHAT), extra=f"auxiliary:\n  title: {small.url}#m\n")
        with_keys(home, monkeypatch)
        async with runtime_in(home) as runtime:
            title = await runtime.models.auxiliary("title").complete("Name this conversation.", "Hello? hello")
            await play(runtime)
        assert "A title" in str(title)
        assert first.chats[0].headers["authorization"].startswith(f"Bearer {KEY}")
        assert small.chats
        assert not any(KEY in json.dumps(request.headers) for request in small.received)


@case("FB-023")
@pytest.mark.parametrize("placeholder", ["none", "null", "no-key-required", "YOUR_API_KEY"])
async def test_a_placeholder_is_no_key(row, home, monkeypatch, placeholder):
    async with model_server(then=say("hello")) as first:
        configure(home, (first, CHAT))
        with_keys(home, monkeypatch)
        monkeypatch.setenv("FIRST_KEY_0", placeholder)
        async with runtime_in(home) as runtime:
            _, outcome = await play(runtime)
        assert not any(placeholder in request.headers.get("authorization", "") for request in first.received)
    assert outcome.end.code == "model.auth"
    assert "FIRST_KEY_0" in outcome.end.text + outcome.end.mend


@case("FB-030")
async def test_the_request_that_goes_over_names_the_other_model(row, home):
    wrong = Answer.of(400, {"error": {"message": "nosuch is not a valid model ID", "code": 400}})
    async with model_server(then=wrong) as first, model_server(then=say("hello")) as second:
        configure(home, (first, CHAT), (second, "anthropic_messages"))
        async with runtime_in(home) as runtime:
            for _ in range(2):
                _, outcome = await play(runtime, model="first/nosuch")
                assert outcome.answer == "hello"
        assert [request.json["model"] for request in (*first.chats, *second.chats)] == ["nosuch", "m", "m"]


@case("FB-031")
async def test_the_model_that_ran_is_the_one_on_record_and_the_reason_is_told_once(row, home):
    toolless = Answer.of(404, {"error": {"message": "No endpoints found that support tool use", "code": 404}})
    async with model_server(then=toolless) as first, model_server(then=say("hello")) as second:
        configure(home, (first, CHAT), (second, CHAT))
        async with runtime_in(home) as runtime:
            seen = [event for _ in range(2) for event in (await play(runtime))[0]]
        assert len(first.chats) == 1
    finished = [event for event in seen if isinstance(event, ReplyFinished)]
    assert [(event.route.name, event.failed[0].kind) for event in finished] == [("other1/m", "missing")] * 2
    (notice,) = notices(seen, "model.fell_back")
    assert "support tool use" in notice.text


@case("FB-034")
@pytest.mark.parametrize("wire", WIRES)
async def test_a_blank_reply_behind_tools_is_no_answer(row, home, wire):
    note = use(call("find", "c1", ref="lib:none", pattern="x"), text="On it.")
    seen, outcome, server = await one_turn(home, wire, note, Reply(), say("All done."))
    assert outcome.answer == "All done."
    assert len([event for event in seen if isinstance(event, ToolFinished)]) == 1
    assert len(server.chats) == 3


@case("FB-039")
async def test_a_challenge_page_is_a_page_and_not_a_bad_key(row, home, monkeypatch):
    page = b"<html><title>Just a moment...</title>Enable JavaScript and cookies to continue</html>"
    wall = Answer(403, page, {"content-type": "text/html; charset=utf-8"})
    rests, hits, _ = await rests_after(home, monkeypatch, wall)
    assert [(rest.kind, rest.subject.partition(" ")[0]) for rest in rests] == [("page", "route")]
    assert hits == (1, 1)
    async with model_server(then=wall) as server:
        configure(home / "alone", (server, CHAT))
        async with runtime_in(home / "alone") as runtime:
            _, outcome = await play(runtime)
    assert outcome.end.code == "model.page"
    assert "proxy" in outcome.end.mend
    assert "CDN" in outcome.end.mend
