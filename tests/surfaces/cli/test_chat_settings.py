"""A conversation that runs while its settings file breaks keeps the last good one and says so once."""

import subprocess
import sys
import threading
from pathlib import Path


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
