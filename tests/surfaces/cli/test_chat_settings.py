"""A conversation that runs while its settings file breaks keeps the last good one and says so once."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest


def test_a_file_that_breaks_meanwhile_is_said_once_and_the_chat_goes_on(home):
    home.mkdir(mode=0o700)
    config = home / "config.yaml"
    config.write_text("limits:\n  steps: 5\n")
    chat = subprocess.Popen(
        [sys.executable, "-m", "limen", "chat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    chat.stdin.write("What is Limen?\n")
    chat.stdin.flush()
    guard = threading.Timer(60, chat.kill)  # an answer that never comes must fail here, not hang
    guard.start()
    first = chat.stdout.readline()
    guard.cancel()
    Path(config).write_text("limits: [1\n")
    chat.stdin.write("And now?\nAnd then?\n")
    out, err = chat.communicate(timeout=60)
    assert first
    assert err.count("config.unreadable") == 1
    assert "the last good configuration still holds" in err
    assert chat.returncode == 0
    assert out


@pytest.mark.parametrize(("keys", "warned"), [("[cmd:echo k-1234567890]", False), ("[]", True)])
def test_a_model_whose_key_a_command_gives_is_chosen_without_a_warning(keys, warned, home):
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text(f"providers:\n  openai:\n    keys: {keys}\n")
    free = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    ran = subprocess.run(
        [sys.executable, "-m", "limen", "chat"], input="/model openai/x\n/quit\n", capture_output=True, text=True, timeout=60,
        env=free, check=True,
    )  # fmt: skip
    assert "openai/x answers from now on" in ran.stdout
    assert ("is not set yet" in ran.stderr) == warned
