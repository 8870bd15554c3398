"""A model browses by reference, and a person opens in a terminal what it saw."""

import json
import sys
from contextlib import asynccontextmanager

import anyio
import msgspec
import pytest
from surfaces.cli.conftest import environment
from surfaces.cli.pseudo_terminal import PseudoTerminal

from limen.core.context import CallContext
from limen.core.untrusted import unfence
from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.model_server import model_server
from limen.testing.network import redirect, reply, serve
from limen.testing.scripted_model import call, say, use

pytestmark = pytest.mark.anyio

INDEX = (
    "<html><title>Kettles</title><body><main><h1>Kettles</h1><p>The <a href='/copper'>copper kettle</a> boils first.</p>"
    "<p>Nothing else about kettles is told on this page, which is long enough to be one.</p></main></body></html>"
)
COPPER = "<html><title>Copper</title><body><main><p>Copper conducts heat well, so it boils first.</p></main></body></html>"


@asynccontextmanager
async def site():
    routes = {"/": reply(INDEX), "/copper": redirect("/copper/"), "/copper/": reply(COPPER)}
    async with serve(routes) as server:
        yield server


def settings(home, server, *more):
    home.mkdir(mode=0o700, exist_ok=True)
    lines = [f"security:\n  allow_private_hosts: ['127.0.0.1:{server.port}']", "web:", "  search_backend: library", *more]
    (home / "config.yaml").write_text("\n".join(lines) + "\n")


async def ask(runtime, text, **options):
    async with runtime.agent.turn(text, **options) as turn:
        events = [event async for event in turn]
    return events, turn.outcome


