"""`limen model` against the real runtime and a scripted provider on loopback."""

import json

import pytest
from anyio.from_thread import start_blocking_portal

from limen.builtin.facts import ModelFacts
from limen.builtin.providers import PROVIDERS
from limen.config.keys import KEYS, variable_of
from limen.kit.log import logger
from limen.main import COMMANDS, load
from limen.surfaces.cli.app import run
from limen.surfaces.cli.model import PROVIDER_COLUMNS
from limen.surfaces.cli.table import fitted
from limen.testing.model_server import Answer, model_server
from limen.testing.scripted_model import say

VARIABLES = [name for provider in PROVIDERS for name in provider.variables]


@pytest.fixture
def limen(home, capsys, monkeypatch):
    """`limen(*arguments)`: status, stdout, stderr."""
    monkeypatch.setenv("COLUMNS", "200")
    kept = logger.handlers[:], logger.level, logger.propagate

    def call(*arguments):
        status = run(COMMANDS, load, ["model", *arguments])
        return status, *capsys.readouterr()

    yield call
    logger.handlers[:], logger.level, logger.propagate = kept


@pytest.fixture
def serve():
    """Starts a scripted provider in a thread of its own."""
    with start_blocking_portal() as portal:
        opened = []

        def start(*steps, **fields):
            context = portal.wrap_async_context_manager(model_server(*steps, **fields))
            opened.append(context)
            return context.__enter__()

        yield start
        for context in reversed(opened):
            context.__exit__(None, None, None)


def test_the_default_needs_nothing(limen):
    status, out, _ = limen()
    assert status == 0
    assert "limen/extractive" in out
    assert "because nothing else was chosen" in out
    status, out, _ = limen("test")
    assert (status, "always there" in out) == (0, True)


