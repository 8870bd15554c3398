"""`limen ask`: one turn. The answer comes as it is written, then its sources, then one line of account."""

from shlex import quote
from typing import TYPE_CHECKING

import click

from limen.core.fault import Refusal
from limen.surfaces.cli.account import published_outcome
from limen.surfaces.cli.app import Cli, command
from limen.surfaces.cli.conversation import present, status_of
from limen.surfaces.cli.faults import DONE, INTERRUPTED, Refused, status_of_refusal, tell
from limen.surfaces.cli.follow import interruptible
from limen.surfaces.cli.library_name import library_option, refuse_unknown_library, searched_library
from limen.surfaces.cli.named_pages import failure, warn_of_unread
from limen.surfaces.cli.options import RouteName, SessionKey
from limen.surfaces.cli.question import checked, read_question
from limen.surfaces.cli.render import TurnView
from limen.surfaces.cli.screen import Screen
from limen.surfaces.cli.unquoted import TakesText
from limen.web.mode import outside_mode

if TYPE_CHECKING:
    from limen.agent.agent import TurnOutcome
    from limen.config.schema import Config


@command(
    example='limen ask "How do I cancel an asyncio task?"\nlimen ask --url https://example.org/ "What is this page about?"',
    cls=TakesText,
)
@click.argument("question")
@click.option("--url", "urls", multiple=True, metavar="URL", help="A page to read for the answer; may be given more than once.")
@click.option("--model", type=RouteName(), metavar="ROUTE", help="Who answers, as provider/model.")
@click.option("--session", type=SessionKey(), metavar="KEY", help="Go on with a conversation, or begin one of that key.")
@click.option("--no-tools", is_flag=True, help="Answer without looking anything up.")
@click.option("--no-context", is_flag=True, help="Leave context files and memory out.")
async def ask(
    cli: Cli, question: str, urls: tuple[str, ...], model: str | None, session: str | None, no_tools: bool, no_context: bool
) -> int:
    """Ask a question, get an answer with its sources.

    `-` reads the question from standard input. When none of the pages named with --url can be read, the exit status is 1, or 3
    where a gate refused one.
    """
    if urls and no_tools:
        raise click.UsageError("--url and --no-tools exclude each other: a page is read by a tool.")
    text = checked(await read_question() if question == "-" else question)
    screen, json = cli.screen, cli.options.json
    view = TurnView(screen, streaming=screen.out_is_terminal and not json)
    async with cli.runtime(searched_library()) as runtime:
        await refuse_unknown_library(runtime)
        if urls and (unreadable := _no_reader(runtime.loaded.config)) is not None:
            raise Refused(unreadable)
        turn = runtime.agent.turn(text, session=session, urls=urls, model=model, tools=not no_tools, context=not no_context)
        async with turn as handle, interruptible(handle.interrupt):
            async for event in handle:
                view.show(event)
    outcome = handle.outcome
    status = _publish(screen, outcome) if json else present(screen, outcome)
    if status == INTERRUPTED:
        screen.note(f"limen sessions show {quote(outcome.session)}")
    return status if status != DONE else _with_pages(screen, outcome)


ask.params.append(library_option("The library of yours that the answer may come from, in place of `library.search`."))


def _no_reader(config: "Config") -> Refusal | None:
    """Why no page can be read whatever it is, from the configuration alone."""
    if config.web.mode == "off":  # there is no tool that could say so
        return outside_mode(config.web.mode)
    if "web" not in config.tools.toolsets:
        reason = "The toolset `web`, which reads pages, is not among `tools.toolsets`."
        return Refusal("resolve", "web.no_toolset", reason, "limen config set tools.toolsets --add web")
    return None


def _publish(screen: Screen, outcome: "TurnOutcome") -> int:
    screen.json(published_outcome(outcome))
    if outcome.end.reason not in ("answered", "interrupted"):
        tell(screen, outcome.end.code or "turn.failed", outcome.end.text, outcome.end.mend)
    return status_of(outcome)


def _with_pages(screen: Screen, outcome: "TurnOutcome") -> int:
    """Say which of the named pages stayed unread; the exit status of a turn that has answered."""
    refusal = failure(outcome.pages)
    if refusal is None or len(outcome.pages) > 1:
        warn_of_unread(screen, outcome.pages)
    if refusal is None:
        return DONE
    tell(screen, refusal.code, refusal.reason, refusal.mend)
    return status_of_refusal(refusal)
