import sys

import pytest

from limen.builtin.providers import provider_table
from limen.config.load import load
from limen.config.paths import Home
from limen.config.schema import Provider
from limen.config.secrets import Secrets
from limen.core.fault import ModelFault
from limen.evidence.redactor import SecretRedactor
from limen.kit.redact import SecretTable
from limen.models.oauth.tokens import Tokens
from limen.models.resolve import Routes
from limen.testing.oauth_server import oauth_server
from limen.wiring.keys import LogIns, keys_of
from limen.wiring.net import Net, address_policy

pytestmark = pytest.mark.anyio

HOME = "https://api.openai.com/v1"
SHAPELESS = "correct-horse" + "-battery"


@pytest.fixture
async def keys(tmp_path):
    """Makes the keys of a home: `keys(references, variables)`."""
    home = Home(tmp_path / "home")
    home.ensure()
    nets = []

    def make(references=(), env=None, issuer=None):
        settings = {"openai": Provider(keys=tuple(references)), "codex": Provider(issuer=issuer)}
        loaded, policy = address_policy(load(home, {}))
        nets.append(Net(loaded.config, policy))
        secrets = Secrets.load(home, env or {})
        routes = Routes(provider_table(), settings, is_set=lambda name: secrets.get(name) is not None)
        make.table = SecretTable()
        return keys_of(routes, home, secrets, make.table, LogIns(home, nets[-1], settings))

    make.home = home
    yield make
    for net in nets:
        await net.close()


async def test_a_key_at_hand_is_masked_before_it_was_ever_used(keys):
    keys(env={"OPENAI_API_KEY": SHAPELESS})
    said = SecretRedactor(keys.table).redact(f"the tool printed {SHAPELESS} twice: {SHAPELESS}")
    assert said.text.count("configured-key") == 2
    assert SHAPELESS not in said.text


async def test_what_a_command_gave_is_masked_from_then_on(keys):
    reference = f"cmd:{sys.executable} -c \"print('{SHAPELESS}')\""
    ring = keys([reference]).ring
    await ring.ready(reference)
    assert ring.key_for(reference, HOME) is not None
    assert SHAPELESS not in SecretRedactor(keys.table).redact(SHAPELESS).text


async def test_each_kind_of_reference_is_read_its_own_way(keys):
    (keys.home.path / "key").write_text(SHAPELESS)
    (keys.home.path / "key").chmod(0o600)
    (keys.home.path / ".env").write_text("SPARE='another-key-0001'\n")
    references = ["env:SPARE", "file:key", f"cmd:{sys.executable} -c \"print('third-key-0001')\""]
    ring = keys(references).ring
    for reference in references:
        await ring.ready(reference)
        assert ring.state(reference, HOME).state == "set"
        with pytest.raises(ModelFault, match="is not sent to"):
            ring.key_for(reference, "https://api.openai.com.evil.example/v1")


async def test_a_system_keyring_without_its_package_says_how_to_get_it(keys, monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    ring = keys(["keyring:openai/mine"]).ring
    await ring.ready("keyring:openai/mine")
    assert ring.state("keyring:openai/mine", HOME).mend == "pip install 'limen-agent[keyring]'"


async def test_a_log_in_is_renewed_at_the_address_that_the_settings_give(keys):
    async with oauth_server() as server:
        made = keys(issuer=server.issuer)
        said = server.tokens()
        made.log_ins.file("codex").save(Tokens(said["access_token"], said["refresh_token"], 0.0))
        await made.ring.ready("oauth:codex")
        assert made.ring.key_for("oauth:codex", "https://chatgpt.com/backend-api/codex/responses") is not None
        with pytest.raises(ModelFault, match="is not sent to"):
            made.ring.key_for("oauth:codex", "https://chatgpt.com.evil.example/responses")
    assert server.renewed == 1
    assert made.log_ins.file("codex").load().refresh_token == server.refresh_token


async def test_nobody_logs_in_where_nobody_can(keys):
    made = keys()
    with pytest.raises(LookupError):
        made.log_ins.service("elsewhere")
    assert await made.log_ins.token("elsewhere", None) is None
