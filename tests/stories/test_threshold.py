"""Whole turns through the wired runtime: what a loopback server received is what the ledger says, byte for byte."""

import json
from itertools import pairwise

import msgspec
import pytest

from limen.agent.request import schema_text
from limen.core.message import digest
from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.carried.wires import SPLITS
from limen.testing.model_server import model_server
from limen.testing.network import reply, serve
from limen.testing.scripted_model import Reply, call, say, use

pytestmark = pytest.mark.anyio

TEA = "# Tea\n\n## Steeping\n\nSteep green tea for two minutes at eighty degrees.\n\n## Storing\n\nKeep it dry.\n"
PAGE = "<html><title>Coffee</title><body><main><h1>Coffee</h1><p>Grind it coarsely for the press.</p></main></body></html>"


@pytest.fixture(params=sorted(SPLITS))
def wire(request):
    """Each protocol in turn."""
    return request.param


def over(wire, home, server):
    """The options of a runtime whose provider `custom` is `server`, spoken to over `wire`."""
    return RuntimeOptions(home=home, flags={"providers.custom.endpoint": server.url, "providers.custom.wire": wire})


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "tea.md").write_text(TEA)
    return folder


async def ask(runtime, text, **options):
    async with runtime.agent.turn(text, **options) as turn:
        events = [event async for event in turn]
    return events, turn.outcome


def carried_digests(wire, body, prompts):
    """What a request's bytes hold, in the ledger's order: as many blocks of the prompt, then schemas, then messages."""
    carried = SPLITS[wire](body)
    leaves = [digest(leaf) for leaf in carried.leaves]
    return leaves[:prompts], [schema_text(schema) for schema in carried.tools], leaves[prompts:], carried.framing_bytes


async def test_the_bytes_a_server_received_are_the_ledgers_blocks(home, notes, wire):
    steps = [use(call("web_search", query="green tea")), use(call("read_file", path="lib:1")), say("Two minutes [1].")]
    async with model_server(*steps) as server, open_runtime(over(wire, home, server)) as runtime:
        await runtime.library.add([str(notes)])
        _, first = await ask(runtime, "How long do I steep green tea?", model="custom/m", session="s")
        ledger = {entry.digest: entry for entry in await runtime.sessions.ledger("s")}
        account = await runtime.last_request("s")
        bodies = [request.body for request in server.chats]
    assert first.answer == "Two minutes [1]."
    assert len(bodies) == 3
    prompts = sum(entry.kind == "identity" for entry in account)
    assert prompts
    for body in bodies:
        prompt, schemas, messages, _ = carried_digests(wire, body, prompts)
        assert [ledger[one].kind for one in prompt] == ["identity"] * len(prompt)
        assert all(one in ledger for one in messages)
        assert len(schemas) == 7
    prompt, schemas, messages, framing = carried_digests(wire, bodies[-1], prompts)
    said = [entry for entry in account if entry.kind not in ("framing", "tools")]
    assert [entry.digest for entry in said] == prompt + messages
    assert [entry.chars_out for entry in account if entry.kind == "tools"] == [len(schema) for schema in schemas]
    assert account[-1].kind == "framing"
    assert account[-1].chars_out == framing


async def test_each_request_starts_with_the_bytes_of_the_one_before(home, notes, wire):
    steps = [use(call("web_search", query="green tea")), say("Two minutes."), say("Keep it dry."), say("Yes.")]
    async with model_server(*steps) as server, open_runtime(over(wire, home, server)) as runtime:
        await runtime.library.add([str(notes)])
        for question in ("How long?", "And storing?", "Sure?"):
            await ask(runtime, question, model="custom/m", session="s")
        bodies = [request.body for request in server.chats]
    assert len(bodies) == 4
    for before, after in pairwise(bodies):
        end = b'],"store"' if wire == "codex_responses" else b'],"max_tokens"'
        assert after.startswith(before[: before.rindex(end)])


async def test_the_default_model_answers_from_the_library_with_quote_and_line(home, notes):
    async with open_runtime(RuntimeOptions(home=home)) as runtime:
        await runtime.library.add([str(notes)])
        _, outcome = await ask(runtime, "How long should I steep green tea?")
    assert "Steep green tea for two minutes at eighty degrees." in outcome.answer
    assert "No language model" in outcome.answer
    (source,) = [source for source in outcome.sources if source.url.endswith("tea.md")]
    assert source.read
    assert 5 in [quote.line for quote in source.quotes]


async def test_a_page_is_read_with_url_only_when_its_host_is_opened(home):
    async with serve({"/coffee": reply(PAGE)}) as server:
        url = server.url("/coffee")
        async with open_runtime(RuntimeOptions(home=home)) as runtime:
            _, closed = await ask(runtime, "How do I grind coffee for the press?", urls=[url])
        assert server.received == []
        flags = {"security.allow_private_hosts": f"127.0.0.1:{server.port}"}
        async with open_runtime(RuntimeOptions(home=home, flags=flags)) as runtime:
            _, opened = await ask(runtime, "How do I grind coffee for the press?", urls=[url])
            ledger = await runtime.sessions.ledger(opened.session)
    assert "network.private_address" in [refusal.code for refusal in closed.refusals]
    assert "allow_private_hosts" in closed.answer
    assert "Grind it coarsely for the press." in opened.answer
    (web,) = [entry for entry in ledger if entry.kind == "web"]
    assert (web.source, web.trust) == (url, "web")
    assert [verdict.gate for verdict in web.treatment.gates] == ["secrets", "network", "resolve", "policy", "permission", "cache"]


