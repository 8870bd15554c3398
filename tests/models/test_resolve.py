import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.builtin.providers import PROVIDERS, provider_table
from limen.config.schema import Provider as Settings
from limen.core.fault import ConfigFault
from limen.core.provider import KnownModel, Provider
from limen.core.route import Price
from limen.models import quirks
from limen.models.credentials import KeyBinding
from limen.models.resolve import Routes, Wishes


def routes(settings=None, **more):
    return Routes({**provider_table(), **more}, settings)


def test_the_strongest_wish_wins_and_says_so():
    table = routes()
    wishes = Wishes("openai/a", "openai/b", "openai/c")
    for at in range(3):
        route = table.resolve(Wishes(*("" if index < at else wish for index, wish in enumerate(wishes))))
        assert route.name == wishes[at]
        assert route.because
    default = table.resolve(Wishes())
    assert (default.name, default.wire) == ("limen/extractive", "embedded")
    assert default.because
    assert table.resolve(Wishes(explicit="  ")).name == "limen/extractive"


@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [
        ("openai/gpt-4.1", "openai", "gpt-4.1"),
        ("OpenAI/gpt-4.1", "openai", "gpt-4.1"),
        ("openrouter/anthropic/claude-sonnet-4", "openrouter", "anthropic/claude-sonnet-4"),
        ("ollama/qwen3:8b", "ollama", "qwen3:8b"),
        ("llama.cpp", "llama.cpp", ""),
        ("llama.cpp/", "llama.cpp", ""),
        ("llama.cpp/auto", "llama.cpp", ""),
        ("limen", "limen", "extractive"),
        (" limen/extractive ", "limen", "extractive"),
        ("http://127.0.0.1:9/v1", "custom", ""),
        ("http://127.0.0.1:9/v1/#qwen/x#y", "custom", "qwen/x#y"),
    ],
)
def test_names(name, provider, model):
    route = routes().route(name)
    assert (route.provider, route.model) == (provider, model)


def test_an_endpoint_by_url_gets_no_key():
    route = routes().route("https://api.openai.com/v1#gpt-4.1")
    assert route.credential is None
    assert route.endpoint == "https://api.openai.com/v1"


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("opnai/gpt-4.1", "model.unknown_provider", "did you mean openai"),
        ("gpt-4.1", "model.unknown_provider", "gpt-4.1"),
        ("/x", "model.unknown_provider", "no provider"),
        ("", "model.unknown_provider", "no provider"),
        ("huggingface", "model.no_model", "huggingface"),
        ("huggingface/", "model.no_model", "huggingface"),
        ("azure/x", "model.no_endpoint", "providers.azure.endpoint"),
        ("custom/x", "model.no_endpoint", "custom"),
        ("http://user@host/v1", "config.value", "user name"),
        ("http://", "config.value", "endpoint"),
        ("openai/a\x1b[31mb", "config.value", "spelling"),
        ("openai/" + "x" * 400, "config.value", "spelling"),
    ],
)
def test_names_that_cannot_be_routes(name, code, words):
    with pytest.raises(ConfigFault) as caught:
        routes().route(name)
    assert caught.value.code == code
    assert words in f"{caught.value.reason} {caught.value.mend}"
    assert caught.value.mend


def test_an_unknown_provider_lists_the_known():
    with pytest.raises(ConfigFault) as caught:
        routes().route("nobody/x")
    for provider in PROVIDERS:
        assert provider.name in caught.value.mend


@given(st.text(max_size=30))
def test_any_name_is_a_route_or_a_fault(name):
    try:
        route = routes().route(name)
    except ConfigFault:
        return
    assert route.provider


def test_settings_change_a_provider_and_bind_its_key_to_the_new_place():
    table = routes({"openai": Settings(endpoint="https://llm.example/v1", window_tokens=32_000, quirks=("no_images",))})
    route = table.route("openai/x")
    assert (route.endpoint, route.window_tokens, route.quirks) == (
        "https://llm.example/v1",
        32_000,
        frozenset({"no_images"}),
    )
    assert table.knows_window(route)
    assert KeyBinding("env:OPENAI_API_KEY", endpoints=("https://llm.example/v1",)) in table.bindings()
    assert KeyBinding("env:OPENAI_API_KEY", hosts=("api.openai.com",)) in table.bindings()


def test_a_new_name_is_a_new_provider():
    table = routes(
        {"mypod": Settings(endpoint="https://pod.example/v1", api_key_env="POD_KEY", model="big", wire="chat_completions")}
    )
    route = table.route("mypod")
    assert (route.model, route.credential, route.wire) == ("big", "env:POD_KEY", "chat_completions")
    assert table.bindings()[-1] == KeyBinding("env:POD_KEY", endpoints=("https://pod.example/v1",), required=True)


def test_another_key_for_a_known_provider_goes_to_its_host_alone():
    table = routes({"openai": Settings(api_key_env="SECOND_KEY")})
    assert table.route("openai/x").credential == "env:SECOND_KEY"
    assert [binding for binding in table.bindings() if binding.credential == "env:SECOND_KEY"] == [
        KeyBinding("env:SECOND_KEY", hosts=("api.openai.com",))
    ]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (Settings(endpoint="https://u:p@x.example/v1"), "endpoint"),
        (Settings(quirks=("flat_contents",)), "flat_content"),
        (Settings(quirks=("zzz",)), "alternate"),
    ],
)
def test_settings_that_cannot_be_used(setting, words):
    with pytest.raises(ConfigFault, match=words):
        routes({"openai": setting})


def test_what_is_known_of_a_model_goes_before_its_providers_defaults():
    provider = Provider(
        "p", "chat_completions", endpoint="https://p.example/v1", window_tokens=10_000,
        models=(KnownModel("big", 100_000, 50_000, Price(1.0, 2.0)),),
    )  # fmt: skip
    table = Routes({"p": provider}, output_tokens=8_000)
    assert (table.route("p/big").window_tokens, table.route("p/big").output_tokens) == (100_000, 8_000)
    assert table.route("p/big").price == Price(1.0, 2.0)
    assert (table.route("p/small").window_tokens, table.route("p/small").output_tokens) == (10_000, 2_500)
    assert table.knows_window(table.route("p/big"))
    assert not table.knows_window(table.route("p/small"))
