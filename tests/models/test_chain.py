"""The chain: the entries that hold in their order, and a named reason for each that does not."""

import pytest

from limen.builtin.providers import provider_table
from limen.config.load import load
from limen.config.paths import Home
from limen.models.chain import chain_of, same_backend
from limen.models.resolve import Routes


@pytest.fixture
def chain(tmp_path):
    home = Home(tmp_path)

    def made(text, primary=""):
        home.config_file.write_text(text, encoding="utf-8")
        loaded = load(home, {})
        assert loaded.problems == ()
        routes = Routes(provider_table(), loaded.config.providers)
        return chain_of(loaded.config, routes, routes.route(primary) if primary else None)

    made.file = home.config_file
    return made


def test_entries_become_routes_in_their_order_the_older_setting_last(chain):
    routes, problems = chain("""\
fallback_model: {provider: openai, model: gpt-5-mini, context_length: 9000}
fallback_providers:
- openrouter/a/b
- {provider: custom, model: m, base_url: "http://127.0.0.1:9/v1", key: env:MINE, wire: anthropic_messages}
- limen/extractive
""")
    assert problems == ()
    assert [route.name for route in routes] == ["openrouter/a/b", "custom/m", "limen/extractive", "openai/gpt-5-mini"]
    assert [route.because for route in routes] == [
        "fallback_providers[1]", "fallback_providers[2]", "fallback_providers[3]", "fallback_model[1]",
    ]  # fmt: skip
    own = routes[1]
    assert (own.endpoint, own.credential, own.wire) == ("http://127.0.0.1:9/v1", "env:MINE", "anthropic_messages")
    assert routes[0].credential == "env:OPENROUTER_API_KEY"
    assert routes[3].window_tokens == 9_000


@pytest.mark.parametrize(
    ("entry", "code", "said", "mend"),
    [
        ("opnrouter/m", "fallback.bad_entry", "did you mean openrouter", "openrouter"),
        ("limen/other", "fallback.bad_entry", "no model", "limen/extractive"),
        ("{provider: custom, model: m}", "fallback.bad_entry", "no endpoint", "endpoint"),
        ("{provider: custom, model: m, base_url: 'http://[::1'}", "fallback.bad_entry", "base_url", ""),
        ("openai/gpt-5", "fallback.is_first", "openai/gpt-5 itself", "limen fallback remove 2"),
        ("{provider: custom, model: gpt-5, base_url: 'https://api.openai.com/v1/'}", "fallback.is_first", "itself", "remove"),
        ("openrouter/one", "fallback.duplicate", "`fallback_providers[1]`", "limen fallback remove 2"),
    ],
)
def test_what_is_passed_over_is_named_with_its_place(chain, entry, code, said, mend):
    routes, problems = chain(f"fallback_providers:\n- openrouter/one\n- {entry}\n- openrouter/two\n", primary="openai/gpt-5")
    kept = [route.name for route in routes if route.because != "fallback_providers[2]"]
    assert kept == ["openrouter/one", "openrouter/two"]
    assert (len(routes) == 3) == (code == "fallback.is_first")
    (problem,) = problems
    assert (problem.level, problem.code, problem.key) == ("warning", code, "fallback_providers[2]")
    assert problem.place == f"{chain.file}:3"
    assert said in problem.text
    assert mend in problem.mend


def test_the_same_model_elsewhere_is_another_route(chain):
    routes, problems = chain("""\
fallback_providers:
- {provider: custom, model: qwen, base_url: "http://127.0.0.1:1/v1"}
- {provider: custom, model: qwen, base_url: "http://127.0.0.1:2/v1"}
- {provider: custom, model: llama, base_url: "http://127.0.0.1:2/v1"}
""")
    assert problems == ()
    assert len(routes) == 3
    assert not same_backend(routes[0], routes[1])


def test_an_own_key_goes_to_its_entrys_endpoint_and_nowhere_else(chain, tmp_path):
    home = Home(tmp_path)
    text = "fallback_providers: [{provider: openai, model: m, base_url: 'http://127.0.0.1:9/v1', key: env:MINE}]\n"
    home.config_file.write_text(text)
    config = load(home, {}).config
    routes = Routes(provider_table(), config.providers)
    chain_of(config, routes)
    (binding,) = [binding for binding in routes.bindings() if binding.credential == "env:MINE"]
    assert (binding.endpoints, binding.hosts) == (("http://127.0.0.1:9/v1",), ())


def test_a_key_of_the_provider_does_not_follow_its_name_to_another_host(chain):
    (route,), _ = chain("fallback_providers: [{provider: openai, model: m, base_url: 'https://openai.example/v1'}]\n")
    assert route.credential is None
