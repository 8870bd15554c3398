"""What the pages name exists: commands with their arguments, settings, variables, codes, files, links."""

import os
import re
import tomllib

import click
import pytest
from docs.pages import MANUAL, PAGES, ROOT, commands, name, spans

from limen.config import keys
from limen.config.schema import Config
from limen.config.value import parse_value
from limen.core.fault import ConfigFault
from limen.main import COMMANDS, load
from limen.surfaces.cli.app import CommandTable
from limen.surfaces.cli.options import CliOptions
from limen.surfaces.cli.slash import SLASHES

SOURCE = ROOT / "src" / "limen"
SECTIONS = set(Config.__struct_fields__)
CODES = tomllib.loads((ROOT / "scripts" / "docs" / "meanings.toml").read_text())
# What a page writes where a person puts something of their own.
PLACEHOLDER = re.compile(r"[A-Z_]{3,}|.*[A-Z]{3,}.*")
OTHER_VARIABLES = {"LIMEN_HOME", "LIMEN_PROFILE", "LIMEN_MODEL"}


def parse(words):
    """Parse a command line to its end without running it. Raises click's UsageError where it is wrong."""
    numbered = ["1" if re.fullmatch(r"N|START|END", word) else word for word in words[1:]]
    command, context, label = CommandTable(COMMANDS, load), None, "limen"
    while True:
        context = command.make_context(label, numbered, context, obj=CliOptions(load=load))
        numbered = [*context._protected_args, *context.args]
        if not isinstance(command, click.Group) or not numbered:
            return
        label, command, numbered = command.resolve_command(context, numbered)


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_commands_can_be_typed(path):
    for words in commands(path.read_text()):
        try:
            parse(words)
        except click.exceptions.NoArgsIsHelpError:
            pass  # a group is named
        except click.MissingParameter:
            assert not any(word.startswith("-") for word in words[2:]), words  # a command is named, not typed
            assert len(words) <= 3, words
        except click.exceptions.Exit:
            assert words[-1] in ("--help", "--version"), words


def test_a_wrong_command_line_is_noticed():
    for words in (["limen", "aks", "x"], ["limen", "ask", "--nope", "x"], ["limen", "library", "ad", "x"]):
        with pytest.raises(click.UsageError):
            parse(words)


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_settings_that_are_set_take_the_value(path):
    for words in commands(path.read_text()):
        if words[1:3] == ["config", "set"] and len(words) == 5 and not PLACEHOLDER.fullmatch(words[3]):
            key = keys.find(words[3])
            assert key is not None, words
            if not PLACEHOLDER.fullmatch(words[4]):
                try:
                    parse_value(key, words[4])
                except ConfigFault as fault:
                    pytest.fail(f"{words}: {fault}")


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_settings_variables_and_codes_exist(path):
    variables = {key.variable for key in keys.KEYS.values()} | OTHER_VARIABLES
    for span in spans(path.read_text()):
        if re.fullmatch(r"LIMEN_[A-Z_]+", span) and not span.endswith("_"):
            assert span in variables, span
        area, _, rest = span.partition(".")
        if re.fullmatch(r"[a-z_]+\.[a-z_.]+", span) and (area in SECTIONS or area in CODES) and not names_code(span):
            known = rest in CODES.get(area, {}) or any(key.startswith(f"{span}.") for key in keys.KEYS)
            assert known or keys.find(span) is not None, span


def names_code(span):
    """Whether a dotted name is a file's, a module's, an attribute's or a host's."""
    return (
        re.search(r"\.(?:ai|com|dev|org)$", span)
        or span.endswith((".py", ".md", ".db", ".yaml", ".toml"))
        or span.startswith("limen.")
        or span == "tool.run"
    )


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_files_that_are_named_exist(path):
    text = re.sub(r"^\| [^|]+ \| `src/limen/.*$", "", path.read_text(), flags=re.MULTILINE)  # that table has a test of its own
    for span in spans(text):
        if re.fullmatch(r"(?:[a-z_]+/)+(?:[a-z_0-9-]+\.[a-z]+)?", span):
            assert any((root / span).exists() for root in (ROOT, ROOT / "src", SOURCE, path.parent)), span


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links_within_the_repository_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text()):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_every_package_stands_in_the_architectures_table():
    text = (ROOT / "docs" / "architecture.md").read_text()
    rows = dict(re.findall(r"^\| [^|]+ \| `(src/limen/[^`]+)` \| ([^|]+) \|", text, re.MULTILINE))
    packages = {f"src/limen/{entry.name}" for entry in os.scandir(SOURCE) if entry.is_dir() and entry.name[0] != "_"}
    assert set(rows) == packages
    for folder, files in rows.items():
        for file in re.findall(r"`([^`]+)`", files):
            assert (ROOT / folder / file).exists(), f"{folder}/{file}"


def test_the_chats_page_names_every_command_and_no_other():
    text = (MANUAL / "chat.md").read_text()
    assert set(re.findall(r"`/([a-z]+)", text)) == set(SLASHES)


def test_first_steps_name_every_command():
    text = (MANUAL / "first-steps.md").read_text()
    listed = text.partition("There are the commands")[2].partition("\n\n")[0]
    assert set(re.findall(r"`([a-z]+)`", listed)) == set(COMMANDS)


def test_the_sections_of_the_settings_are_all_named():
    text = " ".join((MANUAL / "configuration.md").read_text().split())
    listed = text.partition("The sections are")[2].partition(".")[0]
    assert set(re.findall(r"`([a-z_]+)`", listed)) == SECTIONS - {"version"}


def test_lines_fit_a_screen():
    for path in PAGES:
        long = [line for line in path.read_text().split("\n") if len(line) > 140 and not line.startswith(("|", "  "))]
        assert long == [], name(path)
