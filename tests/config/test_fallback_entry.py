"""Other routes in the settings file: what an entry may say, and what a bad one costs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.config.edit import change_list, set_value
from limen.config.explain import explain
from limen.config.fallback_entry import FallbackEntry, read_entry
from limen.config.keys import KEYS
from limen.config.load import Loaded, load
from limen.config.paths import Home
from limen.config.problem import Problem
from limen.config.value import show_value
from limen.core.fault import ConfigFault

SECRET = "sk-or-" + "v1-0123456789abcdef0123"
# What vendors and their SDKs read, and what others call the same settings.
VENDORS = [
    *(f"{name}_API_KEY" for name in ("OPENAI", "ANTHROPIC", "OPENROUTER", "GROQ", "MISTRAL", "XAI", "GLM", "KIMI", "MINIMAX",
                                     "DEEPSEEK", "TOGETHER", "GOOGLE", "GEMINI", "AI_GATEWAY", "NOUS", "OLLAMA", "AZURE_OPENAI")),
    *(f"{name}_BASE_URL" for name in ("OPENAI", "ANTHROPIC", "OPENROUTER", "CUSTOM", "GROQ", "OLLAMA")),
    *("OPENAI_API_BASE", "OPENAI_MODEL", "ANTHROPIC_MODEL", "HF_TOKEN", "ANTHROPIC_AUTH_TOKEN", "HERMES_INFERENCE_PROVIDER"),
    *("HERMES_FALLBACK_MODEL", "FALLBACK_PROVIDERS", "FALLBACK_MODEL", "LLM_MODEL"),
]  # fmt: skip


@pytest.fixture
def place(tmp_path) -> Home:
    return Home(tmp_path)


def loaded(place: Home, text: str, env=None, flags=None) -> Loaded:
    place.config_file.write_text(text, encoding="utf-8")
    return load(place, env or {}, flags)


def test_the_short_form_and_the_long_one(place):
    result = loaded(place, """\
fallback_providers:
  - openrouter/openai/gpt-5-mini
  - provider: own
    model: m
    base_url: http://127.0.0.1:1/v1
    key: env:OWN_KEY
    wire: anthropic_messages
    window: 64000
  - https://llm.example/v1#qwen
