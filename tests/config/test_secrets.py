"""Secrets: handed out by name, shown to nobody."""

import copy
import pickle
import stat
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.config.paths import Home
from limen.config.secrets import Secrets, add_secret, forget_secret, parse_secrets, store_secret
from limen.core.fault import ConfigFault
from limen.kit.filelock import FileLock

SYNTHETIC = "sk-" + "live-0123456789abcdef"


@pytest.fixture
def place(tmp_path) -> Home:
    return Home(tmp_path)


def write(place, text, mode=0o600):
    place.secrets_file.write_bytes(text if isinstance(text, bytes) else text.encode())
    place.secrets_file.chmod(mode)


def test_the_environment_goes_before_the_file(place):
    write(place, f"A=file\nB={SYNTHETIC}\nEMPTY=\n")
    secrets = Secrets.load(place, {"A": "env", "B": ""})
    assert (secrets.get("A"), secrets.get("B"), secrets.get("EMPTY"), secrets.get("C")) == ("env", SYNTHETIC, None, None)
    assert (secrets.source("A"), secrets.source("B"), secrets.source("C")) == ("environment", "secrets file", None)
    assert secrets.problems == ()


def test_without_a_file_the_environment_speaks_alone(place):
    secrets = Secrets.load(place, {"A": "x"})
    assert (secrets.get("A"), secrets.problems) == ("x", ())


def test_no_value_is_shown_or_carried_away(place):
    write(place, f"A={SYNTHETIC}\n")
    secrets = Secrets.load(place, {"B": SYNTHETIC})
    assert SYNTHETIC not in f"{secrets!r} {secrets} {[secrets]} {secrets.problems}"
    with pytest.raises(TypeError):
        pickle.dumps(secrets)
    with pytest.raises(TypeError):
        copy.deepcopy(secrets)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("K=plain", "plain"),
        ("  export K = spaced  ", "spaced"),
        ("K=with # comment", "with"),
        ("K=no#comment", "no#comment"),
        ("K=# nothing", ""),
        ("K='single # kept' # gone", "single # kept"),
        ('K="a\\nb\\"c\\\\d"', 'a\nb"c\\d'),
        ("K=a=b==", "a=b=="),
        ("K=", ""),
        ("K=${OTHER}", "${OTHER}"),
        ("K=ü", "ü"),
    ],
)
def test_lines_are_read_as_a_shell_reads_them(line, value):
    assert parse_secrets(line, "f") == ({"K": value}, [])


@pytest.mark.parametrize("line", ["just words", "1K=x", "K-L=x", "=x", 'K="open', "K='open", "K='a'b"])
def test_a_line_that_is_none_is_named_without_its_content(line):
    values, problems = parse_secrets(f"# first\n{line}\nGOOD=1\n", "f")
    assert values == {"GOOD": "1"}
    assert [problem.place for problem in problems] == ["f:2"]
    assert line not in repr(problems)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_said_with_its_mend(place, mode):
    write(place, "A=1\n", mode)
    secrets = Secrets.load(place, {})
    assert secrets.get("A") == "1"
    (problem,) = secrets.problems
    assert (problem.level, problem.code) == ("warning", "secrets.exposed")
    assert problem.mend == f"chmod 600 '{place.secrets_file}'"


@pytest.mark.parametrize("data", [b"A=\xff\n", b"\xff\xfeA\x00", b"A=" + b"x" * 1_000_001])
def test_a_file_that_cannot_be_read_is_an_error_and_the_environment_still_speaks(place, data):
    write(place, data)
    secrets = Secrets.load(place, {"B": "x"})
    assert [problem.code for problem in secrets.problems] == ["secrets.unreadable"]
    assert secrets.problems[0].level == "error"
    assert (secrets.get("A"), secrets.get("B")) == (None, "x")


def test_a_folder_in_its_place_is_an_error(place):
    place.secrets_file.mkdir()
    assert [problem.code for problem in Secrets.load(place, {}).problems] == ["secrets.unreadable"]


