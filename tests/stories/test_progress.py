"""What a running call says of itself, as every surface hears it."""

import pytest

from limen.core.event import ToolFinished, ToolProgress, ToolStarted
from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.model_server import model_server
from limen.testing.network import reply, serve
from limen.testing.scripted_model import call, say, use

pytestmark = pytest.mark.anyio

TEA = "# Tea\n\n## Steeping\n\nSteep green tea for two minutes at eighty degrees.\n\n## Storing\n\nKeep tea dry.\n"
PAGE = "<html><title>Coffee</title><body><main><h1>Coffee</h1><p>Grind it coarsely for the press.</p></main></body></html>"


async def test_each_call_says_how_far_it_came_between_its_start_and_its_end(home, tmp_path):
    (tmp_path / "tea.md").write_text(TEA)
    async with serve({"/a": reply(PAGE), "/b": reply(PAGE)}) as pages:
        steps = [
            use(call("web_search", "search", query="steep green tea"), call("find", "find", ref="lib:1", pattern="tea")),
            use(call("read_file", "read", path="lib:1", start_line=3, lines=2)),
            use(call("web_extract", "extract", urls=[pages.url("/a"), pages.url("/gone"), pages.url("/b")])),
            say("Two minutes."),
        ]
        flags = {"security.allow_private_hosts": f"127.0.0.1:{pages.port}"}
        async with model_server(*steps) as server, open_runtime(RuntimeOptions(home=home, flags=flags)) as runtime:
            await runtime.library.add([str(tmp_path / "tea.md")])
            async with runtime.agent.turn("How long?", model=f"{server.url}#m", session="s") as turn:
                events = [event async for event in turn]
            kept = [stored.event for stored in await runtime.sessions.events("s")]
    said = {
        name: [event for event in events if isinstance(event, ToolProgress) and event.call_id == name]
        for name in ("search", "find", "read", "extract")
    }
    assert [event.text for event in said["search"]] in (["1 hit"], ["2 hits"])  # the title alone may be a hit of its own
    assert [event.text for event in said["find"]] == ["3 lines"]
    assert [event.text for event in said["read"]] == ["lines 3–4 of 9"]
    texts = [event.text for event in said["extract"][:3]]
    assert [text[:12] for text in texts] == ["1 of 3 pages", "2 of 3 pages", "3 of 3 pages"]
    assert all(text.endswith(": 127.0.0.1") for text in texts)
    assert ", 1 failed: " in texts[-1]
    assert [(event.done, event.total) for event in said["extract"]] == [(1, 3), (2, 3), (3, 3), (2, 3)]
    assert said["extract"][3].text.startswith("2 of 3 pages, ")
    for name in said:
        own = [type(event) for event in events if event_of(event) == name]
        assert own == [ToolStarted, *[ToolProgress] * len(said[name]), ToolFinished]
    assert not [event for event in kept if isinstance(event, ToolProgress)]


def event_of(event):
    return event.call.call_id if isinstance(event, ToolStarted) else getattr(event, "call_id", None)
