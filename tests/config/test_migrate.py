"""Older settings files are brought up to date, with a backup and a report; newer ones are refused."""

import pytest

from limen.config.load import load
from limen.config.migrate import Stepped, migrate
from limen.config.paths import Home
from limen.config.rewrite import with_value
from limen.core.fault import ConfigFault


def to_two(text: str) -> Stepped:
    return Stepped(with_value(text.replace("net:", "web:"), ("version",), 2, "f"), ("`net` is now `web`",))


def to_three(text: str) -> Stepped:
    return Stepped(with_value(text, ("version",), 3, "f"), ("`x` is gone",))


STEPS = {1: to_two, 2: to_three}


@pytest.fixture
def place(tmp_path) -> Home:
    home = Home(tmp_path)
    home.ensure()
    return home


@pytest.mark.parametrize("head", ["", "version: 1\n"])
def test_an_older_file_climbs_every_step_and_is_kept_beside(place, head):
    before = f"{head}# mine\nnet:\n  mode: cached # yes\n"
    place.config_file.write_text(before)
    migration = migrate(before, place, STEPS, 3)
    assert migration.parsed.values == {"version": 3, "web": {"mode": "cached"}}
    after = place.config_file.read_text()
    assert "# mine\nweb:\n  mode: cached # yes\n" in after
    backup = place.path / "config.yaml.v1.bak"
    assert backup.read_text() == before
    (problem,) = migration.problems
    assert (problem.level, problem.code) == ("notice", "config.migrated")
    assert all(part in problem.text for part in ("from version 1 to 3", "`net` is now `web`", "`x` is gone", str(backup)))
    assert migrate(after, place, STEPS, 3).problems == ()


def test_an_earlier_backup_is_not_overwritten(place):
    (place.path / "config.yaml.v1.bak").write_text("precious")
    place.config_file.write_text("net: {}\n")
    migrate("net: {}\n", place, STEPS, 3)
    assert (place.path / "config.yaml.v1.bak").read_text() == "precious"
    assert (place.path / "config.yaml.v1.bak.2").read_text() == "net: {}\n"


def test_a_file_that_cannot_be_rewritten_is_migrated_for_this_process(place):
    (place.path / "real").write_text("net: {mode: cached}\n")
    place.config_file.symlink_to("real")
    migration = migrate("net: {mode: cached}\n", place, STEPS, 3)
    assert migration.parsed.values == {"web": {"mode": "cached"}, "version": 3}
    (problem,) = migration.problems
    assert (problem.level, problem.code) == ("warning", "config.not_migrated")
    assert (place.path / "real").read_text() == "net: {mode: cached}\n"


def test_a_newer_file_is_refused_with_a_way_out(place):
    place.config_file.write_text("web: {}\nversion: 99\n")
    with pytest.raises(ConfigFault) as caught:
        load(place, {})
    fault = caught.value
    assert (fault.code, fault.place) == ("config.newer", f"{place.config_file}:2")
    assert "99" in fault.reason
    assert "update" in fault.mend
    assert place.config_file.read_text() == "web: {}\nversion: 99\n"


@pytest.mark.parametrize("version", ["one", "1.5", "true", "[1]", "0", "-1", "''", "~"])
def test_a_version_that_never_was_is_refused(place, version):
    place.config_file.write_text(f"version: {version}\n")
    with pytest.raises(ConfigFault) as caught:
        load(place, {})
    assert caught.value.code == "config.bad_version"


def test_a_step_that_stands_still_is_a_bug(place):
    place.config_file.write_text("version: 1\na: 1\n")
    with pytest.raises(AssertionError, match="version 1"):
        migrate("version: 1\na: 1\n", place, {1: Stepped}, 2)
    assert place.config_file.read_text() == "version: 1\na: 1\n"
