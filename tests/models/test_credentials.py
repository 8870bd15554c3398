import pickle

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.builtin.providers import provider_table
from limen.core.context import silent
from limen.core.exchange import ModelRequest
from limen.core.fault import ConfigFault, ModelFault
from limen.core.message import Message, Text
from limen.core.prompt import Prompt
from limen.core.route import Route
from limen.models.credentials import Key, KeyBinding, Keyring, origin_of
from limen.models.health import Health
from limen.models.model import Model
from limen.models.pool import Credentials
from limen.models.resolve import Routes
from limen.testing.health import MemoryHealth
from limen.testing.model_server import model_server
from limen.testing.network import redirect, reply, serve
from limen.testing.oauth_server import ACCOUNT, token
from limen.testing.scripted_model import say

SECRET = "sk-" + "test-0123456789"
OPENAI = "env:OPENAI_API_KEY"
ROUTE = Route("openai", "chat_completions", "m")
HOME = "https://api.openai.com/v1/chat/completions"


def keyring(*bindings, secret=SECRET):
    return Keyring(bindings or (KeyBinding(OPENAI, hosts=("api.openai.com",)),), lambda name: secret if name == OPENAI else None)


@pytest.mark.parametrize(
    "url",
    [
        HOME,
        "https://API.OpenAI.com/v1",
        "https://api.openai.com:443/v1",
        "https://api.openai.com./v1",
        "https://eu.api.openai.com/v1",
        "https://a.b.api.openai.com/v1",
    ],
)
def test_a_key_goes_home(url):
    assert keyring().key_for(OPENAI, url).headers(ROUTE) == {"authorization": f"Bearer {SECRET}"}


HOMES = {
    "env:OPENAI_API_KEY": "api.openai.com",
    "env:OPENROUTER_API_KEY": "openrouter.ai",
    "env:AI_GATEWAY_API_KEY": "ai-gateway.vercel.sh",
}

# `{home}` is where a key belongs, `{name}` that without its last label, `{other}` and `{last}` with one letter exchanged.
LOOK_ALIKES = [
    "https://{home}.evil.example/v1",
    "https://evil.example/{home}",
    "https://evil.example/?x={home}",
    "https://evil.example/#{home}",
    "https://evil.example#.{home}/v1",
    "https://evil.example?.{home}/v1",
    "https://evil.example/.{home}/v1",
    "https://{home}@evil.example/v1",
    "https://{home}:443@evil.example/v1",
    "https://{home}%40evil.example/v1",
    "https://{home}%2eevil.example/v1",
    "https://evil.example%2f.{home}/v1",
    "https://evil.example%00.{home}/v1",
    "https://evil.example%23.{home}/v1",
    "https://{home}\\@evil.example/v1",
    "https://evil.example\\.{home}/v1",
    "https://evil.example\\@{home}/v1",
    "https://evil{home}/v1",
    "https://x{home}/v1",
    "https://-{home}/v1",
    "https://{name}/v1",
    "https://{name}.co/v1",
    "https://{home}m/v1",
    "https://{home}.co/v1",
    "https://{home}.com/v1",
    "https://{home}..evil.example/v1",
    "https://{home}../v1",
    "https://.{home}/v1",
    "https://..{home}/v1",
    "https://{other}/v1",
    "https://{home}。evil.example/v1",
    "https://{home}．evil.example/v1",
    "https://{home}\u200b.evil.example/v1",
    "https://{home}\u2044.evil.example/v1",
    "https://{home}／.evil.example/v1",
    "https://xn--{other}-9mf/v1",
    "http://{home}/v1",
    "https://{home}:8443/v1",
    "https://{home}:80/v1",
    "https://{home}:65536/v1",
    "https://{home}:443:443/v1",
    "https://127.0.0.1/{home}",
    "https://[::1]/{home}",
    "https://[::ffff:127.0.0.1]/{home}",
    "https://2130706433/{home}",
    "https://0x7f.1/{home}",
    "http://localhost/{home}",
    "http://{home}.localhost/v1",
    "https://{home}\t.evil.example/v1",
    "https://{home}\n/v1",
    " https://{home}/v1",
    "https:{home}/v1",
    "https:///{home}/v1",
    "https:/{home}/v1",
    "ftp://{home}/v1",
    "wss://{home}/v1",
    "file://{home}/v1",
    "javascript:https://{home}/v1",
    "//{home}/v1",
    "{home}/v1",
    "",
]


def look_alikes(home):
    confusable = str.maketrans({"a": "\u0430", "e": "\u0435", "o": "\u043e"})
    written = [
        alike.replace("{home}", home).replace("{name}", home.rpartition(".")[0]).replace("{other}", home.translate(confusable))
        for alike in LOOK_ALIKES
    ]
    return [url for url in written if url]


EVERY_LOOK_ALIKE = [(key, url) for key, home in HOMES.items() for url in look_alikes(home)]


