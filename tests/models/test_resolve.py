import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.builtin.providers import PROVIDERS, provider_table
from limen.config.fallback_entry import FallbackEntry
from limen.config.schema import Provider as Settings
from limen.core.fault import ConfigFault
from limen.core.message import Message, Text
from limen.core.prompt_cache import PromptCache
from limen.core.provider import KnownModel, Provider
from limen.core.route import Price
from limen.models import quirks
from limen.models.credentials import KeyBinding
from limen.models.history import render
from limen.models.resolve import Routes, Wishes
from limen.net.url import parse


def routes(settings=None, **more):
    return Routes(provider_table(), settings, **more)


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


@pytest.mark.parametrize(
    "url", ["https://me:{}@llm.example/v1", "https://llm.example/v1?api_key={}", "https://llm.example/v1?{}#m"]
)
def test_a_url_with_a_key_in_it_is_no_route_and_is_not_said_again(url):
    secret = "sk-" + "proj-inurl1234567890"
    with pytest.raises(ConfigFault) as caught:
        routes().route(url.format(secret))
    assert caught.value.code == "config.value"
    assert secret not in str(caught.value)


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


# What surroundings may hold: every variable of every provider.
VARIABLES = [name for provider in PROVIDERS for name in provider.variables]


def test_a_key_in_the_environment_offers_its_provider_where_nobody_chose():
    table = routes(is_set={"OPENROUTER_API_KEY"}.__contains__)
    route = table.resolve(Wishes())
    assert (route.provider, route.credential) == ("openrouter", "env:OPENROUTER_API_KEY")
    assert route.because == "OPENROUTER_API_KEY is set and no route was chosen"
    notice = table.offer(Wishes()).notice
    assert route.name in notice
    assert "OPENROUTER_API_KEY" in notice


@pytest.mark.parametrize("wishes", [Wishes(explicit="ollama/x"), Wishes(variable="ollama/x"), Wishes(configured="ollama/x")])
def test_no_key_in_the_environment_changes_what_was_chosen(wishes):
    table = routes(is_set=VARIABLES.__contains__)
    assert table.resolve(wishes).name == "ollama/x"
    assert table.offer(wishes) is None


def test_a_chosen_extractive_stays_it():
    assert routes(is_set=VARIABLES.__contains__).resolve(Wishes(configured="limen/extractive")).name == "limen/extractive"


@given(st.sets(st.sampled_from(VARIABLES)))
def test_of_several_keys_the_first_provider_in_the_tables_order_is_offered(variables):
    ready = [one for one in PROVIDERS if variables & set(one.variables) and one.default_model and one.endpoint]
    route = routes(is_set=variables.__contains__).resolve(Wishes())
    assert route.provider == (ready[0].name if ready else "limen")
    if ready:
        variable = next(name for name in ready[0].variables if name in variables)
        assert route.credential == f"env:{variable}"
        assert variable in route.because


def test_a_provider_without_a_model_of_its_own_is_not_offered():
    assert routes(is_set={"HF_TOKEN"}.__contains__).resolve(Wishes()).name == "limen/extractive"
    table = routes({"huggingface": Settings(model="org/big")}, is_set={"HF_TOKEN"}.__contains__)
    assert table.resolve(Wishes()).name == "huggingface/org/big"


def test_the_first_variable_that_is_set_is_the_key():
    assert routes().route("zai/x").credential == "env:GLM_API_KEY"
    route = routes(is_set={"Z_AI_API_KEY", "ZAI_API_KEY"}.__contains__).route("z.ai/x")
    assert (route.credential, route.pool) == ("env:ZAI_API_KEY", ())


def test_several_keys_are_a_pool_bound_alike():
    setting = Settings(endpoint="https://proxy.example/v1", keys=("env:SECOND", "file:/key", "env:SECOND"))
    table = routes({"openai": setting}, is_set={"OPENAI_API_KEY"}.__contains__)
    route = table.route("openai/x")
    assert route.credential == "env:OPENAI_API_KEY"
    assert route.pool == ("env:OPENAI_API_KEY", "env:SECOND", "file:/key")
    for key in route.pool:
        assert KeyBinding(key, hosts=("api.openai.com",)) in table.bindings()
        assert KeyBinding(key, endpoints=("https://proxy.example/v1",)) in table.bindings()


