"""The schema as a list of keys."""

import re
from pathlib import Path

import msgspec
import pytest

from limen.config.keys import ANY, KEYS, SECTIONS, find, is_free, is_section, nearest, sections, unknown
from limen.config.schema import Config


@pytest.mark.parametrize("key", KEYS.values(), ids=lambda key: key.name)
def test_every_key_is_described_and_its_default_is_of_its_type(key):
    assert key.description.endswith("."), key.name
    assert key.expects != "a value"
    assert key.convert(msgspec.to_builtins(key.default)) == key.default


def takes(key, value):
    try:
        key.convert(value)
    except msgspec.ValidationError:
        return False
    return True


@pytest.mark.parametrize("key", KEYS.values(), ids=lambda key: key.name)
def test_what_a_key_must_be_reads_well(key):
    """One phrase behind "must be": no name of Python's, no two "or" for one choice, and what may be empty says so."""
    words = key.expects
    assert re.match(r"(?:an?|text|true|the|two|languages|`[^`]+`)(?=[ ,]|\Z)", words), words
    assert not words.endswith((".", ","))
    assert (words.count("`") % 2, words.count("(")) == (0, words.count(")"))
    plain = re.sub(r"`[^`]*`", "", words)
    assert not re.search(r"\b(?:str|int|float|bool|tuple|None|none|null|Literal|Annotated|one of)\b|[A-Za-z_]\[", plain), words
    assert not re.search(r"query or|[,)] or `none`.*or `none`|  ", words), words
    assert ("`none`" in words) == takes(key, None), words
    if takes(key, ""):
        assert words.startswith("text") or words.endswith("empty"), words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "providers.*.endpoint",
            "a URL such as `http://127.0.0.1:8080/v1`, without a user name, a password or a query, or `none`",
        ),
        ("providers.*.effort", "`minimal`, `low`, `medium`, `high`, `xhigh`, `max` or empty"),
        ("providers.*.quirks", "a list (each entry: a lower-case word), or `none`"),
        ("providers.*.window_tokens", "a whole number from 1,000 to 100,000,000, or `none`"),
        ("fallback.per_turn", "`one` or `chain`"),
        ("web.location.country", "two capital letters such as `DE`, or empty"),
        ("limits.time_s", "a number above 0 up to 31,536,000, or `none`"),
        ("evidence.enabled", "true or false"),
    ],
)
def test_each_kind_of_value_has_its_words(name, words):
    assert KEYS[name].expects == words


def test_every_section_is_described():
    assert [section.name for section in sections()] == list(SECTIONS)
    assert all(section.description for section in sections())
    assert {key.name for section in sections() for key in section.keys} == set(KEYS)


def test_the_defaults_of_the_list_are_those_of_the_types():
    values = msgspec.to_builtins(Config())
    for name, key in KEYS.items():
        if ANY in name:
            continue
        value = values
        for part in name.split("."):
            value = value[part]
        assert value == msgspec.to_builtins(key.default), name


def test_variables_are_unique():
    variables = [key.variable for key in KEYS.values() if key.variable]
    assert len(set(variables)) == len(variables)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("modle", "model"),
        ("Web", "web"),
        ("web.mod", "web.mode"),
        ("web.extract-char-limit", "web.extract_char_limit"),
        ("web.mode.x", "web.mode"),
        ("security.website_blacklist", "security.website_blocklist"),
        ("steps", "limits.steps"),
        ("limits.max_steps", "limits.steps"),
        ("extract_char_limit", "web.extract_char_limit"),
        ("providers.mine.endpont", "providers.mine.endpoint"),
        ("securty.allow_private_hosts", "security.allow_private_hosts"),
        ("gateway.discord.foo", None),
        ("", None),
        ("...", None),
    ],
)
def test_the_nearest_key_of_a_mistake(wrong, right):
    assert nearest(wrong) == right


@pytest.mark.parametrize("name", ["web", "security.website_blocklist", "providers.mine", "plugins"])
def test_a_section_is_no_setting_and_is_not_said_to_be_unknown(name):
    fault = unknown(name)
    assert "section" in fault.reason
    assert f"limen config get {name}" in fault.mend


def test_names_that_exist():
    assert find("web.mode") is not None
    key = find("providers.llama-cpp.wire")
    assert key is not None
    assert (key.name, key.variable) == ("providers.llama-cpp.wire", "LIMEN_PROVIDERS_LLAMA_CPP_WIRE")
    assert is_free("plugins.mine.a.b")
    assert is_section("web")
    assert is_section("security.website_blocklist")
    assert is_section("providers.x")


@pytest.mark.parametrize(
    "name", ["web", "providers.*.endpoint", "providers..endpoint", "providers.x", "providers.a b.model", "x"]
)
def test_names_that_do_not(name):
    assert find(name) is None
    assert not is_free(name)


def test_a_key_written_into_the_settings_is_sent_to_the_secrets_file():
    assert "secrets file" in unknown("providers.openai.api_key").mend
    assert "`limen config schema`" in unknown("gateway.discord.foo").mend
    assert "`model`" in unknown("modle").mend


def test_commands_in_what_the_program_says_name_keys_that_exist():
    said = re.compile(r"limen config (?:set|get|unset|explain) ([a-z][a-z_]*(?:\.[A-Za-z_-]+)+)")
    found = {
        (path.name, name)
        for path in (Path(__file__).parents[2] / "src" / "limen").rglob("*.py")
        for name in said.findall(path.read_text(encoding="utf-8"))
    }
    assert found
    assert {(file, name) for file, name in found if find(name) is None and not is_section(name)} == set()
