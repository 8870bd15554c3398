"""A running process: changes are taken over, broken files are not."""

import os

import pytest

from limen.config.paths import Home
from limen.config.reload import ReloadingConfig
from limen.core.fault import ConfigFault
from limen.kit.atomic import write_private


@pytest.fixture
def place(tmp_path) -> Home:
    write_private(tmp_path / "config.yaml", "web: {max_urls: 2}\n")
    return Home(tmp_path)


def test_a_change_is_taken_over_once(place):
    running = ReloadingConfig(place, {})
    assert running.refresh().changed is False
    write_private(place.config_file, "web: {max_urls: 33}\n")
    refreshed = running.refresh()
    assert (refreshed.changed, refreshed.loaded.config.web.max_urls, refreshed.problem) == (True, 33, None)
    assert running.current is refreshed.loaded
    assert running.refresh().changed is False


@pytest.mark.parametrize("broken", ["web: [\n", "web:\n\tx\n", "version: 99\n", "- a\n"])
def test_the_last_good_one_holds_while_the_file_is_broken_and_it_is_said_once(place, broken):
    running = ReloadingConfig(place, {})
    write_private(place.config_file, broken)
    refreshed = running.refresh()
    assert refreshed.loaded.config.web.max_urls == 2
    assert refreshed.problem is not None
    assert refreshed.problem.level == "error"
    assert "last good" in refreshed.problem.text
    assert str(place.config_file) in refreshed.problem.text
    assert refreshed.problem.mend
    assert running.refresh().problem is None
    write_private(place.config_file, "web: {max_urls: 4}\n")
    assert running.refresh().loaded.config.web.max_urls == 4


def test_a_file_that_goes_takes_no_setting_with_it(place):
    running = ReloadingConfig(place, {})
    place.config_file.unlink()
    refreshed = running.refresh()
    assert refreshed.problem is not None
    assert refreshed.problem.code == "config.gone"
    assert refreshed.loaded.config.web.max_urls == 2
    assert running.refresh().problem is None
    write_private(place.config_file, "web: {max_urls: 5}\n")
    assert running.refresh().loaded.config.web.max_urls == 5


def test_a_file_that_comes_is_read(tmp_path):
    running = ReloadingConfig(Home(tmp_path), {}, {"limits.steps": "3"})
    assert running.refresh().problem is None
    write_private(tmp_path / "config.yaml", "web: {max_urls: 5}\n")
    config = running.refresh().loaded.config
    assert (config.web.max_urls, config.limits.steps) == (5, 3)


def test_a_touched_file_with_the_same_settings_is_no_change(place):
    running = ReloadingConfig(place, {})
    os.utime(place.config_file, (1, 1))
    assert running.refresh().changed is False


def test_a_section_that_turns_bad_is_a_problem_and_not_a_halt(place):
    running = ReloadingConfig(place, {})
    write_private(place.config_file, "web: {max_urls: x}\nsecurity: {allow_private_hosts: 1}\n")
    refreshed = running.refresh()
    assert (refreshed.changed, refreshed.problem) == (True, None)
    assert [problem.level for problem in refreshed.loaded.problems] == ["warning", "error"]


def test_a_fresh_start_with_a_broken_file_stops(place):
    write_private(place.config_file, "web: [\n")
    with pytest.raises(ConfigFault):
        ReloadingConfig(place, {})


def test_the_environment_of_the_start_stays(place):
    env = {"LIMEN_WEB_MAX_URLS": "7"}
    running = ReloadingConfig(place, env)
    env.clear()
    write_private(place.config_file, "web: {max_urls: 44}\n")
    assert running.refresh().loaded.config.web.max_urls == 7


def test_what_two_lookers_find_is_told_once(place):
    watched = ReloadingConfig(place, {})
    beside = watched.beside()
    write_private(place.config_file, "limits: [1\n")
    problems = [looker.refresh().problem for looker in (beside, watched, beside, watched)]
    assert [problem.code for problem in problems if problem] == ["config.unreadable"]