""")  # fmt: skip
    assert result.problems == ()
    short, long, url = result.config.fallback_providers
    assert (short.provider, short.model) == ("openrouter", "openai/gpt-5-mini")
    assert (long.base_url, long.key, long.wire, long.window) == (
        "http://127.0.0.1:1/v1", "env:OWN_KEY", "anthropic_messages", 64_000,
    )  # fmt: skip
    assert (url.provider, url.model, url.base_url) == ("custom", "qwen", "https://llm.example/v1")
    assert [entry.at for entry in (short, long, url)] == [f"fallback_providers[{n}]" for n in (1, 2, 3)]
    assert [entry.place for entry in (short, long, url)] == [f"{place.config_file}:{line}" for line in (2, 3, 9)]


@pytest.mark.parametrize("form", ["fallback_model: {%s}\n", "fallback_model:\n  - {%s}\n"])
@pytest.mark.parametrize("key", ["api_key_env: GROQ_API_KEY", "key_env: GROQ_API_KEY", 'api_key: "${GROQ_API_KEY}"'])
def test_the_older_setting_is_read_with_its_own_words(place, form, key):
    result = loaded(place, form % f"provider: groq, model: m, {key}, api_mode: codex_responses, context_length: 32000")
    assert result.problems == ()
    (entry,) = result.config.fallback_model
    assert (entry.key, entry.wire, entry.window, entry.at) == ("env:GROQ_API_KEY", "codex_responses", 32_000, "fallback_model[1]")


@pytest.mark.parametrize(
    ("entry", "said", "mend"),
    [
        ("{model: m}", "names no provider", "provider/model"),
        ("{provider: groq}", "names no model", "provider/model"),
        ("groq", "names no model", "provider/model"),
        ("/m", "names no provider", "provider/model"),
        ("''", "names no provider", "provider/model"),
        ("7", "names no route", "provider/model"),
        ("[a/b]", "names no route", "provider/model"),
        ("~", "names no route", "provider/model"),
        ("{provider: 7, model: m}", "`provider`", "text"),
        ("{provider: groq, model: m, wire: soap}", "`wire`", "chat_completions"),
        ("{provider: groq, model: m, base_url: llm.example}", "`base_url`", "http"),
        ("{provider: groq, model: m, window: big}", "`window`", "1,000"),
        ("{provider: groq, model: m, window: 12}", "`window`", "1,000"),
        ("{provider: groq, model: m, window: true}", "`window`", "1,000"),
        ("{provider: '  ', model: m}", "names no provider", "provider/model"),
        ("{provider: groq, modle: m}", "`modle`", "did you mean `model`?"),
        ("{provider: groq, model: m, quux: 1}", "`quux`", "an entry has `provider`"),
        ("{provider: groq, model: m, window: 64000, context_length: 8000}", "twice", "remove `context_length`"),
    ],
)  # fmt: skip
def test_a_bad_entry_is_named_with_its_place_and_costs_the_others_nothing(place, entry, said, mend):
    result = loaded(place, f"fallback_providers:\n- a/b\n- {entry}\n- c/d\n")
    assert [one.route for one in result.config.fallback_providers] == ["a/b", "c/d"]
    assert [one.at for one in result.config.fallback_providers] == ["fallback_providers[1]", "fallback_providers[3]"]
    (problem,) = result.problems
    assert (problem.level, problem.code) == ("warning", "fallback.bad_entry")
    assert (problem.place, problem.key) == (f"{place.config_file}:3", "fallback_providers[2]")
    assert "`fallback_providers[2]`" in problem.text
    assert said in problem.text
    assert mend in problem.mend


@pytest.mark.parametrize("field", ["key", "api_key", "token", "key_env", "api_key_env"])
def test_a_key_in_clear_is_refused_and_never_repeated(place, field):
    result = loaded(place, f"fallback_model: {{provider: openrouter, model: m, {field}: {SECRET}}}\n")
    assert result.config.fallback_model == ()
    (problem,) = result.problems
    assert (problem.level, problem.code) == ("warning", "fallback.key_in_clear")
    assert "env:NAME" in problem.mend
    assert SECRET not in repr(result)


@pytest.mark.parametrize("key", ["env:A_B", "file:~/keys/a", "cmd:pass show llm", "keyring:limen/groq", "oauth:codex"])
def test_references_to_keys_are_taken(key):
    entry = read_entry({"provider": "groq", "model": "m", "key": key}, "x[1]", "f:1")
    assert isinstance(entry, FallbackEntry)
    assert entry.key == key


def test_no_variable_and_no_option_makes_a_chain(place):
    value = '[{"provider": "openrouter", "model": "m"}]'
    ours = [key.variable for key in KEYS.values() if key.variable]
    forged = [f"LIMEN_{name.upper().replace('.', '_').replace('*', 'NAME')}" for name in KEYS]
    forged += ["LIMEN_FALLBACK", "LIMEN_FALLBACK_CHAIN", "LIMEN_FALLBACK_PROVIDER", "LIMEN_MODEL", "LIMEN_FALLBACK_PROVIDERS_0"]
    for text in (value, "openrouter/m"):
        env = dict.fromkeys([*ours, *forged, *VENDORS], text)
        result = loaded(place, "", env)
        assert (result.config.fallback_providers, result.config.fallback_model) == ((), ())
        unheard = {problem.place: problem for problem in result.problems if problem.code == "config.file_only"}
        assert {"LIMEN_FALLBACK_PROVIDERS", "LIMEN_FALLBACK_MODEL"} <= set(unheard)
        assert "limen fallback add" in unheard["LIMEN_FALLBACK_PROVIDERS"].mend
    for name in ("fallback_providers", "fallback_model"):
        with pytest.raises(ConfigFault) as caught:
            loaded(place, "", flags={name: value})
        assert caught.value.code == "config.own_command"


def test_settings_of_the_surroundings_change_nothing_about_a_chain_of_the_file(place):
    env = {"LIMEN_FALLBACK_PROVIDERS": "[]", "LIMEN_FALLBACK_MODEL": "none"}
    assert [one.route for one in loaded(place, "fallback_providers: [a/b]\n", env).config.fallback_providers] == ["a/b"]


def test_the_command_of_its_own_is_named_where_another_would_write_it(place):
    for write in (
        lambda: set_value(place, "fallback_providers", "a/b"),
        lambda: change_list(place, "fallback_model", add=["a/b"]),
    ):
        with pytest.raises(ConfigFault) as caught:
            write()
        assert (caught.value.code, caught.value.mend) == ("config.own_command", "limen fallback add ROUTE")


def test_it_is_explained_and_shown_as_a_person_writes_it(place):
    result = loaded(place, "fallback_providers:\n- a/b\n- {provider: c, model: d, window: 8000}\n")
    explanation = explain(result, "fallback_providers")
    assert (explanation.source, explanation.place, explanation.variable) == ("file", f"{place.config_file}:1", "")
    assert show_value(explanation.value) == '["a/b", {"provider": "c", "model": "d", "window": 8000}]'


@pytest.mark.parametrize("value", ["7", "a/b", "true", "{provider: a}"])
def test_what_is_no_list_is_one_entry(place, value):
    result = loaded(place, f"fallback_providers: {value}\n")
    assert len(result.config.fallback_providers) + len(result.problems) == 1


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["provider", "key", "a/b", SECRET]),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["provider", "model", "key", "wire", "x"]) | st.text(), inner)
    ),
    max_leaves=8,
)


@given(anything)
def test_whatever_stands_there_is_an_entry_or_a_problem(value):
    found = read_entry(value, "fallback_providers[1]", "f:1")
    if isinstance(found, FallbackEntry):
        again = read_entry(found.written(), "fallback_providers[1]", "f:1")
        assert again == found
        assert SECRET not in found.key
    else:
        assert isinstance(found, Problem)
        assert SECRET not in found.text + found.mend