def built_in(read=lambda _: SECRET):
    """The keyring that the built-in providers make, all of whose keys are there."""
    return Keyring(Routes(provider_table(), is_set=lambda _: True).bindings(), read)


@pytest.mark.parametrize(("key", "url"), EVERY_LOOK_ALIKE)
def test_a_look_alike_gets_no_key(key, url):
    with pytest.raises(ModelFault) as caught:
        built_in().key_for(key, url)
    assert caught.value.kind == "auth"
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(("key", "home"), HOMES.items())
def test_each_key_goes_home_and_to_nobody_elses(key, home):
    ring = built_in()
    assert ring.key_for(key, f"https://{home}/v1") is not None
    for other in {*HOMES.values()} - {home}:
        with pytest.raises(ModelFault, match="is not sent to"):
            ring.key_for(key, f"https://{other}/v1")


def test_there_are_enough_look_alikes():
    assert all(len({url for name, url in EVERY_LOOK_ALIKE if name == key}) >= 30 for key in HOMES)


@given(st.from_regex(r"[a-z0-9.@:/\\%#?_-]{0,40}", fullmatch=True), st.sampled_from(["{}{}", "{1}{0}", "{0}.{1}", "{1}.{0}"]))
def test_whatever_is_put_around_a_host_a_key_goes_only_there_and_below(around, shape):
    url = "https://" + (shape.format(around, "openrouter.ai") if "0" in shape else f"{around}openrouter.ai")
    try:
        built_in().key_for("env:OPENROUTER_API_KEY", url)
    except ModelFault:
        return
    host = httpx2.URL(url).host.rstrip(".")
    assert host == "openrouter.ai" or host.endswith(".openrouter.ai")


@pytest.mark.anyio
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("wire", ["chat_completions", "anthropic_messages", "codex_responses"])
async def test_no_redirect_carries_a_key_anywhere(wire_of, request_to, route_to, wire, status):
    async with serve({"*": reply("stolen")}) as thief:
        async with serve({"*": redirect(thief.url("/v1/steal"), status=status)}) as server:
            ring = Keyring((KeyBinding("env:K", endpoints=(server.url("/v1"),)),), lambda _: SECRET)
            async with wire_of(ring, wire=wire) as sender:
                request = request_to(route=route_to(server.url("/v1"), credential="env:K", wire=wire))
                with pytest.raises(ModelFault) as caught:
                    [item async for item in sender.send(request)]
    assert thief.received == []
    assert len(server.received) == 1
    assert SECRET in "".join(server.received[0].headers.values())
    assert SECRET not in str(caught.value)


@pytest.mark.anyio
async def test_a_small_job_sends_no_key_where_a_turn_would_not(wire_of, route_to):
    ring = Keyring((KeyBinding(OPENAI, hosts=("api.openai.com",)),), lambda _: SECRET)
    async with model_server(then=say("stolen")) as server, wire_of(ring) as wire:
        gates = [Credentials(ring, Health(MemoryHealth()))]
        for model in (Model({"chat_completions": wire}, gates), Model({"chat_completions": wire}, [])):
            route = route_to(server.url, credential=OPENAI)
            with pytest.raises(ModelFault, match="is not sent to"):
                await model.ask(ModelRequest(route, Prompt(), (Message("user", (Text("title?"),)),)), silent)
    assert server.received == []


@pytest.mark.parametrize("secret", ["none", "null", "no-key-required", "your-api-key", "changeme", "sk-...", "<key>", "xxxx"])
def test_a_placeholder_is_as_good_as_no_key(secret):
    with pytest.raises(ModelFault, match="only a placeholder for a key at env:OPENAI_API_KEY"):
        keyring(secret=secret).key_for(OPENAI, HOME)
    optional = Keyring((KeyBinding("env:X", hosts=("x.example",), required=False),), lambda _: secret)
    assert optional.key_for("env:X", "https://x.example/") is None


@pytest.mark.parametrize(
    ("endpoint", "url", "goes"),
    [
        ("https://llm.corp.example/v1", "https://llm.corp.example/v1/chat/completions", True),
        ("https://llm.corp.example/v1", "https://llm.corp.example:8443/v1", False),
        ("https://llm.corp.example/v1", "https://x.llm.corp.example/v1", False),
        ("https://llm.corp.example/v1", "http://llm.corp.example/v1", False),
        ("https://llm.corp.example:8443/v1", "https://llm.corp.example:8443/v1", True),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/models", True),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8081/v1/models", False),
        ("http://localhost:8080/v1", "http://localhost:8080/v1/models", True),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1/models", True),
        ("http://10.0.0.5:8080/v1", "http://10.0.0.5:8080/v1/models", False),
        ("http://llm.corp.example/v1", "http://llm.corp.example/v1/models", False),
    ],
)
def test_an_endpoint_that_a_person_configured_gets_the_key_at_that_very_place(endpoint, url, goes):
    ring = keyring(KeyBinding(OPENAI, endpoints=(endpoint,)))
    if goes:
        assert ring.key_for(OPENAI, url) is not None
    else:
        with pytest.raises(ModelFault, match="is not sent to"):
            ring.key_for(OPENAI, url)