def test_show_is_what_a_bare_command_does_and_says_why(limen, monkeypatch):
    monkeypatch.setenv("LIMEN_MODEL", "openai/gpt-4.1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "test")
    for arguments in (["--json"], ["show", "--json"]):
        status, out, _ = limen(*arguments)
        shape = json.loads(out)
        assert status == 0
        assert (shape["route"], shape["because"], shape["key"]) == ("openai/gpt-4.1", "LIMEN_MODEL says so", "set")
        assert "sk-test" not in out


def test_a_route_is_set_shown_and_kept(limen, home):
    status, _, err = limen("set", "openrouter/anthropic/claude-sonnet-4")
    assert status == 0
    assert "OPENROUTER_API_KEY is not set yet" in err
    assert limen()[1].startswith("openrouter/anthropic/claude-sonnet-4\n  because model.route says so")
    status, out, _ = limen("set", "Llama.CPP", "--json")
    assert json.loads(out)["route"] == "llama.cpp/auto"
    assert "with the model that its server offers" in limen()[1]


def test_a_variable_that_wins_over_the_setting_is_said(limen, monkeypatch):
    monkeypatch.setenv("LIMEN_MODEL", "limen")
    _, _, err = limen("set", "llama.cpp/x")
    assert "LIMEN_MODEL overrides it" in err


@pytest.mark.parametrize("text", ["openrouter/stray", "http://127.0.0.1:1/v1", "1", '["openrouter/stray"]'])
@pytest.mark.parametrize("route", ["ollama/llama3.2", "ollama", "limen/extractive"])
def test_no_variable_but_that_one_changes_the_model_of_the_settings_or_makes_a_chain(route, text, limen, monkeypatch, capsys):
    assert limen("set", route)[0] == 0
    before = json.loads(limen("--json")[1])
    ours = {variable_of(name) for name in KEYS} | {variable_of(name).replace("NAME", "OLLAMA") for name in KEYS}
    for name in ours | set(VARIABLES) | {"OPENAI_BASE_URL", "OLLAMA_HOST", "LIMEN_ROUTE", "LIMEN_PROVIDER", "LIMEN_FALLBACK"}:
        monkeypatch.setenv(name, text)
    status, out, err = limen("--json")
    after = json.loads(out)
    assert status == 0
    told = ("route", "endpoint", "because")
    assert [after[name] for name in told] == [before[name] for name in told]
    assert "so LIMEN_MODEL_ROUTE is ignored" in err
    assert run(COMMANDS, load, ["fallback", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"first": before["route"], "routes": []}


@pytest.mark.parametrize(
    ("route", "code"),
    [
        ("opnai/x", "model.unknown_provider"),
        ("huggingface", "model.no_model"),
        ("custom/x", "model.no_endpoint"),
        ("http://u@x/v1", "config.value"),
    ],
)
def test_what_cannot_be_a_route_is_not_set(route, code, limen, home):
    status, out, err = limen("set", route, "--json")
    assert status == 1
    assert json.loads(out)["error"]["code"] == code
    assert f"[{code}]" in err
    assert not (home / "config.yaml").exists()


def test_providers_are_listed_with_the_chosen_one(limen):
    shapes = json.loads(limen("list", "--json")[1])
    assert [shape["provider"] for shape in shapes if shape["chosen"]] == ["limen"]
    assert {"openai": "missing", "llama.cpp": "none needed"}.items() <= {
        shape["provider"]: shape["key"] for shape in shapes
    }.items()
    assert "not configured" in limen("list")[1]


def test_the_list_fits_a_terminal_and_names_every_variable():
    shown = [[one.name, one.endpoint, f"{(*one.variables, one.credential or '')[0]} missing", "chosen"] for one in PROVIDERS]
    widths = fitted(PROVIDER_COLUMNS, shown, 80)
    assert sum(widths) + 2 * (len(widths) - 1) <= 80
    assert widths[2] == max(len(row[2]) for row in shown)


def test_every_vendors_key_leaves_the_configured_route_as_it_is(limen, monkeypatch):
    limen("set", "ollama/x")
    for name in VARIABLES:
        monkeypatch.setenv(name, "k-" + "1234567890")
    shape = json.loads(limen("--json")[1])
    assert (shape["route"], shape["because"]) == ("ollama/x", "model.route says so")


def test_a_key_alone_offers_a_route_and_says_so(limen, home, monkeypatch):
    monkeypatch.setenv("MISTRAL_API_KEY", "k-" + "1234567890")
    shape = json.loads(limen("--json")[1])
    assert (shape["provider"], shape["because"]) == ("mistral", "MISTRAL_API_KEY is set and no route was chosen")
    home.mkdir(parents=True, exist_ok=True)
    secrets = home / ".env"
    secrets.write_text("Z_AI_API_KEY=k-1234567890\n")
    secrets.chmod(0o600)
    shape = json.loads(limen("--json")[1])
    assert (shape["provider"], shape["credential"], shape["key"]) == ("zai", "env:Z_AI_API_KEY", "set")
    monkeypatch.setenv("Z_AI_API_KEY", "your-api-key")  # a stand-in is no key
    secrets.unlink()
    assert json.loads(limen("--json")[1])["provider"] == "mistral"


def test_a_price_is_shown_with_its_day(limen):
    limen("set", "anthropic/claude-sonnet-5-5")
    known = ModelFacts()("anthropic", "claude-sonnet-5-5").price
    out = limen()[1]
    assert f"costs ${known.input_usd:g} in, ${known.output_usd:g} out" in out
    assert f"({known.as_of})" in out
    assert json.loads(limen("--json")[1])["price"]["as_of"] == known.as_of
    limen("set", "anthropic/not-yet-known")
    assert "its price is not known" in limen()[1]
    assert json.loads(limen("--json")[1])["price"] is None
    limen("set", "codex/x")
    assert "paid for by a subscription" in limen()[1]


@pytest.mark.parametrize(
    ("keys", "state"), [((), "missing"), (("cmd:echo k-1234567890",), "on demand"), (("env:OTHER",), "missing")]
)
def test_a_key_that_a_command_gives_is_not_called_missing(keys, state, limen):
    limen("set", "openai/x")
    run(COMMANDS, load, ["config", "set", "providers.openai.keys", json.dumps(keys)])
    limen("set", "openai/y")
    shape = json.loads(limen("--json")[1])
    assert shape["key"] == state
    listed = {shape["provider"]: shape["key"] for shape in json.loads(limen("list", "--json")[1])}
    assert listed["openai"] == state


def test_a_provider_lists_its_models(limen, serve, monkeypatch):
    server = serve(listed=[{"id": "small", "context_length": 8_192}, {"id": "large"}])
    run(COMMANDS, load, ["config", "set", "providers.llamacpp.endpoint", server.url])
    limen()
    assert limen("list", "llama.cpp")[1].splitlines()[1:] == ["llama.cpp/small\t8,192", "llama.cpp/large\t"]
    assert json.loads(limen("list", "llamacpp", "--json")[1])[0] == {"route": "llama.cpp/small", "window_tokens": 8_192}
    assert limen("list", "limen")[0] == 0


def test_a_route_is_tried(limen, serve):
    server = serve(say("ready"), say("ready"), models=("tiny",))
    status, out, _ = limen("test", server.url)
    assert status == 0
    assert out.startswith("custom/tiny answers\n  ready\n")
    shape = json.loads(limen("test", server.url, "--json")[1])
    assert (shape["ok"], shape["reply"], shape["attempts"], shape["usage"]["input_tokens"]) == (True, "ready", 1, 10)


def test_a_route_that_fails_says_why(limen, serve):
    server = serve(then=Answer.of(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}))
    status, out, err = limen("test", f"{server.url}#x", "--json")
    assert status == 1
    assert json.loads(out)["error"]["code"] == "model.auth"
    assert "Incorrect API key" in err


def test_a_server_that_does_not_run_says_how_to_start_it(limen, serve):
    run(COMMANDS, load, ["config", "set", "providers.llamacpp.endpoint", "http://127.0.0.1:9/v1"])
    for arguments in (("test", "llama.cpp"), ("list", "llama.cpp")):
        status, _, err = limen(*arguments)
        assert status == 1
        assert "llama-server" in err


def test_a_route_that_rests_is_shown_with_why_and_until_when(limen, serve):
    server = serve(then=Answer.of(500, {"error": {"message": "it broke"}}))
    assert limen("set", f"{server.url}#m")[0] == 0
    assert limen("test")[0] == 1
    _, shown, _ = limen()
    assert "it did not answer (HTTP 500: it broke); until 2" in shown
    assert "it is asked all the same" in shown
    _, shown, _ = limen("--json")
    assert json.loads(shown)["resting_because"] == "HTTP 500: it broke"


def test_the_name_that_a_notice_tells_is_tested_at_its_own_endpoint(limen, serve, home):
    first, second = serve(say("ready"), models=("m",)), serve(say("ready"), models=("m",))
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text(
        f"model: {{route: '{first.url}#m'}}\nfallback_providers: [{{provider: vllm, model: m, base_url: '{second.url}'}}]\n"
    )
    assert limen("test", "custom/m")[0] == 0
    assert (len(first.chats), len(second.chats)) == (1, 0)
    assert limen("test", "vllm/m")[0] == 0
    assert (len(first.chats), len(second.chats)) == (1, 1)