def test_a_pool_does_without_a_variable_that_is_not_set():
    route = routes({"openai": Settings(keys=("env:SECOND", "env:THIRD"))}).route("openai/x")
    assert (route.credential, route.pool) == ("env:SECOND", ("env:SECOND", "env:THIRD"))
    route = routes({"openai": Settings(keys=("env:SECOND",))}).route("openai/x")
    assert (route.credential, route.pool) == ("env:SECOND", ())


@pytest.mark.parametrize(
    ("provider", "setting", "wire"),
    [
        ("openrouter", Settings(), "chat_completions"),
        ("openrouter", Settings(endpoint="https://gate.example/anthropic"), "anthropic_messages"),
        ("openrouter", Settings(endpoint="https://gate.example/Anthropic/v1/"), "anthropic_messages"),
        ("openrouter", Settings(endpoint="https://gate.example/anthropic/v1", wire="chat_completions"), "chat_completions"),
        ("openrouter", Settings(endpoint="https://gate.example/not-anthropic"), "chat_completions"),
        ("openrouter", Settings(endpoint="https://anthropic.example/v1"), "chat_completions"),
        ("minimax", Settings(), "anthropic_messages"),
        ("minimax", Settings(endpoint="https://api.minimax.io/v1"), "chat_completions"),
        ("anthropic", Settings(endpoint="http://127.0.0.1:9/v1"), "anthropic_messages"),
        ("codex", Settings(endpoint="http://127.0.0.1:9/v1"), "codex_responses"),
        ("mine", Settings(endpoint="https://chatgpt.com/backend-api/codex"), "codex_responses"),
        ("mine", Settings(endpoint="https://chatgpt.com.evil.example/backend-api/codex"), "chat_completions"),
        ("mine", Settings(endpoint="https://api.anthropic.com"), "anthropic_messages"),
        ("mine", Settings(endpoint="https://api.anthropic.com.evil.example"), "chat_completions"),
    ],
)
def test_the_wire_follows_the_endpoint(provider, setting, wire):
    assert routes({provider: setting}).route(f"{provider}/x").wire == wire


@pytest.mark.parametrize(
    ("url", "wire"),
    [
        ("https://api.anthropic.com/v1#x", "anthropic_messages"),
        ("https://api.deepseek.com/anthropic#x", "anthropic_messages"),
        ("https://chatgpt.com/backend-api/codex/#x", "codex_responses"),
        ("https://api.openai.com/v1#x", "chat_completions"),
        ("http://127.0.0.1:9/v1#x", "chat_completions"),
    ],
)
def test_an_address_alone_has_its_wire_too(url, wire):
    route = routes().route(url)
    assert (route.wire, route.credential) == (wire, None)


def test_an_address_alone_has_the_departures_of_who_lives_there():
    assert quirks.MAX_COMPLETION_TOKENS in routes().route("https://api.openai.com/v1#x").quirks
    assert routes().route("https://api.openai.com.evil.example/v1#x").quirks == quirks.ANY_SERVER


@pytest.mark.parametrize("name", ["http://127.0.0.1:9/v1#x", "custom/x", "mine/x"])
def test_a_server_that_nobody_knows_is_sent_alternating_roles(name):
    at = Settings(endpoint="http://127.0.0.1:9/v1")
    route = routes({"custom": at, "mine": at}).route(name)
    after_a_crash = (Message("user", (Text("one"),)), Message("user", (Text("two"),)))
    assert render(after_a_crash, route).messages == (Message("user", (Text("one"), Text("two"))),)


def test_a_server_of_ones_own_may_have_no_departures():
    table = routes({"mine": Settings(endpoint="http://127.0.0.1:9/v1", quirks=())})
    assert table.route("mine/x").quirks == frozenset()