async def test_a_key_goes_to_no_other_host(home, monkeypatch):
    key = "sk-" + "test0" * 8
    monkeypatch.setenv("OPENAI_API_KEY", key)
    async with model_server(say("hello")) as server, open_runtime(RuntimeOptions(home=home)) as runtime:
        _, outcome = await ask(runtime, "Hi", model=f"{server.url}#m")
        received = [msgspec.json.encode(request.headers).decode() for request in server.received]
    assert outcome.answer == "hello"
    assert all(key not in headers for headers in received)


async def test_two_runtimes_on_one_home_do_not_run_one_session_at_once(home):
    async with (
        model_server(say("slow"), then=say("next")) as server,
        open_runtime(RuntimeOptions(home=home)) as one,
        open_runtime(RuntimeOptions(home=home)) as two,
    ):
        async with one.agent.turn("Hi", model=f"{server.url}#m", session="s") as turn:
            async for _ in turn:
                _, busy = await ask(two, "Hi too", model=f"{server.url}#m", session="s")
                break
        _, free = await ask(two, "Hi again", model=f"{server.url}#m", session="s")
    assert (busy.end.reason, busy.end.code) == ("refused", "session.busy")
    assert free.end.reason == "answered"


async def test_an_unreadable_opening_opens_nothing_and_is_said(home):
    flags = {"security.allow_private_hosts": "fd00::1::2"}
    async with open_runtime(RuntimeOptions(home=home, flags=flags)) as runtime:
        problems = [problem for problem in runtime.loaded.problems if problem.level == "error"]
        _, outcome = await ask(runtime, "What is there?", urls=["http://127.0.0.1:9/"])
    assert problems
    assert "network.private_address" in [refusal.code for refusal in outcome.refusals]


async def test_web_mode_off_takes_the_web_tools_away(home):
    async with model_server(say("no tools")) as server:
        async with open_runtime(RuntimeOptions(home=home, flags={"web.mode": "off"})) as runtime:
            await ask(runtime, "Hi", model=f"{server.url}#m")
        (body,) = [json.loads(request.body) for request in server.chats]
    assert [tool["function"]["name"] for tool in body["tools"]] == ["find", "read_file"]


async def test_a_routes_reason_is_true(home):
    async with open_runtime(RuntimeOptions(home=home)) as runtime:
        assert "nothing else was chosen" in (await runtime.models.resolve(None)).because
    async with open_runtime(RuntimeOptions(home=home, flags={"model.route": "limen/extractive"})) as runtime:
        assert "model.route" in (await runtime.models.resolve(None)).because


async def test_thinking_that_no_request_carries_is_not_in_its_account(home, wire):
    steps = [Reply(text="Hm.", thinking="let me think", calls=(call("find", ref="x", pattern="y"),)), say("Done.")]
    async with model_server(*steps) as server, open_runtime(over(wire, home, server)) as runtime:
        await ask(runtime, "Hi", model="custom/m", session="s")
        account = await runtime.last_request("s")
        carried = {digest(leaf) for leaf in SPLITS[wire](server.chats[-1].body).leaves}
    assert (b"let me think" in server.chats[-1].body) == (wire != "chat_completions")
    assert {entry.digest for entry in account if entry.kind not in ("tools", "framing")} == carried


@pytest.mark.parametrize("url", ["not a url", "ftp://x.example/y", "http://", "", "https://exa mple.com/"])
async def test_an_address_that_is_none_is_refused_before_anything_runs(home, url):
    async with open_runtime(RuntimeOptions(home=home)) as runtime:
        _, outcome = await ask(runtime, "What does it say?", urls=[url])
    assert outcome.end.reason == "refused"
    assert outcome.end.code.startswith("network.")


async def test_seven_pages_are_seven_pages(home):
    async with serve({f"/{number}": reply(PAGE) for number in range(7)}) as server:
        flags = {"security.allow_private_hosts": f"127.0.0.1:{server.port}"}
        async with open_runtime(RuntimeOptions(home=home, flags=flags)) as runtime:
            await ask(runtime, "How do I grind coffee?", urls=[server.url(f"/{number}") for number in range(7)])
    assert {request.target for request in server.received} == {f"/{number}" for number in range(7)}


async def test_a_private_key_in_a_document_never_reaches_the_model(home, notes):
    line = "MIIEowIBAAKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gun"
    armour = "\n".join(["-----BEGIN RSA " + "PRIVATE KEY-----", *[line] * 20, "-----END RSA " + "PRIVATE KEY-----"])
    (notes / "heron.md").write_text(f"# Heron certificate\n\nThe heron private key follows.\n\n{armour}\n")
    reads = use(*(call("read_file", f"c{number}", path=f"lib:{number}") for number in (1, 2, 3)))
    steps = [use(call("web_search", query="heron private key")), reads, say("Seen.")]
    async with model_server(*steps) as server, open_runtime(RuntimeOptions(home=home)) as runtime:
        await runtime.library.add([str(notes)])
        await ask(runtime, "Heron?", model=f"{server.url}#m", session="s")
        bodies = "".join(request.body.decode() for request in server.chats)
    assert "heron private key follows" in bodies.lower()
    assert line not in bodies
