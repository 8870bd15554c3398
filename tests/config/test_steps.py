"""What each version of the settings file becomes in the next."""

import pytest

from limen.config.load import load
from limen.config.migrate import migrate
from limen.config.parse import parse
from limen.config.paths import Home
from limen.config.schema import VERSION
from limen.config.steps import to_version_2


@pytest.fixture
def place(tmp_path) -> Home:
    home = Home(tmp_path)
    home.ensure()
    return home


def test_the_second_model_becomes_that_of_the_only_job_it_had(place):
    before = "# mine\nmodel:\n  route: openai/big\n  # cheap\n  auxiliary: openai/small  # for pages\nui: {color: never}\n"
    place.config_file.write_text(before)
    result = load(place, {})
    assert result.config.auxiliary.fetch == "openai/small"
    assert (result.config.auxiliary.title, result.config.model.route) == ("auto", "openai/big")
    (problem,) = result.problems
    assert (problem.level, problem.code) == ("notice", "config.migrated")
    assert "`model.auxiliary` is now `auxiliary.fetch`" in problem.text
    after = place.config_file.read_text()
    assert "  fetch: openai/small  # for pages\n" in after
    assert after.startswith("# mine\nmodel:\n  route: openai/big\n  # cheap\n")
    assert (place.path / "config.yaml.v1.bak").read_text() == before
    assert load(place, {}).problems == ()


@pytest.mark.parametrize(
    ("before", "fetch"),
    [
        ("model: {route: a/b, auxiliary: c/d}\n", "c/d"),
        ("model: {auxiliary: c/d}\n", "c/d"),
        ("version: 1\nmodel:\n  auxiliary: c/d\n", "c/d"),
        ("model:\n  auxiliary: ''  # none\n", "off"),
        ("model:\n  auxiliary:\n", "off"),
        ("model: {auxiliary: c/d}\nauxiliary: {fetch: e/f}\n", "e/f"),
        ("model: {auxiliary: c/d}\nauxiliary:\n  title: off\n", "c/d"),
        ("model: {auxiliary: 'http://127.0.0.1:1/v1#m'}\n", "http://127.0.0.1:1/v1#m"),
    ],
)
def test_any_way_of_writing_it_is_moved(before, fetch):
    stepped = to_version_2(before)
    values = parse(stepped.text, "f").values
    assert values["version"] == 2
    assert values["auxiliary"]["fetch"] == fetch
    assert "auxiliary" not in values.get("model", {})
    assert len(stepped.changes) == 1


@pytest.mark.parametrize("text", ["web: {mode: live}\n", "# nothing\n", "model: {route: a/b}\n"])
def test_a_file_without_a_number_and_without_anything_to_change_is_left_alone(place, text):
    place.config_file.write_text(text)
    assert migrate(text, place).problems == ()
    assert place.config_file.read_text() == text


def test_what_only_an_editor_can_change_still_opens(place):
    text = "version: 1\nx: &x\n  route: a/b\n  auxiliary: c/d\nmodel: *x\n"
    place.config_file.write_text(text)
    result = load(place, {})
    assert {problem.code for problem in result.problems} == {"config.migrated", "config.unknown_key"}
    assert result.config.auxiliary.fetch == "auto"
    assert f"version: {VERSION}" in place.config_file.read_text()
