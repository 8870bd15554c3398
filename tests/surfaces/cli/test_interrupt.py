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

pytestmark = pytest.mark.anyio

CHUNK = {"index": 0, "delta": {"role": "assistant", "content": "the first words"}, "finish_reason": None}
SHAPE = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [CHUNK]}
WORDS = b"data: " + json.dumps(SHAPE).encode() + b"\n\n"
HANGING = Stream((WORDS, "hang"))


def configure(home, url: str) -> None:
    home.mkdir(mode=0o700, exist_ok=True)
    text = f"model:\n  route: mine/scripted\nproviders:\n  mine:\n    endpoint: {url}\n    window_tokens: 32000\n"
    (home / "config.yaml").write_text(text)


async def limen(*arguments: str, until=None, number: int = signal.SIGINT):
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
                if until is not None and child.returncode is None:
                    os.kill(child.pid, number)
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