async def limen(home, *arguments):
    command = [sys.executable, "-m", "limen", "--home", str(home), *arguments]
    done = await anyio.run_process(command, env=environment(), check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def results(blocks):
    """The results of a session's calls of `web`, in order."""
    texts = (json.loads("\n".join(leaf.text for leaf in block.block.blocks)) for block in blocks if block.place == "tool")
    return [body["results"] for body in texts]


async def test_a_model_searches_opens_follows_and_finds_in_one_tool(home, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text("# Tea\n\n## Steeping\n\nSteep green tea for two minutes at eighty degrees.\n")
    async with site() as server:
        settings(home, server, "  surface: namespace")
        steps = [
            use(call("web", search_query=[{"q": "green tea"}], open=[{"ref_id": server.url("/")}])),
            use(call("web", click=[{"ref_id": "turn0view0", "id": 1}], open=["turn0search0", "turn8view8"])),
            use(call("web", find=[{"ref_id": "turn0view2", "pattern": "conducts heat"}])),
            say('Copper boils first: "Copper conducts heat well, so it boils first." [2]'),
            use(call("web", open=[{"ref_id": "turn0view0"}])),
            say("As before."),
        ]  # fmt: skip
        async with model_server(*steps) as model, open_runtime(RuntimeOptions(home=home, workspace=tmp_path)) as runtime:
            await runtime.library.add([str(notes)])
            _, outcome = await ask(runtime, f"Which boils first? {server.url('/')}", model=f"{model.url}#m", session="s")
            _, again = await ask(runtime, "And now?", model=f"{model.url}#m", session="s")
            blocks = await runtime.sessions.blocks("s")
            tools = [tool["function"]["name"] for tool in json.loads(model.chats[0].body)["tools"]]
            asked = [one.target for one in server.received]
        assert tools == ["find", "read_file", "web"]
        first, second, third, fourth = results(blocks)
        assert [entry["command"] for entry in first] == ["search_query", "open"]
        assert "turn0search0 [1]" in first[0]["content"]
        assert "(1)" in first[1]["content"]
        assert [entry.get("ref_id") for entry in second] == ["turn0view1", "turn8view8", "turn0view2"]
        assert second[1]["error"]["code"] == "browse.unknown_ref"
        assert second[2]["url"].endswith("/copper/")
        assert "conducts heat" in unfence(third[0]["content"])
        assert fourth[0]["ref_id"] == "turn0view0"
        assert asked == ["/", "/copper", "/copper/"]
        assert (outcome.end.reason, again.end.reason) == ("answered", "answered")
        # It names the wrong number: the page that it quotes is told as well.
        assert [(source.url, source.cited, bool(source.quotes)) for source in outcome.sources] == [
            (server.url("/"), True, False), (server.url("/copper/"), False, True),
        ]  # fmt: skip
        assert outcome.unverified == ()
        web = [entry for entry in outcome.entries if entry.kind == "web"]
        assert [entry.source for entry in web] == [server.url("/"), server.url("/copper/"), server.url("/copper/")]


async def test_a_person_opens_what_a_model_saw(home, tmp_path):
    async with site() as server:
        settings(home, server)
        steps = [use(call("web_open", ref=server.url("/"))), use(call("web_click", ref="turn0view0", link=1)), say("Seen.")]
        async with model_server(*steps) as model, open_runtime(RuntimeOptions(home=home, workspace=tmp_path)) as runtime:
            url = server.url("/")
            await ask(runtime, f"Look at {url}", model=f"{model.url}#m", session="s", toolsets=["browse"])
            await runtime.sessions.claim("s", "another", 60)  # a busy session's handles can be used all the same
            status, out, err = await limen(home, "open", "turn0view1")
            assert (status, "Copper conducts heat" in out) == (0, True)
            assert "turn0view1 of conversation s" in err
            status, out, _ = await limen(home, "open", "turn0view0", "--json", "--session", "s")
            assert json.loads(out)["links"][0]["url"] == server.url("/copper")
            status, _, _ = await limen(home, "click", "turn0view0", "1")
            ref = await runtime.refs.look_up("s", "turn1view0")
            assert (status, ref.url) == (0, server.url("/copper/"))
            assert (await limen(home, "open", "turn7view7"))[0] == 1
            (home / "config.yaml").write_text("security:\n  website_blocklist: {enabled: true, domains: [127.0.0.1]}\n")
            status, _, err = await limen(home, "open", "turn0view0")
            assert (status, "[network.private_address]" in err) == (3, True)


@pytest.mark.parametrize(("toolsets", "given"), [("[web, files, browse]", True), ("[web, files]", False)])
async def test_the_hits_of_web_search_have_refs_for_a_model_that_can_open_them(home, tmp_path, toolsets, given):
    (tmp_path / "tea.md").write_text("# Tea\n\n## Steeping\n\nSteep green tea for two minutes at eighty degrees.\n")
    async with site() as server:
        settings(home, server, f"tools:\n  toolsets: {toolsets}")
        steps = [use(call("web_search", query="steep green tea")), use(call("web_open", ref="turn0search0")), say("Two minutes.")]
        async with model_server(*steps) as model, open_runtime(RuntimeOptions(home=home, workspace=tmp_path)) as runtime:
            await runtime.library.add([str(tmp_path / "tea.md")])
            await ask(runtime, "How long?", model=f"{model.url}#m", session="s")
            blocks = await runtime.sessions.blocks("s")
        found, read = ("\n".join(leaf.text for leaf in block.block.blocks) for block in blocks if block.place == "tool")
        assert (json.loads(found)["results"][0].get("ref_id") == "turn0search0") is given
        assert ("two minutes" in read) is given
        status, out, _ = await limen(home, "open", "turn0search0", "--session", "s")
        assert (status == 0 and "two minutes" in out) is given


async def test_a_host_that_is_blocked_between_search_and_open_is_not_opened(home, tmp_path):
    async with site() as server:
        settings(home, server)
        async with open_runtime(RuntimeOptions(home=home, workspace=tmp_path)) as runtime:
            where = CallContext(turn="c_1")
            view = await runtime.browser.handles.of_view(await runtime.browser.view(server.url("/"), where), where)
        assert (await limen(home, "open", view.ref.name))[0] == 0
        blocked = "  website_blocklist: {enabled: true, domains: ['127.0.0.1']}"
        text = (home / "config.yaml").read_text().replace("security:", f"security:\n{blocked}")
        (home / "config.yaml").write_text(text)
        for arguments in (("open", view.ref.name), ("find", view.ref.name, "kettle"), ("click", view.ref.name, "1")):
            status, out, err = await limen(home, *arguments)
            assert (status, "[policy.blocked]" in err, out) == (3, True, "")
        assert len(server.received) == 1


async def test_processes_that_note_at_once_give_different_refs(home):
    async with site() as server:
        settings(home, server)
        given = []

        async def one():
            status, out, _ = await limen(home, "open", server.url("/"), "--json")
            given.append((status, json.loads(out)["ref_id"]))

        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(one)
        assert sorted(given) == [(0, "turn0view0"), (0, "turn1view0"), (0, "turn2view0")]


async def test_a_terminal_shows_numbers_that_can_be_clicked(home):
    async with site() as server:
        settings(home, server)
        command = [sys.executable, "-m", "limen", "--home", str(home), "open", server.url("/")]
        terminal = PseudoTerminal(command, environment())
        try:
            assert await anyio.to_thread.run_sync(terminal.wait) == 0
        finally:
            terminal.close()
        lines = terminal.text.split("\n")
        assert "turn0view0 · " in lines[1]
        assert "3  The [copper kettle](1) boils first." in terminal.text
        assert f"(1) copper kettle  {server.url('/copper')}" in terminal.text
        assert "follow a link: limen click turn0view0 1" in terminal.text


async def test_an_older_conversation_keeps_the_web_when_its_tools_change(home, tmp_path):
    """Its prompt is built anew, and the one tool stands in the place of the others."""
    async with site() as server:
        settings(home, server)
        async with model_server(say("one"), say("two")) as model:
            async with open_runtime(RuntimeOptions(home=home, workspace=tmp_path)) as runtime:
                await ask(runtime, "Hi", model=f"{model.url}#m", session="s")
            settings(home, server, "  surface: namespace")
            async with open_runtime(RuntimeOptions(home=home, workspace=tmp_path)) as runtime:
                await ask(runtime, "Hi", model=f"{model.url}#m", session="s")
            names = [[tool["function"]["name"] for tool in json.loads(chat.body)["tools"]] for chat in model.chats]
        own = ["evidence_inspect", "evidence_search", "evidence_status", "find", "read_file"]
        assert names == [[*own, "web_extract", "web_search"], [*own, "web"]]
        assert msgspec.json.decode(model.chats[1].body)["messages"]


async def test_the_model_that_needs_no_model_browses_with_the_one_tool_too(home, tmp_path):
    """It answers from the library and from a named page as it does with the single tools, with quotations that hold."""
    notes = tmp_path / "notes"
    notes.mkdir()
    filler = "\n".join(f"Note {n} on the drying of leaves in the sun." for n in range(60))
    (notes / "tea.md").write_text(f"# Tea\n\n{filler}\n\n## Steeping\n\nSteep green tea for two minutes at eighty degrees.\n")
    async with site() as server:
        settings(home, server, "  surface: namespace")
        async with open_runtime(RuntimeOptions(home=home, workspace=tmp_path)) as runtime:
            await runtime.library.add([str(notes)])
            _, tea = await ask(runtime, "How long does green tea steep?")
            _, copper = await ask(runtime, "Which kettle boils first?", urls=[server.url("/")])
            _, refused = await ask(runtime, "What does it say?", urls=["http://10.0.0.1/"])
    assert "two minutes at eighty degrees" in tea.answer
    assert [(source.read, bool(source.quotes)) for source in tea.sources] == [(True, True)]
    assert "copper kettle boils first" in copper.answer
    assert copper.pages[0].state == "read"
    assert [(source.url, bool(source.quotes)) for source in copper.sources] == [(server.url("/"), True)]
    assert refused.pages[0].refusal.code == "network.private_address"
    assert "network.private_address" in refused.answer or "10.0.0.1" in refused.answer
