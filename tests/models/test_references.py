import os
import stat
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.fault import ModelFault
from limen.models.references import Held, References, first_line, is_placeholder, shown

pytestmark = pytest.mark.anyio

KEY = "sk-" + "proj-Zq3v9LmT0aXw7"


class Rig:
    def __init__(self, home, names=None, **fetchers):
        self.told = []
        self.references = References((names or {}).get, home, fetchers, self.told.append)


@pytest.mark.parametrize(
    "value",
    [
        "none", "None", "NULL", "nil", "undefined", "no-key-required", "no_key", "sk-no-key-required", "not-needed", "not_set",
        "your-api-key", "YOUR_API_KEY", "your_openai_key_here", "yourkey", "sk-your-key", "changeme", "change-me", "sk-...",
        "sk-xxx", "sk-xxxxxxxxxxxx", "sk-proj-xxxx", "xxx", "XXXX-XXXX", "...", "****", "<key>", "<your key here>", "[API_KEY]",
        "{{OPENAI_API_KEY}}", "${OPENAI_API_KEY}", "$OPENAI_API_KEY", "%OPENAI_API_KEY%", "api-key", "api_key_here", "sk-api-key",
        "insert-your-key", "paste_key_here", "replace-me", "todo", "placeholder", "n/a", "---", '"none"', "'your-api-key'", "…",
    ],
)  # fmt: skip
def test_a_placeholder_is_no_key(value):
    assert is_placeholder(value)


@pytest.mark.parametrize(
    "value",
    [
        KEY, "token-abc123", "secret", "dummy", "test", "local", "my-vllm-key", "enterprise-key-1f3", "putin-key", "hunter2",
        "nonexistent", "null-island-7", "sk-ant-" + "api03-x9Qz", "x", "AIza" + "SyD-9x0", "gsk_" + "a8f3", "key-1f3b9d",
    ],
)  # fmt: skip
def test_a_short_word_may_be_the_key_of_a_server_at_home(value):
    assert not is_placeholder(value)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWYZ0123456789", min_size=20, max_size=60))
def test_what_a_machine_made_is_a_key(value):
    assert not is_placeholder(f"sk-{value}") or value.casefold().startswith("your")


async def test_a_variables_secret_is_read_and_made_known(tmp_path):
    rig = Rig(tmp_path, {"K": f" {KEY}\n", "P": "your-api-key"})
    assert rig.references.read("env:K") == f" {KEY}\n"
    assert rig.references.read("env:OTHER") is None
    assert rig.references.read("env:P") == "your-api-key"
    assert rig.told == [KEY]


@pytest.mark.parametrize("content", [f"{KEY}\n", f"{KEY}", f"\n\n  {KEY}  \r\nmore: notes\n", f"\ufeff{KEY}\n"])
async def test_a_files_first_line_is_the_key(tmp_path, content):
    (tmp_path / "key").write_text(content)
    (tmp_path / "key").chmod(0o600)
    rig = Rig(tmp_path)
    assert rig.references.read("file:key") == KEY
    assert rig.references.read(f"file:{tmp_path}/key") == KEY
    assert KEY in rig.told


async def test_a_file_is_read_anew_each_time(tmp_path):
    rig = Rig(tmp_path)
    assert rig.references.read("file:key") is None
    (tmp_path / "key").write_text("first")
    assert rig.references.read("file:key") == "first"
    (tmp_path / "key").write_text("second")
    assert rig.references.read("file:key") == "second"
    (tmp_path / "key").write_text("\n \n")
    assert rig.references.read("file:key") is None


async def test_a_file_that_others_can_read_is_warned_of_once(tmp_path, caplog):
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "key").chmod(0o644)
    rig = Rig(tmp_path)
    assert rig.references.read("file:key") == rig.references.read("file:key") == KEY
    (record,) = caplog.records
    assert "0644" in record.getMessage()
    assert KEY not in record.getMessage()


def _folder(path):
    path.mkdir()


def _pipe(path):
    os.mkfifo(path)


def _huge(path):
    path.write_bytes(b"x" * 100_000)


def _binary(path):
    path.write_bytes(b"\xff\xfe\x00secret\x00")


@pytest.mark.parametrize("make", [_folder, _pipe, _huge, _binary])
async def test_what_is_no_file_with_a_key_is_said_without_what_is_in_it(tmp_path, make):
    make(tmp_path / "key")
    with pytest.raises(ModelFault) as caught:
        Rig(tmp_path).references.read("file:key")
    assert caught.value.kind == "auth"
    assert "secret" not in str(caught.value)
    assert caught.value.mend


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_a_file_that_may_not_be_read_says_so(tmp_path):
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "key").chmod(0)
    with pytest.raises(ModelFault, match="Permission denied"):
        Rig(tmp_path).references.read("file:key")
    (tmp_path / "key").chmod(stat.S_IRUSR)


async def test_what_has_to_be_fetched_is_there_after_that_and_not_before(tmp_path):
    async def fetch(name, refused):
        return f"key-of-{name}"

    rig = Rig(tmp_path, cmd=fetch)
    assert rig.references.read("cmd:pass show x") is None
    await rig.references.fetch("cmd:pass show x")
    assert rig.references.read("cmd:pass show x") == "key-of-pass show x"
    assert rig.told == ["key-of-pass show x"]


async def test_a_failure_to_fetch_shows_when_the_key_is_wanted_and_goes_with_the_next_success(tmp_path):
    outcomes = [ModelFault("auth", "locked", "unlock it"), "secret-1"]

    async def fetch(name, refused):
        outcome = outcomes.pop(0)
        if isinstance(outcome, ModelFault):
            raise outcome
        return outcome

    rig = Rig(tmp_path, keyring=fetch)
    await rig.references.fetch("keyring:a/b")
    with pytest.raises(ModelFault, match="locked"):
        rig.references.read("keyring:a/b")
    await rig.references.fetch("keyring:a/b")
    assert rig.references.read("keyring:a/b") == "secret-1"


async def test_a_refused_secret_is_asked_for_anew_and_otherwise_nothing_is_asked_twice():
    given = iter(["first", "second", "second"])
    asked = []

    async def fetch(name):
        asked.append(name)
        return next(given)

    held = Held(fetch)
    assert [await held("x", None), await held("x", None)] == ["first", "first"]
    assert await held("x", "first") == "second"
    assert await held("x", "first") == "second"
    assert await held("x", "second") == "second"
    assert asked == ["x"] * 3


@given(st.binary(max_size=300))
def test_any_bytes_give_a_line_or_a_fault(data):
    with suppress(ModelFault):
        line = first_line(data, "the file")
        assert line is None or (line == line.strip() and line and "\n" not in line)


def test_a_command_is_told_by_its_program_alone():
    assert shown("cmd:pass show openai/work") == "cmd:pass …"
    assert shown("env:A") == "env:A"
