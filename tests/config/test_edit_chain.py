"""Changing the chain in the settings file: one entry comes or goes, and nothing else does."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limen.config.edit_chain import add_entry, clear_entries, remove_entry
from limen.config.fallback_entry import FallbackEntry
from limen.config.load import load
from limen.config.parse import parse
from limen.config.paths import Home
from limen.config.rewrite_list import with_item, without_item
from limen.core.fault import ConfigFault

LONG = FallbackEntry(provider="own", model="m", base_url="http://127.0.0.1:1/v1", key="env:OWN")
SHORT = FallbackEntry(provider="groq", model="a/b")

WRITTEN = """\
# my settings
fallback_providers:   # who else
  # the cheap one
  - openrouter/a   # by night
  # - dashes in a comment
  - provider: groq
    model: b   # the second

  - openai/c
# the end
web: {mode: live}
"""


@pytest.fixture
def place(tmp_path) -> Home:
    return Home(tmp_path / "home")


def written(place: Home, text: str) -> Home:
    place.ensure()
    place.config_file.write_bytes(text.encode())
    return place


def text_of(place: Home) -> str:
    return place.config_file.read_bytes().decode()


def names(place: Home) -> list[str]:
    config = load(place, {}).config
    return [entry.route for entry in (*config.fallback_providers, *config.fallback_model)]


def test_the_first_entry_makes_the_list(place):
    edited = add_entry(place, SHORT)
    assert edited.changed
    assert text_of(place).endswith("\nfallback_providers:\n  - groq/a/b\n")
    add_entry(place, LONG)
    assert text_of(place).endswith(
        "  - groq/a/b\n  - provider: own\n    model: m\n    base_url: http://127.0.0.1:1/v1\n    key: env:OWN\n"
    )
    assert names(place) == ["groq/a/b", "own/m"]


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (None, ["openrouter/a", "groq/b", "openai/c", "own/m"]),
        (1, ["own/m", "openrouter/a", "groq/b", "openai/c"]),
        (2, ["openrouter/a", "own/m", "groq/b", "openai/c"]),
        (3, ["openrouter/a", "groq/b", "own/m", "openai/c"]),
        (99, ["openrouter/a", "groq/b", "openai/c", "own/m"]),
        (-5, ["own/m", "openrouter/a", "groq/b", "openai/c"]),
    ],
)
def test_an_entry_takes_its_place_and_every_other_line_stays(place, at, expected):
    add_entry(written(place, WRITTEN), LONG, at=at)
    assert names(place) == expected
    after = text_of(place).splitlines()
    assert [line for line in after if line in WRITTEN.splitlines()] == WRITTEN.splitlines()
    assert len(after) == len(WRITTEN.splitlines()) + 4


def test_a_comment_stays_with_the_entry_it_stands_above(place):
    add_entry(written(place, WRITTEN), SHORT, at=1)
    assert "who else\n  - groq/a/b\n  # the cheap one\n  - openrouter/a" in text_of(place)


@pytest.mark.parametrize(
    ("at", "gone"),
    [
        ("fallback_providers[1]", "  - openrouter/a   # by night\n"),
        ("fallback_providers[2]", "  - provider: groq\n    model: b   # the second\n"),
        ("fallback_providers[3]", "  - openai/c\n"),
    ],
)
def test_an_entry_goes_and_every_other_line_stays(place, at, gone):
    remove_entry(written(place, WRITTEN), at)
    assert text_of(place) == WRITTEN.replace(gone, "")


@pytest.mark.parametrize(
    "text",
    [
        "fallback_providers:\n- a/b\nweb: {mode: live}\n",
        "web: {mode: live}\nfallback_model: {provider: a, model: b}\n",
    ],
)
def test_the_last_entry_takes_the_list_along(place, text):
    name = "fallback_providers" if "providers" in text else "fallback_model"
    remove_entry(written(place, text), f"{name}[1]")
    assert text_of(place) == "web: {mode: live}\n"


@pytest.mark.parametrize("at", ["fallback_providers[4]", "fallback_providers[0]", "fallback_model[1]", "web[1]", ""])
def test_an_entry_that_is_not_there_is_said(place, at):
    with pytest.raises(ConfigFault) as caught:
        remove_entry(written(place, WRITTEN), at)
    assert (caught.value.code, caught.value.mend) == ("fallback.unknown", "limen fallback list")
    assert text_of(place) == WRITTEN


@pytest.mark.parametrize(
    "older",
    [
        "{provider: openai, model: x, api_key_env: OPENAI_API_KEY, context_length: 9000}",
        "\n  provider: openai\n  model: x\n  key_env: OPENAI_API_KEY\n  context_length: 9000",
        "\n- provider: openai\n  model: x\n  key_env: OPENAI_API_KEY\n  context_length: 9000",
    ],
)
def test_adding_moves_what_stands_under_the_older_name_in_todays_words(place, older):
    add_entry(written(place, f"# mine\nfallback_model: {older}\n# end\nlimits: {{steps: 3}}\n"), SHORT)
    values = parse(text_of(place), "f").values
    assert values["fallback_providers"] == [
        {"provider": "openai", "model": "x", "key": "env:OPENAI_API_KEY", "window": 9_000}, "groq/a/b",
    ]  # fmt: skip
    assert "fallback_model" not in values
    assert "# mine\n" in text_of(place)
    assert "# end\nlimits: {steps: 3}\n" in text_of(place)


def test_what_cannot_be_read_moves_as_it_is(place):
    add_entry(written(place, "fallback_model: [{provider: a, modle: b}, c/d]\n"), SHORT, at=1)
    assert parse(text_of(place), "f").values["fallback_providers"] == ["groq/a/b", {"provider": "a", "modle": "b"}, "c/d"]


@pytest.mark.parametrize(
    "empty",
    [
        "",
        "# nothing yet\n",
        "fallback_providers:\n",
        "fallback_providers: ~\n",
        "fallback_providers: []\n",
        "fallback_providers: [ ]  # none\n",
        "{version: 1}\n",
        "web:\n  mode: live",
    ],
)
def test_any_way_of_having_no_list_takes_an_entry(place, empty):
    add_entry(written(place, empty), LONG)
    assert names(place) == ["own/m"]
    assert empty.rstrip("\n").partition("#")[2] in text_of(place)


@pytest.mark.parametrize("text", ["fallback_providers: openai/gpt\n", "fallback_providers: {provider: a, model: b}\n"])
def test_one_value_in_place_of_a_list_is_left_to_an_editor(place, text):
    with pytest.raises(ConfigFault) as caught:
        add_entry(written(place, text), SHORT)
    assert caught.value.code == "config.by_hand"
    assert text_of(place) == text


def test_clearing_takes_both_names_and_nothing_else(place):
    clear_entries(written(place, "fallback_model: [a/b]\n" + WRITTEN))
    assert text_of(place) == "# my settings\n# the end\nweb: {mode: live}\n"
    assert not clear_entries(place).changed


def test_line_ends_of_another_system_stay(place):
    add_entry(written(place, WRITTEN.replace("\n", "\r\n")), LONG, at=2)
    assert "\n" not in text_of(place).replace("\r\n", "")
    assert names(place)[1] == "own/m"


words = st.text(st.characters(codec="utf-8", exclude_categories=("C",)), min_size=1, max_size=8)
items = st.one_of(words, st.dictionaries(words, words | st.integers(), min_size=1, max_size=3))


@settings(max_examples=150, deadline=None)
@given(st.lists(items, max_size=4), items, st.integers(0, 6), st.sampled_from(["", "# above\n", "web: {}\n"]))
def test_any_entry_comes_and_goes_without_a_trace(before, item, index, head):
    text = head
    for one in before:
        text = with_item(text, "fallback_providers", 99, one, "f")
    after = with_item(text, "fallback_providers", index, item, "f")
    place = min(index, len(before))
    assert parse(after, "f").values["fallback_providers"] == [*before[:place], item, *before[place:]]
    assert without_item(after, "fallback_providers", place, "f") == text
