"""Every command that a failure of models, routes and keys says to type: the command line takes it."""

import ast
import re
import shlex
from pathlib import Path

import click
import pytest

import limen
from limen.builtin.providers import provider_table
from limen.core.route import Route
from limen.main import COMMANDS, load
from limen.models.classify import at_route, fault, mend_of_swap
from limen.models.resolve import Routes
from limen.surfaces.cli.app import CommandTable
from limen.surfaces.cli.options import CliOptions

SOURCE = Path(limen.__file__).parent
FILES = [
    *sorted((SOURCE / "models").rglob("*.py")),
    *sorted((SOURCE / "wiring").glob("*.py")),
    *(
        SOURCE / f"surfaces/cli/{name}.py"
        for name in ("model", "fallback", "credentials", "chain", "key_rows", "new_key", "log_in")
    ),
    SOURCE / "builtin/providers.py",
    SOURCE / "config/edit_chain.py",
    SOURCE / "config/fallback_entry.py",
]
_COMMAND = re.compile(rf"(?<![\w/.'-])limen (?:{'|'.join(COMMANDS)})(?![\w-])[^\n;`)…—|]*")
_END = re.compile(r"(?:,? or |, | \(|: |\. |[.,:]$| answers| moves ).*", re.DOTALL)
KINDS = ("auth", "billing", "quota", "rate", "overload", "upstream", "window", "filter", "shape", "network", "page")


def texts(tree):
    """All texts of a module, what is filled in standing as `filled`; those in docstrings are no mends."""
    parts = {
        id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node) if part is not node
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "filled" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


def commands(text):
    return [_END.sub("", found[0]).strip() for found in _COMMAND.finditer(text)]


def parse(line):
    """Parse a command line to its end without running it."""
    rest = shlex.split(line)[1:]
    command, context, label = CommandTable(COMMANDS, load), None, "limen"
    while True:
        context = command.make_context(label, rest, context, obj=CliOptions(load=load))
        rest = [*context._protected_args, *context.args]
        if not isinstance(command, click.Group) or not rest:
            return
        label, command, rest = command.resolve_command(context, rest)


def said():
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    found = {}
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, kinds)}
        for text in texts(tree):
            if text not in docs:
                found.update(dict.fromkeys(commands(text), str(path.relative_to(SOURCE))))
    return sorted(found.items())


@pytest.mark.parametrize(("line", "file"), said())
def test_what_is_said_to_be_typed_is_taken(line, file):
    try:
        parse(line)
    except click.UsageError as error:
        pytest.fail(f"{file}: {line}: {error.format_message()}")


ROUTES = [
    Route("custom", "chat_completions", "m", "http://127.0.0.1:1/v1"),
    Route("custom", "chat_completions", "org/a b'c", "http://127.0.0.1:1/v1"),
    Route("custom", "chat_completions", "", "http://127.0.0.1:1/v1"),
    Route("llama.cpp", "chat_completions", "", "http://127.0.0.1:1/v1"),
    Route("openai", "chat_completions", "gpt-4.1", "https://api.openai.com/v1", "env:OPENAI_API_KEY"),
]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_of_a_route_that_failed_is_about_that_route(kind, route):
    table = Routes(provider_table())
    lines = [*commands(at_route(fault(kind, "no"), route).mend), *commands(mend_of_swap(kind, route))]
    for line in lines:
        parse(line)
        words = shlex.split(line)
        if words[1:3] == ["model", "test"]:
            assert len(words) == 4
            meant = table.route(words[3])
            assert (meant.provider, meant.endpoint) == (route.provider, table.route(words[3]).endpoint)
            assert meant.model in (route.model, meant.model if not route.model else "")
        elif words[1:3] == ["model", "list"] and len(words) == 4:
            assert table.endpoint_of(words[3]).provider == route.provider
    if kind == "window":
        assert not any("model test" in line for line in lines)


def test_a_server_without_a_name_is_meant_by_its_address():
    assert ROUTES[0].typed == "'http://127.0.0.1:1/v1#m'"
    assert ROUTES[2].typed == "http://127.0.0.1:1/v1"
    assert ROUTES[3].typed == "llama.cpp"
    assert Route("custom", "chat_completions", "m", "http://127.0.0.1:1/v1", "env:K").typed == "custom/m"
    assert "limen model test 'http://127.0.0.1:1/v1#m'" in at_route(fault("network", "no"), ROUTES[0]).mend