def test_no_credential_needs_no_key_and_an_optional_one_may_be_missing():
    assert keyring().key_for(None, HOME) is None
    optional = Keyring((KeyBinding("env:X", hosts=("x.example",), required=False),), lambda _: None)
    assert optional.key_for("env:X", "https://x.example/") is None


@pytest.mark.parametrize("secret", [None, "", "  ", "\n"])
def test_a_missing_key_says_how_to_set_it(secret):
    with pytest.raises(ModelFault, match=r"export OPENAI_API_KEY=") as caught:
        keyring(secret=secret).key_for(OPENAI, HOME)
    assert caught.value.kind == "auth"


@pytest.mark.parametrize(("secret", "what"), [(None, "no key at"), ("changeme", "only a placeholder"), ("a b", "can be no key")])
def test_a_command_that_gives_no_key_is_told_by_its_program_and_how_a_shell_is_had(secret, what):
    command = "cmd:vault read --token=" + "hvs.abcdefgh | head -1"
    ring = Keyring((KeyBinding(command, hosts=("x.example",)),), lambda _: secret)
    with pytest.raises(ModelFault, match=what) as caught:
        ring.key_for(command, "https://x.example/")
    assert "hvs." not in str(caught.value)
    assert "cmd:vault …" in caught.value.reason
    assert "cmd:sh -c" in caught.value.mend


def test_a_reference_nobody_bound_goes_nowhere():
    ring = Keyring((), lambda _: SECRET)
    with pytest.raises(ModelFault, match="no host"):
        ring.key_for("env:LONELY", HOME)


@pytest.mark.parametrize("secret", ["two words", "line\nbreak", "a\r\nHost: evil", "sché", "a\x00b"])
def test_what_cannot_be_a_header_is_no_key_and_is_not_shown(secret):
    with pytest.raises(ModelFault) as caught:
        keyring(secret=secret).key_for(OPENAI, HOME)
    assert secret not in str(caught.value)


def test_white_space_around_a_key_is_no_part_of_it():
    assert keyring(secret=f" {SECRET}\n").key_for(OPENAI, HOME).headers(ROUTE) == {"authorization": f"Bearer {SECRET}"}


def test_a_key_shows_itself_nowhere():
    key = Key(SECRET)
    assert SECRET not in repr(key)
    assert SECRET not in f"{key}"
    assert key.scrub(f"bad key {SECRET}!") == "bad key [key]!"
    with pytest.raises(TypeError):
        pickle.dumps(key)


def test_an_endpoint_that_cannot_be_read_is_the_configurations_fault():
    assert origin_of("https://LLM.example:443/v1", "x") == "https://llm.example"
    with pytest.raises(ConfigFault, match=r"providers\.p\.endpoint"):
        origin_of("https://user@llm.example/", "providers.p.endpoint")


@pytest.mark.parametrize(("quirks", "header"), [((), "x-api-key"), (("bearer",), "authorization")])
def test_a_protocols_own_header_carries_the_key(quirks, header):
    route = Route("anthropic", "anthropic_messages", "m", quirks=frozenset(quirks))
    assert list(keyring().key_for(OPENAI, HOME).headers(route)) == [header]


def test_azure_and_codex_have_headers_of_their_own():
    key = keyring().key_for(OPENAI, HOME)
    azure = Route("azure", "chat_completions", "m", quirks=frozenset({"api_key_header"}))
    assert key.headers(azure) == {"api-key": SECRET}
    codex = Route("codex", "codex_responses", "m", quirks=frozenset({"account_header"}))
    assert key.headers(codex) == {"authorization": f"Bearer {SECRET}"}
    logged_in = token(1, 5_000.0)
    assert Key(logged_in).headers(codex) == {"authorization": f"Bearer {logged_in}", "chatgpt-account-id": ACCOUNT}


def test_a_key_is_told_from_its_successor_and_a_token_by_its_account():
    subjects = {keyring(secret=secret).subject(OPENAI, HOME) for secret in (SECRET, "another-key-0123", SECRET)}
    assert len(subjects) == 2
    assert not any(SECRET[:6] in subject for subject in subjects)
    tokens = {keyring(secret=token(number, 5_000.0)).subject(OPENAI, HOME) for number in range(3)}
    assert len(tokens) == 1


@pytest.mark.parametrize(
    ("secret", "url", "state"),
    [
        (SECRET, HOME, "set"),
        (None, HOME, "missing"),
        ("changeme", HOME, "unusable"),
        ("two words", HOME, "unusable"),
        (SECRET, "https://evil.example/", "unusable"),
    ],
)
def test_how_it_stands_with_a_key_is_said_and_nothing_of_it(secret, url, state):
    said = keyring(secret=secret).state(OPENAI, url)
    assert said.state == state
    assert len(said.fingerprint) == (4 if state == "set" else 0)
    assert bool(said.reason) == (state != "set")
    assert secret is None or secret not in repr(said)
