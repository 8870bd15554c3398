"""`limen chat`: a conversation at a terminal, or with the lines of a pipe."""

import os
import signal
import sys
from typing import TYPE_CHECKING

import anyio
import anyio.abc
import click
from prompt_toolkit.history import History, InMemoryHistory

from limen import __version__
from limen.core.fault import Fault
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.conversation import Conversation
from limen.surfaces.cli.faults import DONE, FAILED, INTERRUPTED, tell_fault
from limen.surfaces.cli.history import PrivateHistory
from limen.surfaces.cli.live import LiveText
from limen.surfaces.cli.log_lines import show_log
from limen.surfaces.cli.prompt import ChatPrompt
from limen.surfaces.cli.question import QUESTION_LIMIT_BYTES, Input, decoded
from limen.surfaces.cli.screen import Screen, terminal_columns
from limen.surfaces.cli.slash import dispatch

if TYPE_CHECKING:
    from limen.runtime import Runtime


@command(example="limen chat\necho 'How do I cancel an asyncio task?' | limen chat", json=False)
@click.option("--session", metavar="KEY", help="Go on with a conversation.")
async def chat(cli: Cli, session: str | None) -> int:
    """Hold a conversation in the terminal.

    Without a terminal on standard input each line of it is a question.
    """
    async with cli.runtime() as runtime:
        if _at_terminal():
            return await _at_prompt(cli, runtime, session)
        return await _with_lines(Conversation(runtime, cli.screen, session))


def _at_terminal() -> bool:
    streams = (sys.stdin, sys.stdout)
    return all(stream is not None and stream.isatty() for stream in streams) and os.environ.get("TERM") != "dumb"


async def _at_prompt(cli: Cli, runtime: "Runtime", session: str | None) -> int:
    text = LiveText(sys.stdout, terminal_columns)
    screen = Screen(text, text, verbosity=cli.options.verbosity, colour=cli.screen.colour)
    show_log(screen, cli.options.verbosity)
    conversation = Conversation(runtime, screen, session)
    prompt = ChatPrompt(conversation, text, _history(runtime), colour=cli.screen.colour)
    cli.screen.note(f"limen {__version__} · /help · Ctrl-D leaves")
    status = INTERRUPTED
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(text.pump)
            group.start_soon(_leave_when_told, group.cancel_scope)
            async with anyio.create_task_group() as turns:
                status = await _converse(conversation, prompt, turns)
                conversation.stop()
            group.cancel_scope.cancel()
    finally:
        text.close_out()
        show_log(cli.screen, cli.options.verbosity)
    return status


async def _leave_when_told(scope: anyio.CancelScope) -> None:
    """End in order, the terminal as it was found, when the process is told to go or the terminal goes."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGHUP) as signals:
        async for _ in signals:
            scope.cancel()


async def _converse(conversation: Conversation, prompt: ChatPrompt, turns: anyio.abc.TaskGroup) -> int:
    while not conversation.leaving:
        try:
            line = await prompt.read()
        except EOFError:
            return DONE
        except KeyboardInterrupt:
            return INTERRUPTED
        conversation.echo(line)
        try:
            if await dispatch(conversation, line):
                continue
        except Fault as fault:
            tell_fault(conversation.screen, fault)
            continue
        if conversation.running:
            conversation.add(line)
        else:
            conversation.begin()
            turns.start_soon(conversation.answer, line)
    return DONE


def _history(runtime: "Runtime") -> History:
    limit = runtime.loaded.config.ui.history_lines
    return PrivateHistory(runtime.home.history_file, limit) if limit else InMemoryHistory()


async def _with_lines(conversation: Conversation) -> int:
    """Answer each line of standard input in turn; the status is that of the first turn that did not end with an answer."""
    source = Input.standard()
    status = DONE
    if source is None:
        return status
    async for line in source.lines(QUESTION_LIMIT_BYTES):
        ended = await _one_line(conversation, line)
        status = status or ended
        if conversation.leaving or ended == INTERRUPTED:
            break
    return status


async def _one_line(conversation: Conversation, line: bytes | Fault) -> int:
    try:
        if isinstance(line, Fault):
            raise line
        text = decoded(line).strip()
        if not text or await dispatch(conversation, text):
            return DONE
    except Fault as fault:
        tell_fault(conversation.screen, fault)
        return FAILED
    return await conversation.answer(text, signals=True)