@given(st.text(max_size=200))
def test_any_text_is_read(text):
    values, problems = parse_secrets(text, "f")
    assert len(values) + len(problems) <= len(text.splitlines())


FILE = """# keys of mine
export OPENAI_API_KEY=old   # the first one

OTHER='stays # so'
broken line
OPENAI_API_KEY=older
"""


def test_a_secret_is_stored_and_every_other_line_stays(place):
    place.ensure()
    place.secrets_file.write_text(FILE)
    store_secret(place, "OPENAI_API_KEY", "new")
    assert place.secrets_file.read_text() == ("# keys of mine\nOPENAI_API_KEY=new\n\nOTHER='stays # so'\nbroken line\n")
    store_secret(place, "ANOTHER", 'it\'s $a `b` \\ # "c"')
    secrets = Secrets.load(place, {})
    assert secrets.get("ANOTHER") == 'it\'s $a `b` \\ # "c"'
    assert secrets.get("OTHER") == "stays # so"


def test_a_secret_is_added_under_the_first_name_that_nobody_has(place):
    place.ensure()
    place.secrets_file.write_text("K_2=second\nK_3=\n")
    assert add_secret(place, ["K", "K_2", "K_3", "K_4"], "third", {"K": "of the shell"}) == "K_3"
    assert place.secrets_file.read_text() == "K_2=second\nK_3=third\n"
    assert add_secret(place, ["K", "K_2", "K_3"], "fourth", {"K": "of the shell"}) is None
    assert place.secrets_file.read_text() == "K_2=second\nK_3=third\n"


def test_of_many_who_add_a_secret_at_once_nobody_loses_one(place):
    names = [f"K_{number}" for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        names_given = list(pool.map(lambda number: add_secret(place, names, f"secret-{number}", {}), range(8)))
    secrets = Secrets.load(place, {})
    assert sorted(names_given) == names
    assert {secrets.get(name) for name in names} == {f"secret-{number}" for number in range(8)}


def test_a_secrets_file_is_made_for_its_owner_alone(place):
    store_secret(place, "K", "value")
    assert stat.S_IMODE(place.secrets_file.stat().st_mode) == 0o600
    assert place.secrets_file.read_text() == "K=value\n"


def test_a_file_without_a_last_newline_and_one_that_others_read_are_mended(place):
    place.ensure()
    place.secrets_file.write_text("A=1")
    place.secrets_file.chmod(0o644)
    store_secret(place, "B", "2")
    assert place.secrets_file.read_text() == "A=1\nB=2\n"
    assert stat.S_IMODE(place.secrets_file.stat().st_mode) == 0o600


def test_a_secret_is_forgotten_wherever_it_stands(place):
    place.ensure()
    place.secrets_file.write_text(FILE)
    assert forget_secret(place, "OPENAI_API_KEY")
    assert "OPENAI_API_KEY" not in place.secrets_file.read_text()
    assert not forget_secret(place, "OPENAI_API_KEY")
    assert not forget_secret(place, "keys")


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=80))
def test_any_key_is_read_back_as_it_was(secret):
    with tempfile.TemporaryDirectory() as folder:
        place = Home(Path(folder))
        store_secret(place, "K", secret)
        assert Secrets.load(place, {}).get("K") == secret


def test_a_link_in_the_files_place_is_not_written_through(place, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "secrets"
    elsewhere.write_text("")
    place.secrets_file.symlink_to(elsewhere)
    with pytest.raises(ConfigFault) as caught:
        store_secret(place, "K", "value-1")
    assert caught.value.code == "config.not_written"
    assert "value-1" not in str(caught.value)
    assert elsewhere.read_text() == ""


def test_a_file_that_somebody_else_is_changing_is_waited_for_and_left(place):
    place.ensure()
    with FileLock(place.config_lock), pytest.raises(ConfigFault) as caught:
        store_secret(place, "K", "v", wait_s=0.0)
    assert caught.value.code == "config.busy"
