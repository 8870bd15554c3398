"""Ctrl-C at each stage of a real turn, and a failing or vanishing model server."""

import json
import os
import signal
import sqlite3
import subprocess
import sys

import anyio
import anyio.to_thread
import pytest
from surfaces.cli.conftest import environment
from surfaces.cli.pseudo_terminal import PseudoTerminal

from limen.testing.model_server import Answer, Stream, model_server
from limen.testing.network import reply, serve

pytestmark = pytest.mark.anyio

CHUNK = {"index": 0, "delta": {"role": "assistant", "content": "the first words"}, "finish_reason": None}
SHAPE = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [CHUNK]}
WORDS = b"data: " + json.dumps(SHAPE).encode() + b"\n\n"
HANGING = Stream((WORDS, "hang"))


def configure(home, url: str) -> None:
    home.mkdir(mode=0o700, exist_ok=True)
    text = f"model:\n  route: mine/scripted\nproviders:\n  mine:\n    endpoint: {url}\n    window_tokens: 32000\n"
    (home / "config.yaml").write_text(text)


async def limen(*arguments: str, until=None, number: int = signal.SIGINT, times: int = 1):
    """Run `limen`; once `until()` holds, send it a signal. Its status and both outputs."""
    command = [sys.executable, "-m", "limen", *arguments]
    async with await anyio.open_process(command, stdin=subprocess.DEVNULL, env=environment()) as child:
        out, err = bytearray(), bytearray()

        async def take(stream, into):
            async for piece in stream:
                into += piece

        async with anyio.create_task_group() as group:
            group.start_soon(take, child.stdout, out)
            group.start_soon(take, child.stderr, err)
            with anyio.fail_after(30):
                while until is not None and not until() and child.returncode is None:  # noqa: ASYNC110 - another process's state
                    await anyio.sleep(0.01)
                for _ in range(times if until is not None and child.returncode is None else 0):
                    os.kill(child.pid, number)
                    await anyio.sleep(0.01)  # two that come together are one
                await child.wait()
        return child.returncode, out.decode(), err.decode()


async def test_ctrl_c_during_the_reply_keeps_its_words(home):
    async with model_server(HANGING) as server:
        configure(home, server.url)
        terminal = PseudoTerminal([sys.executable, "-m", "limen", "ask", "What is a task?"], environment())
        try:
            await anyio.to_thread.run_sync(terminal.expect, "the first")
            terminal.type("\x03")
            assert await anyio.to_thread.run_sync(terminal.wait) == 130
        finally:
            terminal.close()
    assert "Traceback" not in terminal.text
    assert "limen sessions show" in terminal.text
    _, listed, _ = await limen("sessions", "list", "--json")
    (session,) = json.loads(listed)
    _, shown, _ = await limen("sessions", "show", session["key"])
    assert shown.splitlines()[:2] == ["› What is a task?", "the first words"]


async def test_a_session_that_was_interrupted_can_go_on_at_once(home):
    async with model_server(HANGING) as server:
        configure(home, server.url)
        status, _, _ = await limen("ask", "What is a task?", "--session", "s", until=lambda: bool(server.chats))
        assert status == 130
        status, out, err = await limen("ask", "Go on", "--session", "s", "--model", "limen/extractive")
    assert status == 0, err
    assert out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_before_the_server_answers(home, number):
    async with model_server(Stream(("hang",))) as server:
        configure(home, server.url)
        status, out, err = await limen("ask", "x", until=lambda: bool(server.chats), number=number)
    assert status == 130
    assert out == ""
    assert "Traceback" not in err


@pytest.fixture
async def half_a_site(home):
    """A server that gives one page and holds back the other, which is asked for once the first has been read."""

    async def hang(_request, _stream):
        await anyio.sleep_forever()

    async with serve({"/fast": reply("a page"), "/slow": hang}) as server:
        home.mkdir(mode=0o700, exist_ok=True)
        opened = f"security:\n  allow_private_hosts: ['127.0.0.1:{server.port}']\n"
        (home / "config.yaml").write_text(f"{opened}reader:\n  connections: 1\n")
        yield server


async def test_ctrl_c_while_pages_are_read_keeps_those_that_came(half_a_site):
    urls = half_a_site.url("/fast"), half_a_site.url("/slow")
    status, out, _ = await limen("extract", *urls, "--json", until=lambda: len(half_a_site.received) == 2)
    assert status == 130
    fast, slow = json.loads(out)["results"]
    assert (fast["url"], fast["content"]) == (urls[0], "a page")
    assert (slow["url"], slow["content"], slow["error"]["code"]) == (urls[1], "", "web.interrupted")


@pytest.mark.parametrize("times", [2, 3])
async def test_ctrl_c_again_leaves_at_once_and_without_a_trace(half_a_site, times):
    url = half_a_site.url("/slow")
    status, _, err = await limen("extract", url, until=lambda: bool(half_a_site.received), times=times)
    assert status in (130, -signal.SIGINT), err
    assert "Traceback" not in err


async def test_ctrl_c_while_starting_leaves_nothing_half_written(home):
    database = home / "limen.db"
    status, _, err = await limen("ask", "x", until=database.exists)
    assert status in (130, 0)
    assert "Traceback" not in err
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    assert (await limen("ask", "x"))[0] == 0


async def test_a_server_that_is_not_there(home):
    configure(home, "http://127.0.0.1:9/v1")
    status, out, err = await limen("ask", "x")
    assert status == 1
    assert "model." in err
    assert "Traceback" not in err
    assert out == ""


async def test_a_key_that_is_not_accepted(home):
    async with model_server(Answer.of(401, {"error": {"message": "bad key", "type": "invalid_request_error"}})) as server:
        configure(home, server.url)
        status, _, err = await limen("ask", "x", "--json")
    assert status == 1
    assert "model.auth" in err
