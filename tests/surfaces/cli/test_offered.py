"""Commands that are offered: pasted, they reach the home that was meant."""

import shlex
from pathlib import Path

import pytest
from surfaces.cli.conftest import in_process

from limen.main import load
from limen.surfaces.cli.offered import Offered
from limen.surfaces.cli.options import CliOptions

COMMANDS = ("config", "doctor", "extract")
TOLD = "do: limen config set web.mode live, or limen doctor; /x/limen config, 'limen config' stay, limen writable too"


def offered(text, **options):
    return Offered(CliOptions(load=load, **options), COMMANDS)(text)


def test_where_no_home_was_named_nothing_changes(home):
    assert offered(TOLD) == TOLD


@pytest.mark.parametrize(
    ("options", "called"),
    [
        ({"home": Path("/a home")}, "limen --home '/a home'"),
        ({"profile": "work"}, "limen --profile work"),
        ({"home": Path("/a"), "profile": "work"}, "limen --home /a --profile work"),
    ],
)
def test_each_command_names_the_home(home, options, called):
    assert offered(TOLD, **options) == TOLD.replace("limen config set", f"{called} config set").replace(
        "limen doctor", f"{called} doctor"
    )


def test_the_home_that_is_found_unasked_needs_no_name(home):
    assert offered(TOLD, home=home, profile="main") == TOLD


def test_a_home_that_cannot_be_does_not_hide_why(home):
    assert offered(TOLD, profile="../x") == TOLD


def test_a_mend_can_be_pasted(home, capsys, monkeypatch, tmp_path):
    with in_process(load, capsys, monkeypatch) as limen:
        _pasted(limen, tmp_path)


def _pasted(limen, tmp_path):
    place = tmp_path / "another home"
    refused = limen("explain", "http://127.0.0.1:9/", "--home", str(place))
    assert refused.status == 3
    command = shlex.split(refused.out.partition("trust it: ")[2])
    assert limen(*command[1:]).status == 0
    assert limen("explain", "http://127.0.0.1:9/", "--home", str(place)).status == 0
    assert limen("explain", "http://127.0.0.1:9/").status == 3
