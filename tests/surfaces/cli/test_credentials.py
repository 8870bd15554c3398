"""`limen credentials` over the real runtime, a scripted provider and a scripted log-in service."""

import json
import os
import signal
import stat
import sys
import threading
import time

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from surfaces.cli.conftest import environment, in_process
from surfaces.cli.pseudo_terminal import PseudoTerminal

from limen.builtin.providers import PROVIDERS
from limen.core.fault import Fault
from limen.main import load
from limen.models.oauth.tokens import TokenFile, Tokens
from limen.runtime import RuntimeOptions, open_runtime
from limen.surfaces.cli.new_key import checked_reference, plausible
from limen.testing.model_server import Answer, model_server
from limen.testing.oauth_server import ACCOUNT, oauth_server
from limen.testing.scripted_model import say

FIRST, SECOND, THIRD = "first-key-" + "0001", "second-key-" + "0002", "third-key-" + "0003"


@pytest.fixture
def limen(home, capsys, monkeypatch):
    for provider in PROVIDERS:
        for name in provider.variables:
            monkeypatch.delenv(name, raising=False)
    with in_process(load, capsys, monkeypatch) as call:
        monkeypatch.setenv("COLUMNS", "200")
        yield call


@pytest.fixture
def start():
    """Starts a server in a thread of its own."""
    with start_blocking_portal() as portal:
        opened = []

        def begin(made):
            context = portal.wrap_async_context_manager(made)
            opened.append(context)
            return context.__enter__()

        yield begin
        for context in reversed(opened):
            context.__exit__(None, None, None)


@pytest.fixture
def pipe(limen, monkeypatch, tmp_path):
    """`pipe(text, *arguments)`: a command with that standard input."""

    def call(text, *arguments):
        path = tmp_path / "piped"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with path.open() as stream:
            monkeypatch.setattr(sys, "stdin", stream)
            return limen(*arguments)

    return call


def shown(ran):
    return ran.out + ran.err


def test_without_a_key_it_says_how_to_add_one(limen):
    ran = limen("credentials")
    assert ran.status == 0
    assert "limen" in ran.err
    assert "credentials add PROVIDER" in ran.err


@pytest.mark.parametrize(
    ("data", "code"), [(b"K=\xff\xfe\n", "secrets.unreadable"), (b"OPENAI_API_KEY abcdefgh\n", "secrets.bad_line")]
)
def test_a_damaged_secrets_file_is_said_by_whatever_looks_for_keys_in_it(limen, home, data, code):
    home.mkdir(mode=0o700, exist_ok=True)
    (home / ".env").touch(mode=0o600)
    (home / ".env").write_bytes(data)
    for words in (["credentials"], ["credentials", "status"], ["model"]):
        ran = limen(*words)
        assert ran.status == 0
        assert f"[{code}]" in ran.err
        assert "abcdefgh" not in shown(ran)


def test_a_piped_key_is_kept_privately_and_shown_nowhere(pipe, limen, home):
    ran = pipe(f"{FIRST}\n", "credentials", "add", "openai", "-")
    assert ran.status == 0
    assert FIRST not in shown(ran)
    secrets = home / ".env"
    assert secrets.read_text() == f"OPENAI_API_KEY={FIRST}\n"
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    for arguments in (["list"], ["status"], ["status", "openai"], ["status", "--json"], ["list", "openai", "--json"]):
        ran = limen("credentials", *arguments)
        assert "env:OPENAI_API_KEY" in ran.out
        assert FIRST not in shown(ran)
        assert FIRST[:5] not in shown(ran)


def test_another_key_gets_a_name_of_its_own_and_the_settings_know_it(pipe, limen, home):
    pipe(FIRST, "credentials", "add", "openai", "-")
    ran = pipe(SECOND, "credentials", "add", "openai", "-", "--json")
    assert json.loads(ran.out) == {
        "provider": "openai", "reference": "env:OPENAI_API_KEY_2", "added": True, "state": "set", "keys": 2,
    }  # fmt: skip
    assert "keys: [env:OPENAI_API_KEY_2]" in (home / "config.yaml").read_text()
    assert SECOND not in (home / "config.yaml").read_text()


