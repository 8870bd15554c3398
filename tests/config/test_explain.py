"""Why a setting has its value."""

import pytest

from limen.config.explain import Said, explain
from limen.config.load import load
from limen.config.paths import Home
from limen.core.fault import ConfigFault


@pytest.fixture
def place(tmp_path) -> Home:
    return Home(tmp_path)


def test_the_winner_is_named_with_everything_it_overrides(place):
    place.config_file.write_text("web:\n  max_urls: 2\n")
    told = explain(load(place, {"LIMEN_WEB_MAX_URLS": "3"}, {"web.max_urls": "4"}), "web.max_urls")
    assert (told.value, told.source, told.default) == (4, "flag", 5)
    assert told.overridden == (
        Said("environment", 3, "LIMEN_WEB_MAX_URLS"),
        Said("file", 2, f"{place.config_file}:2"),
        Said("default", 5),
    )
    assert told.expects == "a whole number from 1 to 50"
    assert told.description
    assert told.variable == "LIMEN_WEB_MAX_URLS"


def test_a_default_overrides_nothing(place):
    told = explain(load(place, {}), "web.mode")
    assert (told.value, told.source, told.place, told.overridden) == ("live", "default", "", ())


def test_a_setting_in_vain_is_said_with_the_reason(place):
    place.config_file.write_text("reader:\n  max_redirects: 3\n  max_bytes: lots\n")
    told = explain(load(place, {"LIMEN_READER_MAX_REDIRECTS": "x"}), "reader.max_redirects")
    assert (told.value, told.source) == (5, "default")
    assert told.ignored == ("LIMEN_READER_MAX_REDIRECTS", f"{place.config_file}:2")
    assert {problem.key for problem in told.problems} == {"reader.max_bytes", "reader.max_redirects"}


def test_problems_elsewhere_are_not_told(place):
    place.config_file.write_text("reader: {max_bytes: lots}\nlibrary: {search: [a]}\n")
    assert explain(load(place, {}), "library.search").problems == ()


def test_providers_and_plugins_are_explained_by_their_names(place):
    place.config_file.write_text("providers: {own: {model: m}}\nplugins:\n  mine: {a: {b: 1}}\n")
    loaded = load(place, {})
    told = explain(loaded, "providers.own.model")
    assert (told.value, told.source, told.overridden) == ("m", "file", (Said("default", None),))
    assert explain(loaded, "providers.other.model").source == "default"
    told = explain(loaded, "plugins.mine.a.b")
    assert (told.value, told.source, told.place) == (1, "file", f"{place.config_file}:3")
    assert explain(loaded, "plugins.mine.a.zz").value is None


@pytest.mark.parametrize("name", ["modle", "web", "web.mod", "", "plugins", "providers.own"])
def test_what_is_no_key_is_refused(place, name):
    with pytest.raises(ConfigFault) as caught:
        explain(load(place, {}), name)
    assert caught.value.code == "config.unknown_key"
