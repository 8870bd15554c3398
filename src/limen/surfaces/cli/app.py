"""The frame of every command: shared options, an event loop, and one way out with an exit status."""

import functools
import inspect
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import click

from limen import __version__
from limen.surfaces.cli.faults import DONE, UNREAD, end_with, placed, wrong_usage
from limen.surfaces.cli.log_lines import masker, show_log
from limen.surfaces.cli.offered import Offered
from limen.surfaces.cli.options import CliOptions, Load, shared_options
from limen.surfaces.cli.screen import Screen, discard

if TYPE_CHECKING:
    from limen.config.problem import Problem
    from limen.core.context import CallContext
    from limen.runtime import Runtime

Table = Mapping[str, tuple[str, str]]


def show_problem(screen: Screen, problem: "Problem") -> None:
    """One finding about the configuration; a mere notice only where more is wanted."""
    if problem.level == "notice" and not screen.verbose:
        return
    screen.note("! ", "bad" if problem.level == "error" else "warn", end="")
    screen.note(f"{placed(problem.place, problem.text)} [{problem.code}]", "plain")
    if problem.mend:
        screen.note(f"  → {problem.mend}", "plain")


class Cli:
    """What a command's function is given: its options, the screen, and a way to open the runtime."""

    def __init__(self, options: CliOptions, screen: Screen) -> None:
        self.options = options
        self.screen = screen

    @asynccontextmanager
    async def runtime(
        self, flags: Mapping[str, str] | None = None, *, say_problems: bool = True, goes_on: bool = False
    ) -> "AsyncIterator[Runtime]":
        """The wired runtime, for the length of a block. `flags` override settings by dotted key.

        What is wrong with the configuration is said before anything else, but to a caller that says it itself. `goes_on` is said
        by a command that lives on after a turn.
        """
        load, options = self.options.load, self.options
        made = load("limen.runtime:RuntimeOptions")
        choices = made(home=options.home, profile=options.profile, flags=flags or {}, goes_on=goes_on)
        runtime: Runtime
        async with load("limen.runtime:open_runtime")(choices) as runtime:
            self.screen.use_colour(runtime.loaded.config.ui.color)
            for problem in runtime.loaded.problems if say_problems else ():
                show_problem(self.screen, problem)
            yield runtime

    def call(self) -> "CallContext":
        """The circumstances of a call that no turn makes: a person's own."""
        context: CallContext = self.options.load("limen.core.context:CallContext")()
        return context


def adopt(command: click.Command) -> click.Command:
    """Give a command, and those under it, the shared options that it does not declare itself; so they may stand anywhere."""
    if getattr(command, "adopted", False):
        return command
    taken = {text for parameter in command.params for text in (*parameter.opts, *parameter.secondary_opts)}
    json = getattr(command, "prints_data", True)
    command.params.extend(option for option in shared_options(json=json) if not taken & set(option.opts))
    command.callback = _guarded(command.callback) if command.callback is not None else None
    for child in command.commands.values() if isinstance(command, click.Group) else ():
        adopt(child)
    command.adopted = True  # type: ignore[attr-defined]
    return command


def _guarded(callback: Callable[..., Any]) -> Callable[..., Any]:
    """`callback` with its errors printed and turned into an exit status."""

    @functools.wraps(callback)
    def call(*arguments: Any, **parameters: Any) -> Any:
        context = click.get_current_context()
        try:
            return callback(*arguments, **parameters)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except (KeyboardInterrupt, BaseExceptionGroup, Exception) as error:  # noqa: BLE001 - the surface's border: nobody is thrown a traceback
            return end_with(screen_of(context), context.obj.json, error, _masked_or_withheld(context.obj.load))

    return call


def _commands(context: click.Context) -> list[str]:
    top = context.find_root()
    return top.command.list_commands(top) if isinstance(top.command, click.Group) else []


def screen_of(context: click.Context) -> Screen:
    """The screen of a command, the same one for as long as it runs."""
    screen: Screen = context.meta.get("limen.screen") or Screen.standard(context.obj.verbosity)
    context.meta["limen.screen"] = screen
    return screen