def test_a_key_that_is_there_already_is_not_kept_twice(pipe, limen, home, monkeypatch):
    first = json.loads(pipe(FIRST, "credentials", "add", "openai", "-", "--json").out)
    assert (first["reference"], first["added"], first["keys"]) == ("env:OPENAI_API_KEY", True, 1)
    ran = pipe(FIRST, "credentials", "add", "openai", "-")
    assert ran.status == 0
    assert "it was there already: env:OPENAI_API_KEY" in ran.err
    assert (home / ".env").read_text() == f"OPENAI_API_KEY={FIRST}\n"
    again = json.loads(limen("credentials", "add", "openai", "env:OPENAI_API_KEY", "--json").out)
    assert (again["added"], again["keys"]) == (False, 1)


def test_a_file_is_meant_from_where_the_command_is_typed(limen, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key").write_text(FIRST)
    assert json.loads(limen("credentials", "add", "openai", "file:key", "--json").out)["reference"] == f"file:{tmp_path}/key"
    assert json.loads(limen("credentials", "add", "openai", "file:~/key", "--json").out)["reference"] == "file:~/key"


def test_a_pipe_is_told_why_a_key_cannot_be_used(limen):
    limen("credentials", "add", "openai", "cmd:no-such-program-here")
    head, row = limen("credentials", "status", "openai").out.splitlines()[:2]
    told = dict(zip(head.split("\t"), row.split("\t"), strict=True))
    assert "no-such-program-here cannot be run" in told["why"]
    assert "no-such-program-here" in told["mend"]


def test_a_key_beside_one_of_the_providers_other_names_does_not_take_its_place(pipe, limen, monkeypatch):
    monkeypatch.setenv("ZAI_API_KEY", FIRST)
    pipe(SECOND, "credentials", "add", "zai", "-")
    rows = json.loads(limen("credentials", "list", "zai", "--json").out)
    assert [row["reference"] for row in rows] == ["env:ZAI_API_KEY", "env:GLM_API_KEY_2"]


def test_a_provider_of_ones_own_takes_keys_once_it_has_an_endpoint(pipe, limen, home):
    ran = limen("credentials", "add", "custom", "env:MINE")
    assert ran.status == 1
    assert "config set providers.custom.endpoint URL" in ran.err
    limen("config", "set", "providers.custom.endpoint", "https://llm.example/v1")
    assert pipe(FIRST, "credentials", "add", "custom", "-").status == 0
    assert (home / ".env").read_text() == f"CUSTOM_API_KEY={FIRST}\n"
    assert json.loads(limen("credentials", "status", "custom", "--json").out)[0]["state"] == "set"


@pytest.mark.parametrize("reference", ["cmd:pass show 'a, b' -n 1", "file:~/keys/openai, mine", "keyring:openai/work"])
def test_a_reference_is_kept_as_it_was_given(limen, reference):
    assert limen("credentials", "add", "openai", reference).status == 0
    rows = json.loads(limen("credentials", "list", "openai", "--json").out)
    assert [row["reference"] for row in rows] == [reference]
    assert limen("credentials", "remove", "openai", reference).status == 0
    assert reference not in limen("credentials", "list", "openai").out


@pytest.mark.parametrize("given", ["sk-" + "proj-abcdefgh12345678", "OPENAI_API_KEY", "gsk_x", "env:", "cmd: ", "http://x/y"])
def test_a_key_as_an_argument_is_refused_and_not_said_again(limen, home, given):
    for verb in ("add", "remove"):
        ran = limen("credentials", verb, "openai", given)
        assert ran.status == 1
        assert "credentials.no_reference" in ran.err
        assert given not in shown(ran) or given in ("OPENAI_API_KEY", "env:", "cmd: ")
    assert not (home / "config.yaml").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing was given"),
        ("\n \n", "nothing was given"),
        ("your-api-key", "only stands for a key"),
        ("two words here", "blanks or characters"),
        ("schlüssel-0001", "blanks or characters"),
        ("a\x07bcdefghij", "blanks or characters"),
        ("OPENAI_API_KEY=abcdefgh123", "variable's name"),
        ("export K=abcdefgh123", "variable's name"),
        ("Bearer abcdefgh123", "the word Bearer"),
        ("'abcdefgh123'", "quotes"),
        ("abc123", "fewer than 8"),
        (b"\xff\xfeabcdefgh", "not UTF-8"),
        ("abcdefgh" * 10_000, "more than 65,536 bytes"),
    ],
)
def test_what_can_be_no_key_is_refused_without_being_shown(pipe, home, text, said):
    ran = pipe(text, "credentials", "add", "openai", "-")
    assert ran.status == 1
    assert said in ran.err
    assert "credentials.bad_key" in ran.err
    assert "abcdefgh" not in shown(ran)
    assert not (home / ".env").exists()


