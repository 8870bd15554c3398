"""`limen chat`: a conversation at a terminal, or with the lines of a pipe."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.abc
import click
from prompt_toolkit.history import History, InMemoryHistory

from limen import __version__
from limen.core.fault import Fault
from limen.kit.log import failed_open
from limen.surfaces.cli.app import Cli, command, show_problem
from limen.surfaces.cli.conversation import Conversation
from limen.surfaces.cli.faults import DONE, FAILED, INTERRUPTED, tell_fault
from limen.surfaces.cli.history import PrivateHistory
from limen.surfaces.cli.live import LiveText
from limen.surfaces.cli.log_lines import show_log
from limen.surfaces.cli.options import SessionKey
from limen.surfaces.cli.pick import known_session
from limen.surfaces.cli.prompt import ChatPrompt
from limen.surfaces.cli.question import QUESTION_LIMIT_BYTES, Input, decoded
from limen.surfaces.cli.screen import Screen, terminal_columns
from limen.surfaces.cli.slash import dispatch
from limen.surfaces.cli.slash_session import take_up
from limen.surfaces.cli.wiring import Wiring, wired

if TYPE_CHECKING:
    from limen.runtime import Runtime


@command(example="limen chat\necho 'How do I cancel an asyncio task?' | limen chat", json=False)
@click.option("--session", type=SessionKey(), metavar="KEY", help="Go on with a conversation, or begin one of that key.")
async def chat(cli: Cli, session: str | None) -> int:
    """Hold a conversation in the terminal.

    Without a terminal on standard input each line of it is a question, or a command of the chat such as /new.
    """
    async with wired(partial(cli.runtime, say_problems=False, goes_on=True)) as wiring:
        for problem in wiring.runtime.loaded.problems:
            show_problem(cli.screen, problem)
        if _at_terminal():
            return await _at_prompt(cli, wiring, session)
        conversation = Conversation(wiring, cli.screen)
        await _go_on(conversation, session, show=False)
        return await _with_lines(conversation)


def _at_terminal() -> bool:
    streams = (sys.stdin, sys.stdout)
    return all(stream is not None and stream.isatty() for stream in streams) and os.environ.get("TERM") != "dumb"


async def _go_on(conversation: Conversation, session: str | None, *, show: bool) -> None:
    """Take up the conversation that was named; one that is not there yet gets that key, and this is said."""
    if session is None:
        return
    try:
        known = await known_session(conversation.runtime.sessions, session)
    except Fault as fault:
        if fault.code != "session.unknown":
            raise
        conversation.go_on_with(session)
        conversation.screen.note(f"! {fault.reason} yet; your first line begins it ({fault.mend})", "warn")
        return
    if show:
        await take_up(conversation, known)
    else:
        conversation.go_on_with(known.key, stored=True)


async def _at_prompt(cli: Cli, wiring: Wiring, session: str | None) -> int:
    text = LiveText(sys.stdout, terminal_columns)
    screen = Screen(text, text, verbosity=cli.options.verbosity, colour=cli.screen.colour)
    show_log(screen, cli.options.verbosity, cli.options.load)
    conversation = Conversation(wiring, screen)
    prompt = ChatPrompt(conversation, text, _history(wiring.runtime), colour=cli.screen.colour)
    cli.screen.note(f"limen {__version__} · ask about your documents, a page, or Limen itself · /help · Ctrl-D leaves")
    status = INTERRUPTED
    try:
        with _mishaps_logged(), prompt.listening():
            async with anyio.create_task_group() as group:
                group.start_soon(text.pump)
                group.start_soon(_leave_when_told, group.cancel_scope)
                async with anyio.create_task_group() as turns:
                    await _go_on(conversation, session, show=True)
                    status = await _converse(conversation, prompt, turns)
                    conversation.leaving = True
                    conversation.stop()
                group.cancel_scope.cancel()
    finally:
        conversation.hand_back()
        text.close_out()
        show_log(cli.screen, cli.options.verbosity, cli.options.load)
    return status


@contextmanager
def _mishaps_logged() -> Iterator[None]:
    """Log what fails in a callback of the event loop, a key or a piece of pasted text that nobody foresaw; the chat goes on."""
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()

    def log(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        failed_open("chat.terminal", context.get("exception") or context["message"])

    loop.set_exception_handler(log)
    try:
        yield
    finally:
        loop.set_exception_handler(before)


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
            text = await dispatch(conversation, line)
        except Fault as fault:
            tell_fault(conversation.screen, fault)
            continue
        text = conversation.take(text) if text is not None else None
        if text is not None:
            conversation.begin()
            turns.start_soon(conversation.answer, text)
    return DONE


def _history(runtime: "Runtime") -> History:
    limit = runtime.loaded.config.ui.history_lines
    return PrivateHistory(runtime.home.history_file, limit) if limit else InMemoryHistory()


async def _with_lines(conversation: Conversation) -> int:
    """Answer each line of standard input in turn; the status is that of the first that came to no answer."""
    source = Input.standard()
    status = DONE
    if source is None:
        return status
    async for line in source.lines(QUESTION_LIMIT_BYTES):
        ended = await _one_line(conversation, line)
        status = status or ended
        if conversation.leaving or ended == INTERRUPTED:
            break
    return FAILED if conversation.hand_back() and status == DONE else status


async def _one_line(conversation: Conversation, line: bytes | Fault) -> int:
    try:
        if isinstance(line, Fault):
            raise line
        text = decoded(line).strip()
        asked = await dispatch(conversation, text) if text else None
        asked = conversation.take(asked) if asked is not None else None
    except Fault as fault:
        tell_fault(conversation.screen, fault)
        return FAILED
    conversation.screen.flush()
    return await conversation.answer(asked, signals=True) if asked is not None else DONE