def command(
    *,
    example: str,
    name: str | None = None,
    json: bool = True,
    under: click.Group | None = None,
    cls: type[click.Command] = click.Command,
) -> Callable[[Callable[..., Coroutine[Any, Any, int | None]]], click.Command]:
    """Make a command of an async function that takes a `Cli` and its parameters and returns an exit status, None for done.

    Its docstring is the help text. `json` says whether it prints data; `under` puts it into a group, `cls` makes it
    of another kind.
    """

    def wrap(function: Callable[..., Coroutine[Any, Any, int | None]]) -> click.Command:
        @functools.wraps(function)
        def start(**parameters: Any) -> int:
            context = click.get_current_context()
            cli = Cli(context.obj, screen_of(context))
            cli.screen.offered = Offered(cli.options, _commands(context))
            show_log(cli.screen, cli.options.verbosity, cli.options.load)
            return anyio.run(functools.partial(function, cli, **parameters)) or DONE

        made = click.command(name, cls=cls, epilog=_example(example))(start)
        made.prints_data = json  # type: ignore[attr-defined]
        if under is not None:
            under.add_command(made)
        return made

    return wrap


def group(name: str, summary: str, *, example: str, default: str | None = None) -> click.Group:
    """A command that holds others. `default` names the one among them that runs where none is named."""
    if default is None:
        return click.Group(name, help=summary, epilog=_example(example))

    @click.pass_context
    def run_default(context: click.Context) -> Any:
        if context.invoked_subcommand is None:
            chosen = made.commands[default]
            with chosen.make_context(default, [], parent=context) as inner:
                return chosen.invoke(inner)
        return None

    made = click.Group(
        name, help=summary, epilog=_example(example), callback=run_default, invoke_without_command=True, no_args_is_help=False
    )
    return made


def _example(example: str) -> str:
    lines = "\n  ".join(inspect.cleandoc(example).splitlines())
    return f"\b\nExample:\n  {lines}"


class CommandTable(click.Group):
    """The top of the command line: lists its commands from a table, and loads the one that is called."""

    def __init__(self, table: Table, load: Load) -> None:
        super().__init__(
            "limen",
            help="An agent runtime in which nothing crosses the threshold unseen.",
            epilog=_example('limen ask "How do I cancel an asyncio task?"'),
            params=[
                *shared_options(json=True),
                click.Option(["-V", "--version"], is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
                             help="Print the version."),
            ],
        )  # fmt: skip
        self._table = table
        self._load = load

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._table:
            return None
        loaded: click.Command = self._load(self._table[cmd_name][0])
        return adopt(loaded)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand as error:
            # Click looks for similar names among loaded commands, and none is loaded here.
            raise click.exceptions.NoSuchCommand(error.command_name, possibilities=self._table, ctx=ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self._table.items()])


def _print_version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"limen {__version__}")
        context.exit(DONE)


def run(table: Table, load: Load, arguments: list[str]) -> int:
    """Run one command line to its end; every error is printed here or in `adopt`, and nowhere else."""
    screen = Screen.standard()
    wants_json = "--json" in (arguments[: arguments.index("--")] if "--" in arguments else arguments)
    try:
        status = CommandTable(table, load).main(
            arguments, "limen", standalone_mode=False, obj=CliOptions(load=load), max_content_width=100
        )
    except click.ClickException as error:
        status = _safely(screen, functools.partial(wrong_usage, screen, wants_json, error))
    except (KeyboardInterrupt, BaseExceptionGroup, Exception) as error:  # noqa: BLE001 - the surface's border: nobody is thrown a traceback
        status = end_with(screen, wants_json, error, _masked_or_withheld(load))
    except SystemExit:  # click's own answer to a reader that has gone
        discard(sys.__stdout__)
        status = UNREAD
    return _safely(screen, functools.partial(_flushed, screen, status if isinstance(status, int) else DONE))


def _flushed(screen: Screen, status: int) -> int:
    """The status, once all output has gone out."""
    screen.flush()
    return status


def _safely(screen: Screen, last: Callable[[], int]) -> int:
    """What `last` says, unless the output has nowhere to go."""
    try:
        return last()
    except OSError as error:
        return end_with(screen, False, error, lambda text: text)  # what an operating system says of an output


def _masked_or_withheld(load: Load) -> Callable[[str], str]:
    mask = masker(load)

    def masked(text: str) -> str:
        try:
            return mask(text)
        except Exception as error:  # noqa: BLE001 - what breaks may be the masking itself, and then nothing may be shown of it
            return f"withheld, since it could not be masked ({type(error).__name__})"

    return masked
