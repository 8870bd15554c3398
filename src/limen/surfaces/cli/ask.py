"""`limen ask`: one turn. The answer comes as it is written, then its sources, then one line of account."""

import anyio
import click

from limen.surfaces.cli.account import published_outcome
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.conversation import present, status_of
from limen.surfaces.cli.faults import INTERRUPTED, tell
from limen.surfaces.cli.follow import watch_signals
from limen.surfaces.cli.question import checked, read_question
from limen.surfaces.cli.render import TurnView


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
    text = checked(await read_question() if question == "-" else question)
    screen, json = cli.screen, cli.options.json
    view = TurnView(screen, streaming=screen.out_is_terminal and not json)
    async with cli.runtime() as runtime:
        turn = runtime.agent.turn(text, session=session, urls=urls, model=model, tools=not no_tools, context=not no_context)
        async with turn as handle, anyio.create_task_group() as group:
            group.start_soon(watch_signals, handle)
            async for event in handle:
                view.show(event)
            group.cancel_scope.cancel()
    outcome = handle.outcome
    if not json:
        status = present(screen, outcome)
        if status == INTERRUPTED:
            screen.note(f"limen sessions show {outcome.session}")
        return status
    screen.json(published_outcome(outcome))
    if outcome.end.reason not in ("answered", "interrupted"):
        tell(screen, outcome.end.code or "turn.failed", outcome.end.text, outcome.end.mend)
    return status_of(outcome)