def test_without_a_terminal_nobody_is_asked(pipe):
    ran = pipe(FIRST, "credentials", "add", "openai")
    assert ran.status == 2
    assert "credentials add openai -" in ran.err


def test_a_removed_key_is_gone_from_the_file_and_from_the_settings(pipe, limen, home):
    pipe(FIRST, "credentials", "add", "openai", "-")
    pipe(SECOND, "credentials", "add", "openai", "-")
    ran = limen("credentials", "remove", "openai", "env:OPENAI_API_KEY_2", "--json")
    assert json.loads(ran.out) == {
        "provider": "openai", "reference": "env:OPENAI_API_KEY_2", "removed": True, "forgotten": True,
    }  # fmt: skip
    assert (home / ".env").read_text() == f"OPENAI_API_KEY={FIRST}\n"
    assert limen("credentials", "remove", "openai", "env:OPENAI_API_KEY").status == 0
    assert (home / ".env").read_text() == ""
    ran = limen("credentials", "remove", "openai", "env:OPENAI_API_KEY")
    assert ran.status == 1
    assert "credentials.unknown" in ran.err


def test_a_key_of_the_shell_can_only_be_removed_there(limen, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", FIRST)
    ran = limen("credentials", "remove", "openai", "env:OPENAI_API_KEY")
    assert ran.status == 1
    assert "unset OPENAI_API_KEY" in ran.err


@pytest.mark.parametrize("provider", ["nobody", "limen", "llama.cpp"])
def test_a_provider_that_takes_no_key_says_why(limen, provider):
    ran = limen("credentials", "add", provider, "env:K")
    assert ran.status == 1
    assert "→" in ran.err


@pytest.fixture
def three_keys(limen, start, monkeypatch):
    """A provider on loopback with three keys, of which the first is limited and the second refused."""
    faults = {
        f"Bearer {FIRST}": Answer.of(429, {"error": {"message": "slow down"}}, {"retry-after": "3600"}),
        f"Bearer {SECOND}": Answer.of(401, {"error": {"message": "no such key"}}),
    }
    server = start(model_server(then=lambda request: faults.get(request.headers["authorization"], say("hello"))))
    limen("config", "set", "providers.openai.endpoint", server.url)
    for number, key in enumerate((FIRST, SECOND, THIRD), 1):
        monkeypatch.setenv(f"K{number}", key)
        limen("credentials", "add", "openai", f"env:K{number}")
    return server


def test_a_turn_goes_over_to_the_key_that_works_and_the_status_says_why(three_keys, limen):
    ran = limen("ask", "Hi?", "--model", "openai/m", "--no-tools")
    assert ran.status == 0
    assert "hello" in ran.out
    assert len(three_keys.chats) == 3
    assert "the key env:K1 rests until" in ran.err
    assert limen("ask", "Hi again?", "--model", "openai/m", "--no-tools").status == 0
    assert len(three_keys.chats) == 4
    rows = json.loads(limen("credentials", "status", "openai", "--json").out)
    assert [bool(row["rests_until"]) for row in rows] == [True, True, False]
    assert [row["uses"] for row in rows] == [1, 1, 2]
    assert "slow down" in rows[0]["rests_because"]
    assert not any(key in json.dumps(rows) for key in (FIRST, SECOND, THIRD))
    assert "rests until" in limen("credentials", "status").out


def test_a_small_job_is_done_with_a_key_that_is_there(three_keys, limen, home, monkeypatch):
    limen("model", "set", "openai/m")
    monkeypatch.delenv("K1")
    monkeypatch.delenv("K2")

    async def name_it():
        async with open_runtime(RuntimeOptions(home=home)) as runtime:
            job = runtime.models.auxiliary("title")
            assert job.serves()
            return (await job.complete("Name it.", "A text.")).text

    assert anyio.run(name_it) == "hello"
    assert [request.headers["authorization"] for request in three_keys.chats] == [f"Bearer {THIRD}"]


def test_where_nobody_counts_no_count_is_told(three_keys, limen, monkeypatch):
    assert limen("ask", "Hi?", "--model", "openai/m", "--no-tools").status == 0
    limen("config", "set", "providers.openai.key_strategy", "fill_first")
    assert limen("ask", "Hi?", "--model", "openai/m", "--no-tools").status == 0
    assert [row["uses"] for row in json.loads(limen("credentials", "status", "openai", "--json").out)] == [None] * 3
    monkeypatch.setenv("GROQ_API_KEY", FIRST)
    assert [row["uses"] for row in json.loads(limen("credentials", "status", "groq", "--json").out)] == [None]


def test_with_all_keys_resting_a_process_starts_and_tells_when_they_return(three_keys, limen):
    limen("credentials", "remove", "openai", "env:K3")
    for _ in range(2):
        assert limen("ask", "Hi?", "--model", "openai/m", "--no-tools").status == 1
    assert limen("doctor").status in (0, 1)
    assert limen("credentials", "status", "openai").out.count("rests until") == 2


def test_another_route_answers_while_all_keys_rest(three_keys, limen, start):
    other = start(model_server(then=say("from elsewhere")))
    limen("credentials", "remove", "openai", "env:K3")
    limen("fallback", "add", f"{other.url}#scripted")
    for _ in range(2):
        ran = limen("ask", "Hi?", "--model", "openai/m", "--no-tools")
        assert "from elsewhere" in ran.out
    assert len(three_keys.chats) == 2


def test_logging_in_shows_a_code_and_the_tokens_to_nobody(limen, start, home):
    service = start(oauth_server("pending", "granted"))
    backend = start(model_server(then=say("hello")))
    limen("config", "set", "providers.codex.issuer", service.issuer)
    limen("config", "set", "providers.codex.endpoint", backend.url)
    ran = limen("credentials", "add", "codex", "--json")
    assert json.loads(ran.out) == {"provider": "codex", "reference": "oauth:codex", "state": "set"}
    assert "ABCD-EFGH" in ran.err
    assert f"{service.issuer}/codex/device" in ran.err
    assert stat.S_IMODE((home / "oauth" / "codex.json").stat().st_mode) == 0o600
    assert limen("ask", "Hi?", "--model", "codex/m", "--no-tools").status == 0
    headers = backend.chats[0].headers
    assert headers["authorization"] == f"Bearer {json.loads((home / 'oauth' / 'codex.json').read_text())['access_token']}"
    assert headers["chatgpt-account-id"] == ACCOUNT
    assert json.loads(limen("credentials", "list", "codex", "--json").out)[0]["state"] == "set"
    assert limen("credentials", "remove", "codex", "oauth:codex").status == 0
    assert not (home / "oauth" / "codex.json").exists()
    ran = limen("ask", "Hi?", "--model", "codex/m", "--no-tools")
    assert ran.status == 1
    assert "credentials add codex" in ran.err


def test_a_log_in_that_another_process_renews_is_forgotten_behind_it(limen, home):
    file = TokenFile(home / "oauth", "codex")
    file.save(Tokens("before", "refresh-1", 4_000_000_000.0))

    def renew(lock):
        time.sleep(0.3)  # as long as the service takes to answer
        file.save(Tokens("after", "refresh-2", 4_000_000_000.0))
        lock.__exit__(None, None, None)

    lock = file.lock()
    lock.__enter__()
    renewing = threading.Thread(target=renew, args=(lock,))
    renewing.start()
    assert limen("credentials", "remove", "codex", "oauth:codex").status == 0
    renewing.join()
    assert not file.path.exists()


def test_a_token_that_is_refused_is_renewed_and_the_turn_goes_on(limen, start):
    service = start(oauth_server())
    backend = start(model_server(Answer.of(401, {"error": {"message": "token expired"}}), then=say("hello")))
    limen("config", "set", "providers.codex.issuer", service.issuer)
    limen("config", "set", "providers.codex.endpoint", backend.url)
    limen("credentials", "add", "codex")
    ran = limen("ask", "Hi?", "--model", "codex/m", "--no-tools")
    assert (ran.status, "hello" in ran.out) == (0, True)
    assert service.renewed == 1
    assert len({request.headers["authorization"] for request in backend.chats}) == len(backend.chats) == 2
    assert "rests until" not in limen("credentials", "status", "codex").out


def test_a_withdrawn_log_in_says_how_to_log_in_again(limen, start):
    service = start(oauth_server())
    backend = start(model_server(then=Answer.of(401, {"error": {"message": "token expired"}})))
    limen("config", "set", "providers.codex.issuer", service.issuer)
    limen("config", "set", "providers.codex.endpoint", backend.url)
    limen("credentials", "add", "codex")
    service.withdrawn = True
    ran = limen("ask", "Hi?", "--model", "codex/m", "--no-tools")
    assert ran.status == 1
    assert "has ended" in ran.err
    assert "credentials add codex" in ran.err
    assert len(backend.chats) == 1
    assert "unusable" in limen("credentials", "list", "codex").out


def test_a_key_is_typed_unseen(home):
    terminal = PseudoTerminal([sys.executable, "-m", "limen.main", "credentials", "add", "openai"], environment())
    try:
        terminal.expect("not shown")
        terminal.type(f"{FIRST}\r")
        terminal.expect("has 1 key")
        assert terminal.child.wait(20) == 0
        assert FIRST not in terminal.text
    finally:
        terminal.close()
    assert FIRST in (home / ".env").read_text()


def test_ctrl_c_leaves_the_question_and_the_terminal_as_it_was(home):
    terminal = PseudoTerminal([sys.executable, "-m", "limen.main", "credentials", "add", "openai"], environment())
    try:
        terminal.expect("not shown")
        os.killpg(terminal.child.pid, signal.SIGINT)
        assert terminal.child.wait(20) == 130
    finally:
        terminal.close()
    assert not (home / ".env").exists()


def test_what_is_taken_for_a_key_and_for_a_reference():
    assert plausible(f"  {FIRST}\n") == FIRST
    assert checked_reference(" env:K ", "openai") == "env:K"
    with pytest.raises(Fault):
        checked_reference("env:K\nfile:x", "openai")


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("cmd:/does/not/exist x", "cannot be run: No such file"),
        ("cmd:false", "failed with status 1"),
        ("cmd:true", "nothing stands at cmd:true yet"),
        ("keyring:openai/work", "needs the package `keyring`"),
        ("file:/does/not/exist", "nothing stands at file:/does/not/exist yet"),
    ],
)
def test_a_reference_that_leads_to_no_key_is_said_when_it_is_added(limen, reference, said):
    ran = limen("credentials", "add", "openai", reference)
    assert (ran.status, said in ran.err) == (0, True), ran.err
    assert limen("credentials", "add", "openai", "cmd:printf %s " + SECOND).err.count("!") == 0


def test_a_key_file_that_others_can_read_is_said_when_it_is_added(limen, tmp_path):
    path = tmp_path / "key"
    path.write_text(FIRST)
    path.chmod(0o644)
    ran = limen("credentials", "add", "openai", f"file:{path}")
    assert f"chmod 600 '{path}'" in ran.err
    assert FIRST not in shown(ran)
