import sys

import anyio
import pytest

from limen.core.fault import ModelFault
from limen.models.key_command import KeyCommand

pytestmark = pytest.mark.anyio

KEY = "sk-" + "proj-Zq3v9LmT0aXw7"


def script(tmp_path, text, name="give-key"):
    path = tmp_path / name
    path.write_text(f"#!{sys.executable}\n{text}\n")
    path.chmod(0o700)
    return path


async def test_the_first_line_printed_is_the_key(tmp_path):
    path = script(tmp_path, f"print(); print('{KEY}'); print('user: me')")
    assert await KeyCommand()(str(path)) == KEY


async def test_its_words_are_given_as_they_are_and_no_shell_reads_them(tmp_path):
    path = script(tmp_path, "import sys; print('|'.join(sys.argv[1:]))")
    assert await KeyCommand()(f"{path} 'a b' $HOME ; touch {tmp_path}/made") == f"a b|$HOME|;|touch|{tmp_path}/made"
    assert not (tmp_path / "made").exists()


async def test_it_has_no_input_to_wait_for(tmp_path):
    path = script(tmp_path, "import sys; print(repr(sys.stdin.read()))")
    assert await KeyCommand()(str(path)) == "''"


async def test_nothing_printed_is_no_key(tmp_path):
    assert await KeyCommand()(str(script(tmp_path, ""))) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import sys; print('SECRET'); print('SECRET', file=sys.stderr); sys.exit(3)", "failed with status 3"),
        ("print('SECRET' * 100_000)", "prints more than"),
        ("import sys; sys.stdout.buffer.write(b'\\xff\\xfeSECRET')", "is no text"),
        ("import os; os.kill(os.getpid(), 9)", "failed with status -9"),
    ],
)
async def test_what_goes_wrong_is_said_without_what_was_printed(tmp_path, text, said):
    with pytest.raises(ModelFault) as caught:
        await KeyCommand()(str(script(tmp_path, text)))
    assert said in caught.value.reason
    assert caught.value.kind == "auth"
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("command", ["", "  ", "pass 'show", "/does/not/exist/pass show x", "a\0b"])
async def test_what_cannot_be_run_is_said(command):
    with pytest.raises(ModelFault) as caught:
        await KeyCommand()(command)
    assert caught.value.kind == "auth"
    assert caught.value.mend


async def test_one_that_hangs_ends_with_all_it_has_started(tmp_path):
    left = tmp_path / "left"
    child = f"import time, pathlib; time.sleep(1.5); pathlib.Path({str(left)!r}).touch()"
    text = f"import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', {child!r}])\ntime.sleep(60)"
    with pytest.raises(ModelFault, match="took longer than"):
        await KeyCommand(deadline_s=0.5)(str(script(tmp_path, text)))
    await anyio.sleep(1.6)
    assert not left.exists()


async def test_a_child_that_holds_the_output_open_holds_nobody_up(tmp_path):
    text = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\nprint('key-1')"
    with pytest.raises(ModelFault, match="took longer than"):
        await KeyCommand(deadline_s=1.0)(str(script(tmp_path, text)))


async def test_a_cancelled_wait_leaves_no_process(tmp_path):
    started, left = tmp_path / "started", tmp_path / "left"
    text = f"import pathlib, time\npathlib.Path({str(started)!r}).touch()\ntime.sleep(1)\npathlib.Path({str(left)!r}).touch()"
    path = script(tmp_path, text)
    async with anyio.create_task_group() as group:
        group.start_soon(KeyCommand(), str(path))
        while not started.exists():  # noqa: ASYNC110 - another process makes it
            await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    await anyio.sleep(1.2)
    assert not left.exists()
