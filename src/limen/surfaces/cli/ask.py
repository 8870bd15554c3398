"""`limen ask`: one turn. The answer comes as it is written, then its sources, then one line of account."""

import sys
from typing import TYPE_CHECKING

import click

from limen.core.fault import Fault
from limen.surfaces.cli.account import account, published_outcome, show_sources
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.faults import DONE, FAILED, INTERRUPTED, REFUSED, tell
from limen.surfaces.cli.follow import follow
from limen.surfaces.cli.render import TurnView

if TYPE_CHECKING:
    from limen.surfaces.cli.port import TurnOutcome

# No model's window holds more; a longer text belongs into the library.
QUESTION_LIMIT_BYTES = 1_000_000


@command(example='limen ask "How do I cancel an asyncio task?"\nlimen ask --url https://example.org/ "What is this page about?"')
@click.argument("question")
@click.option("--url", "urls", multiple=True, metavar="URL", help="A page to read for the answer; may be given more than once.")
@click.option("--model", metavar="ROUTE", help="Who answers, as provider/model.")
@click.option("--session", metavar="KEY", help="Go on with a conversation.")
@click.option("--no-tools", is_flag=True, help="Answer without looking anything up.")
@click.option("--no-context", is_flag=True, help="Leave context files and memory out.")
async def ask(
    cli: Cli, question: str, urls: tuple[str, ...], model: str | None, session: str | None, no_tools: bool, no_context: bool
) -> int:
    """Ask a question, get an answer with its sources.

    `-` reads the question from standard input.
    """
    text = checked(read_question() if question == "-" else question)
    view = TurnView(cli.screen, streaming=cli.screen.out_is_terminal and not cli.options.json)
    async with (
        cli.runtime() as runtime,
        runtime.agent.turn(
            text, session=session, urls=urls, model=model, tools=not no_tools, context=not no_context
        ) as handle,
    ):  # fmt: skip
        await follow(handle, view)
    return conclude(cli, handle.outcome)


def conclude(cli: Cli, outcome: "TurnOutcome") -> int:
    """Print what stands under the answer, and how the turn ended."""
    screen, end = cli.screen, outcome.end
    if cli.options.json:
        screen.json(published_outcome(outcome))
    else:
        if not screen.out_is_terminal and outcome.answer:
            screen.line(outcome.answer)
        show_sources(screen, outcome.sources)
        if screen.out_is_terminal:
            screen.note("")
        screen.note(account(outcome))
    if end.reason == "interrupted":
        screen.note(f"interrupted; what was said is kept: limen sessions show {outcome.session}", "warn")
        return INTERRUPTED
    if end.reason != "answered":
        tell(screen, end.code or f"turn.{end.reason}", end.text, end.mend)
        return REFUSED if end.reason == "refused" else FAILED
    return DONE


def read_question() -> str:
    """The question on standard input. Raises Fault for bytes that are no text and for more than a window could hold."""
    if sys.stdin is None:
        return ""
    if sys.stdin.isatty():
        click.echo("Type the question, then Ctrl-D.", err=True)
    data = sys.stdin.buffer.read(QUESTION_LIMIT_BYTES + 1)
    try:
        text = data[:QUESTION_LIMIT_BYTES].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(data) <= QUESTION_LIMIT_BYTES or error.start < QUESTION_LIMIT_BYTES - 4:
            raise _binary() from error
        text = data[: error.start].decode("utf-8-sig")
    if "\0" in text:
        raise _binary()
    if len(data) > QUESTION_LIMIT_BYTES:
        raise Fault(
            "ask.too_long",
            f"the question is longer than {QUESTION_LIMIT_BYTES:,} bytes",
            "limen library add FILE, then ask about it",
        )
    return text


def checked(question: str) -> str:
    """A question that can be asked: something is in it, and it is Unicode text."""
    text = question.encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()
    if not text:
        raise click.UsageError('The question is empty. Try: limen ask "How do I cancel an asyncio task?"')
    return text


def _binary() -> Fault:
    return Fault("ask.binary", "standard input is not UTF-8 text", "limen library add FILE, then ask about it")