def entry(provider, model, **more):
    table = routes(more.pop("settings", None), is_set=VARIABLES.__contains__)
    return table, table.entry(FallbackEntry(provider=provider, model=model, **more))


def test_an_entry_of_a_known_provider_is_its_route():
    table, route = entry("Anthropic", "claude-x")
    assert route == table.route("anthropic/claude-x")


def test_an_entrys_key_goes_to_its_endpoint_alone():
    table, route = entry("openai", "x", base_url="https://mirror.example/v1/", key="env:MIRROR_KEY")
    assert (route.endpoint, route.credential, route.pool) == ("https://mirror.example/v1", "env:MIRROR_KEY", ())
    bound = [binding for binding in table.bindings() if binding.credential == "env:MIRROR_KEY"]
    assert bound == [KeyBinding("env:MIRROR_KEY", endpoints=("https://mirror.example/v1",))]
    assert table.route("openai/x").credential == "env:OPENAI_API_KEY"
    table.entry(FallbackEntry(provider="openai", model="x", base_url="https://mirror.example/v1/", key="env:MIRROR_KEY"))
    assert len([binding for binding in table.bindings() if binding.credential == "env:MIRROR_KEY"]) == 1


@pytest.mark.parametrize(
    ("provider", "base_url", "credential"),
    [
        ("openai", "https://api.openai.com/v2", "env:OPENAI_API_KEY"),
        ("openai", "https://eu.api.openai.com/v1", "env:OPENAI_API_KEY"),
        ("openai", "https://api.openai.com.evil.example/v1", None),
        ("openai", "https://evilapi.openai.com/v1", None),
        ("openai", "http://127.0.0.1:8080/v1", None),
        ("openrouter", "https://openrouter.ai.example/api/v1", None),
        ("codex", "https://example.com/backend-api/codex", None),
    ],
)
def test_an_entry_elsewhere_takes_no_key_along(provider, base_url, credential):
    _, route = entry(provider, "x", base_url=base_url)
    assert route.credential == credential
    assert route.pool == ()


def test_an_entry_at_the_endpoint_that_was_set_keeps_its_providers_keys():
    settings = {"openai": Settings(endpoint="https://proxy.example/v1")}
    _, route = entry("openai", "x", base_url="https://proxy.example/v1/other", settings=settings)
    assert route.credential == "env:OPENAI_API_KEY"


def test_an_entrys_wire_is_its_own_or_that_of_its_endpoint():
    assert entry("anthropic", "x")[1].wire == "anthropic_messages"
    assert entry("openrouter", "x", base_url="https://gate.example/anthropic")[1].wire == "anthropic_messages"
    assert entry("minimax", "x", base_url="https://gate.example/v1")[1].wire == "chat_completions"
    assert entry("openai", "x", wire="codex_responses")[1].wire == "codex_responses"
    settings = {"openrouter": Settings(wire="anthropic_messages")}
    assert entry("openrouter", "x", base_url="https://gate.example/v1", settings=settings)[1].wire == "chat_completions"


def test_an_entrys_window_holds():
    table, route = entry("ollama", "x", window=2_000)
    assert (route.window_tokens, route.output_tokens) == (2_000, 500)
    assert table.knows_window(route)
    assert not table.knows_window(table.route("ollama/y"))


@pytest.mark.parametrize(
    ("provider", "model", "more", "code"),
    [
        ("nobody", "x", {}, "model.unknown_provider"),
        ("", "x", {}, "model.unknown_provider"),
        ("custom", "x", {}, "model.no_endpoint"),
        ("azure", "x", {"key": "env:A"}, "model.no_endpoint"),
        ("openai", "x", {"base_url": "nonsense"}, "config.value"),
        ("openai", "x", {"base_url": "https://user:pass@host/v1"}, "config.value"),
        ("openai", "x", {"base_url": "https:///v1"}, "config.value"),
        ("openai", "a\nb", {}, "config.value"),
    ],
)
def test_entries_that_cannot_be_routes(provider, model, more, code):
    table = routes()
    before = list(table.bindings())
    with pytest.raises(ConfigFault) as caught:
        table.entry(FallbackEntry(provider=provider, model=model, **more))
    assert caught.value.code == code
    assert list(table.bindings()) == before


