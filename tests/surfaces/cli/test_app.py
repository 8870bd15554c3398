"""The frame of all commands: shared options stand anywhere, and every help has the same shape."""

import click
import pytest

from limen.main import COMMANDS, load
from limen.surfaces.cli.app import CommandTable, adopt
from limen.surfaces.cli.options import CliOptions


def verbs():
    """Every command that does something, as the words that name it."""
    for name, (dotted, _) in COMMANDS.items():
        loaded = adopt(load(dotted))
        if isinstance(loaded, click.Group):
            yield from ((name, verb) for verb in loaded.commands)
        else:
            yield (name,)


VERBS = list(verbs())
SHARED = ["--home", "/nowhere", "--profile", "p", "-v"]


def parsed(words: list[str]) -> click.Context:
    """The innermost context that parsing these words leads to; nothing is run."""
    context = CommandTable(COMMANDS, load).make_context("limen", words, obj=CliOptions(load=load))
    while isinstance(context.command, click.Group):
        rest = [*context._protected_args, *context.args]
        name, command, rest = context.command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)
    return context


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_shared_options_stand_before_between_and_behind(words):
    needed = [param for param in _command(words).params if param.required]
    required = [word for param in needed for word in ((param.opts[0], "1") if isinstance(param, click.Option) else ("1",))]
    for place in range(len(words) + 1):
        options = parsed([*words[:place], *SHARED, *words[place:], *required]).obj
        assert (str(options.home), options.profile, options.verbosity) == ("/nowhere", "p", 1)


@pytest.mark.parametrize("words", [*VERBS, *{(words[0],) for words in VERBS}], ids=" ".join)
def test_every_help_has_an_example_that_begins_with_its_own_name(words):
    command = _command(words)
    assert command.epilog is not None
    lines = [line.strip() for line in command.epilog.splitlines()[2:]]
    assert lines
    for line in lines:
        assert f"limen {words[0]}" in line


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_options_say_what_they_do_and_the_shared_ones_come_last(words):
    options = [param for param in _command(words).params if isinstance(param, click.Option)]
    for option in options:
        assert option.help
        assert option.help.endswith((".", "]")), option.name
    shared = [option.name for option in options if option.name in ("json", "home", "profile", "verbose", "quiet")]
    assert [option.name for option in options][-len(shared) :] == shared


def _command(words: tuple[str, ...]) -> click.Command:
    command = adopt(load(COMMANDS[words[0]][0]))
    for word in words[1:]:
        command = command.commands[word]
    return command
