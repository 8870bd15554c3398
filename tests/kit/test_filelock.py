"""A lock between processes and threads."""

import subprocess
import sys
import threading

import pytest

from limen.kit.filelock import FileLock, LockBusy

HOLDER = """
import sys
from pathlib import Path
from limen.kit.filelock import FileLock
with FileLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def hold(path):
    child = subprocess.Popen([sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "held\n"
    return child


def test_another_process_keeps_it_out_until_it_lets_go(tmp_path):
    path = tmp_path / "lock"
    with hold(path) as child:
        with pytest.raises(LockBusy, match="another process"), FileLock(path, timeout_s=0):
            pass
        child.stdin.close()
        child.wait()
    with FileLock(path, timeout_s=0):
        pass


def test_a_killed_holder_lets_go(tmp_path):
    path = tmp_path / "lock"
    with hold(path) as child:
        child.kill()
        child.wait()
    with FileLock(path, timeout_s=0):
        pass


def test_a_waiter_gets_it_when_the_holder_leaves(tmp_path):
    path = tmp_path / "lock"
    inside = []

    def wait():
        with FileLock(path, timeout_s=30):
            inside.append("waiter")

    with FileLock(path):
        thread = threading.Thread(target=wait)
        thread.start()
        inside.append("holder")
    thread.join()
    assert inside == ["holder", "waiter"]


def test_an_error_inside_frees_it_and_it_can_be_taken_again(tmp_path):
    lock = FileLock(tmp_path / "lock", timeout_s=0)
    with pytest.raises(ValueError, match="inside"), lock:
        raise ValueError("inside")
    with lock:
        pass


def test_it_is_not_reentrant(tmp_path):
    lock = FileLock(tmp_path / "lock", timeout_s=0)
    with lock, pytest.raises(RuntimeError, match="already"), lock:
        pass


def test_a_link_in_its_place_is_refused(tmp_path):
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="lock"), FileLock(tmp_path / "lock"):
        pass
    assert not (tmp_path / "elsewhere").exists()
