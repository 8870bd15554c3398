import pickle

import pytest

from limen.core.fault import ConfigFault, ModelFault
from limen.core.route import Route
from limen.models.credentials import Key, KeyBinding, Keyring, origin_of

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


LOOK_ALIKES = [
    "https://api.openai.com.evil.example/v1",
    "https://evil.example/api.openai.com",
    "https://evil.example/?x=api.openai.com",
    "https://evil.example/#api.openai.com",
    "https://api.openai.com@evil.example/v1",
    "https://api.openai.com:443@evil.example/v1",
    "https://api.openai.com%40evil.example/v1",
    "https://api.openai.com%2eevil.example/v1",
    "https://api.openai.com\\@evil.example/v1",
    "https://evil.example\\.api.openai.com/v1",
    "https://evilapi.openai.com/v1",
    "https://api-openai.com/v1",
    "https://api.openai.co/v1",
    "https://api.openai.comm/v1",
    "https://api.openai.com.co/v1",
    "https://openai.com/v1",
    "https://www.openai.com/v1",
    "https://xapi.openai.com/v1",
    "https://api.openai.org/v1",
    "https://api.opena1.com/v1",
    "https://api.openaı.com/v1",
    "https://аpi.openai.com/v1",
    "https://api.оpenai.com/v1",
    "https://api.openai。com.evil.example/v1",
    "https://xn--api-openai-9mf.com/v1",
    "http://api.openai.com/v1",
    "https://api.openai.com:8443/v1",
    "https://api.openai.com:80/v1",
    "https://127.0.0.1/api.openai.com",
    "https://[::1]/api.openai.com",
    "http://localhost/api.openai.com",
    "https://api.openai.com\t.evil.example/v1",
    "https://api.openai.com\n/v1",
    " https://api.openai.com/v1",
    "https:api.openai.com/v1",
    "https:///api.openai.com/v1",
    "ftp://api.openai.com/v1",
    "//api.openai.com/v1",
    "",
]


@pytest.mark.parametrize("url", LOOK_ALIKES)
def test_a_look_alike_gets_no_key(url):
    with pytest.raises(ModelFault) as caught:
        keyring().key_for(OPENAI, url)
    assert caught.value.kind == "auth"
    assert SECRET not in str(caught.value)


def test_there_are_enough_look_alikes():
    assert len(set(LOOK_ALIKES)) >= 30


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