@given(
    st.sampled_from(["https://", "http://", "HTTPS://", "ftp://", ""]),
    st.one_of(
        st.sampled_from(["api.openai.com", "API.OpenAI.com", "api.openai.com.", "ａｐｉ.openai.com"]), st.text(max_size=20)
    ),
    st.sampled_from(["", "/", "/v1", "/v1/", "/v1//", "/anthropic", "/ü", "/%2e%2e/v1"]),
)
def test_any_endpoint_is_a_route_or_a_fault_and_a_key_goes_home_only(scheme, host, path):
    table = routes(is_set=VARIABLES.__contains__)
    try:
        route = table.entry(FallbackEntry(provider="openai", model="x", base_url=f"{scheme}{host}{path}"))
    except ConfigFault:
        return
    assert not route.endpoint.endswith("/")
    parsed = parse(route.endpoint)
    at_home = parsed.host == "api.openai.com" or parsed.host.endswith(".api.openai.com")
    assert (route.credential is not None) == at_home


def test_facts_give_windows_caps_and_prices_and_settings_win():
    known = {("openai", "big"): KnownModel("big", 1_000_000, 200_000, Price(2.0, 8.0, as_of="2026-01-02"))}
    table = routes(output_tokens=300_000, facts=lambda provider, model: known.get((provider, model)))
    route = table.route("openai/big")
    assert (route.window_tokens, route.output_tokens, route.price.input_usd) == (1_000_000, 200_000, 2.0)
    assert table.knows_window(route)
    assert table.route("openai/other").price is None
    table = routes({"openai": Settings(window_tokens=9_000)}, facts=lambda provider, model: known.get((provider, model)))
    assert (table.route("openai/big").window_tokens, table.route("openai/big").price.output_usd) == (9_000, 8.0)


def test_nothing_is_asked_of_the_facts_for_what_needs_no_model():
    def never(provider, model):
        raise AssertionError(provider, model)

    table = routes(facts=never)
    assert table.resolve(Wishes()).wire == "embedded"
    assert table.route("llama.cpp").model == ""


def test_effort_is_a_setting():
    assert routes({"openai": Settings(effort="high")}).route("openai/x").effort == "high"
    assert routes().route("openai/x").effort == ""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("127.0.0.1:7803/v1", "http://127.0.0.1:7803/v1"),
        ("localhost:8080/v1#qwen", "http://localhost:8080/v1#qwen"),
        ("localhost/v1", "http://localhost/v1"),
        ("[::1]:8080/v1", "http://[::1]:8080/v1"),
        ("box:8080", "http://box:8080"),
        ("llm.example/v1", "https://llm.example/v1"),
        ("llm.example:443/api/v2#m", "https://llm.example:443/api/v2#m"),
    ],
)
def test_an_address_without_its_scheme_is_known_as_one(typed, meant):
    with pytest.raises(ConfigFault) as caught:
        routes().route(typed)
    assert caught.value.code == "model.unknown_provider"
    assert caught.value.mend == f"did you mean {meant}?"
    assert routes().route(meant).provider == "custom"


@pytest.mark.parametrize("typed", ["opnai/v1", "z.aj/glm", "llama.ccp/x", "me@127.0.0.1:1/v1", "127.0.0.1:1/v1?key=x"])
def test_what_is_no_address_is_a_misspelt_provider(typed):
    with pytest.raises(ConfigFault, match="there is no provider"):
        routes().route(typed)


def test_a_model_may_need_a_longer_prompt_to_be_kept_than_its_provider_says():
    known = {("anthropic", "big"): KnownModel("big", 200_000, 64_000, cache_tokens=4_096)}
    table = routes(facts=lambda provider, model: known.get((provider, model)), cache_ttl="1h")
    assert table.route("anthropic/big").cache == PromptCache(4_096, 3_600.0)
    assert table.route("anthropic/other").cache.least_tokens == 1_024
