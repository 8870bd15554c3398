"""The home: where it is, and that it is private."""

import os
import stat
from pathlib import Path

import pytest

from limen.config.paths import Home
from limen.core.fault import ConfigFault


@pytest.mark.parametrize(
    ("root", "profile", "env", "command"),
    [
        ("/h", "main", {"LIMEN_HOME": "/h"}, "limen"),
        ("/h", "main", {}, "limen --home /h"),
        ("/a b", "main", {"LIMEN_HOME": "/h"}, "limen --home '/a b'"),
        ("/h", "work", {"LIMEN_HOME": "/h"}, "limen --profile work"),
        ("/h", "main", {"LIMEN_HOME": "/h", "LIMEN_PROFILE": "work"}, "limen --profile main"),
        ("/h", "main", {"LIMEN_HOME": "/h", "LIMEN_PROFILE": "../x"}, "limen --home /h --profile main"),
    ],
)
def test_how_a_shell_calls_us_for_a_home(root, profile, env, command):
    assert Home(Path(root), profile).command(env) == command


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_an_option_goes_before_the_environment_and_that_before_the_default(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    env = {"LIMEN_HOME": "/from/env", "LIMEN_PROFILE": "work"}
    assert Home.resolve(Path("/from/option"), "play", env) == Home(Path("/from/option"), "play")
    assert Home.resolve(None, None, env) == Home(Path("/from/env"), "work")
    assert Home.resolve(None, None, {}) == Home(tmp_path / ".limen", "main")
    assert Home.resolve(None, None, {"LIMEN_HOME": "", "LIMEN_PROFILE": ""}) == Home(tmp_path / ".limen", "main")


def test_a_tilde_and_a_relative_path_become_absolute(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert Home.resolve(None, None, {"LIMEN_HOME": "~/x"}).root == tmp_path / "x"
    assert Home.resolve(Path("y/../z"), None, {}).root == tmp_path / "z"


def test_the_main_profile_lives_in_the_home_and_others_beside_it():
    main, work = Home(Path("/h")), Home(Path("/h"), "team")
    assert main.config_file == Path("/h/config.yaml")
    assert work.config_file == Path("/h/profiles/team/config.yaml")
    assert [path.relative_to(work.path).as_posix() for path in (
        work.database, work.secrets_file, work.pages, work.logs, work.history_file
    )] == ["limen.db", ".env", "pages", "logs", "history"]  # fmt: skip


@pytest.mark.parametrize("name", ["../up", "a/b", "UPPER", ".hidden", "-x", "a" * 33, "a b", "ü", "a\n", "a\0"])
def test_a_profile_name_that_could_be_a_path_is_refused(name):
    with pytest.raises(ConfigFault) as caught:
        Home.resolve(None, name, {})
    assert (caught.value.code, caught.value.place) == ("home.bad_profile", "--profile")
    with pytest.raises(ConfigFault, match=r"home\.bad_profile") as caught:
        Home.resolve(None, None, {"LIMEN_PROFILE": name})
    assert caught.value.place == "LIMEN_PROFILE"


def test_an_unknown_user_is_a_bad_path():
    with pytest.raises(ConfigFault) as caught:
        Home.resolve(None, None, {"LIMEN_HOME": "~nobody-of-that-name/x"})
    assert caught.value.code == "home.bad_path"


def test_ensure_makes_private_folders_and_may_run_again(tmp_path):
    home = Home(tmp_path / "deep" / "home", "work")
    home.ensure()
    home.ensure()
    assert mode(home.root) == mode(home.path) == mode(home.root / "profiles") == 0o700


@pytest.mark.parametrize(("name", "content"), [("home", []), (".limen", ["config.yaml", "other"])])
def test_ensure_narrows_a_folder_that_is_new_or_named_ours(tmp_path, name, content):
    home = Home(tmp_path / name, "work")
    home.root.mkdir()
    home.root.chmod(0o755)
    for file in content:
        (home.root / file).touch()
    home.ensure()
    home.path.chmod(0o750)
    home.ensure()
    assert mode(home.path) == mode(home.root) == 0o700


def test_ensure_leaves_the_mode_of_a_folder_that_others_may_depend_on(tmp_path):
    home = Home(tmp_path / "site")
    home.root.mkdir()
    home.root.chmod(0o755)
    (home.root / "index.html").touch()
    for _ in range(2):
        home.ensure()
        home.config_file.touch()
    assert mode(home.root) == 0o755


@pytest.mark.parametrize("others", [["somebody"], [], ["config.yaml"]])
def test_a_folder_that_everyone_may_write_is_no_home(tmp_path, others):
    home = Home(tmp_path / "shared")
    home.root.mkdir()
    home.root.chmod(0o1777)
    for name in others:
        (home.root / name).touch()
    with pytest.raises(ConfigFault) as caught:
        home.ensure()
    assert caught.value.code == "home.shared"
    assert str(home.root / "limen") in caught.value.mend
    assert mode(home.root) == 0o1777


def test_a_file_in_its_place_is_said(tmp_path):
    (tmp_path / "home").write_text("x")
    with pytest.raises(ConfigFault) as caught:
        Home(tmp_path / "home").ensure()
    assert caught.value.code == "home.not_a_folder"
    assert str(tmp_path / "home") in caught.value.reason
    assert caught.value.mend


def test_a_profile_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "home" / "profiles").mkdir(parents=True)
    (tmp_path / "home" / "profiles" / "work").symlink_to(tmp_path)
    with pytest.raises(ConfigFault) as caught:
        Home(tmp_path / "home", "work").ensure()
    assert caught.value.code == "home.unusable"


def test_a_home_that_is_a_link_is_the_users_choice(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "real")
    Home(tmp_path / "home").ensure()
    assert mode(tmp_path / "real") == 0o700


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_that_may_not_be_written_is_said(tmp_path):
    home = Home(tmp_path / "home")
    home.root.mkdir(mode=0o500)
    with pytest.raises(ConfigFault) as caught:
        home.ensure()
    assert caught.value.code == "home.not_writable"
