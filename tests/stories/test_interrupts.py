"""A person stops a turn while pages are being read: those that were read stay, in the conversation and in the ledger."""

import json

import anyio
import pytest

from limen.core.event import ToolProgress
from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.model_server import model_server
from limen.testing.network import reply, serve
from limen.testing.scripted_model import call, say, use

pytestmark = pytest.mark.anyio

PAGE = "<html><title>Coffee</title><body><main><h1>Coffee</h1><p>Grind it coarsely for the press.</p></main></body></html>"


def narrow(urls):
    return call("web_extract", urls=urls)


def namespace(urls):
    return call("web", open=[{"ref_id": url} for url in urls])


@pytest.mark.parametrize(("surface", "reads"), [("narrow", narrow), ("namespace", namespace)])
async def test_pages_that_were_read_before_a_turn_was_stopped_are_kept(home, surface, reads):
    held = anyio.Event()

    async def hangs(_request, _stream):
        await held.wait()

    async with serve({"/a": reply(PAGE), "/slow": hangs, "/b": reply(PAGE)}) as pages:
        urls = [pages.url(path) for path in ("/a", "/slow", "/b")]
        flags = {"security.allow_private_hosts": f"127.0.0.1:{pages.port}", "web.surface": surface}
        steps = [use(reads(urls)), say("As far as I got.")]
        async with model_server(*steps) as server, open_runtime(RuntimeOptions(home=home, flags=flags)) as runtime:
            read = 0
            async with runtime.agent.turn(" ".join(urls), model=f"{server.url}#m", session="s") as turn:
                async for event in turn:
                    read += isinstance(event, ToolProgress)
                    if isinstance(event, ToolProgress) and read == 2:  # both that answered
                        turn.interrupt()
            assert turn.outcome.end.reason == "interrupted"
            ledger = await runtime.sessions.ledger("s")
            async with runtime.agent.turn("And?", model=f"{server.url}#m", session="s") as again:
                async for _ in again:
                    pass
            held.set()
        sent = json.loads(server.chats[1].body)["messages"]
    assert [entry.source for entry in ledger if entry.kind == "web"] == [pages.url("/a"), pages.url("/b")]
    (result,) = [message for message in sent if message["role"] == "tool"]
    entries = json.loads(
        "".join(part["text"] for part in result["content"]) if isinstance(result["content"], list) else result["content"]
    )
    codes = [(entry.get("error") or {}).get("code") for entry in entries["results"]]
    assert codes == [None, "web.interrupted", None]
    assert sum("Grind it coarsely" in entry.get("content", "") for entry in entries["results"]) == 2
