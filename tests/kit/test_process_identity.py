"""Which process this is: one that died is told from one that lives, and from another that got its number."""

import os
import signal
import subprocess
import sys

import msgspec
import pytest

from limen.kit.process_identity import ProcessIdentity

needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="this system has no /proc")  # noqa: PTH110


@pytest.fixture
def child():
    """A process that lives until it is killed, with what it says of itself."""
    code = "import sys, msgspec; from limen.kit.process_identity import ProcessIdentity as P\n"
    code += "sys.stdout.buffer.write(msgspec.json.encode(P.current()) + b'\\n'); sys.stdout.flush(); sys.stdin.read()"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    yield process, msgspec.json.decode(process.stdout.readline(), type=ProcessIdentity)
    process.kill()
    process.communicate()


def test_this_process_is_not_dead():
    me = ProcessIdentity.current()
    assert me.pid == os.getpid()
    assert me == ProcessIdentity.current()
    assert not me.is_dead()


def test_a_killed_process_is_dead_also_before_anyone_has_taken_note(child):
    process, identity = child
    assert identity.pid == process.pid
    assert not identity.is_dead()
    process.send_signal(signal.SIGKILL)
    if identity.started:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # a zombie
        assert identity.is_dead()
    process.wait()
    assert identity.is_dead()


@needs_proc
def test_another_process_under_the_same_number_is_not_the_one_that_was():
    me = ProcessIdentity.current()
    assert msgspec.structs.replace(me, started="1").is_dead()


def test_without_a_start_the_number_alone_tells():
    me = msgspec.structs.replace(ProcessIdentity.current(), started="")
    assert not me.is_dead()


@pytest.mark.parametrize("changes", [{"host": "elsewhere"}, {"host": ""}, {"pid": 0}, {"pid": -1}])
def test_of_what_cannot_be_seen_nothing_is_certain(child, changes):
    process, identity = child
    process.kill()
    process.wait()
    assert not msgspec.structs.replace(identity, **changes).is_dead()


def test_a_process_of_another_user_lives():
    assert not ProcessIdentity(ProcessIdentity.current().host, 1).is_dead()


@needs_proc
def test_a_command_may_be_called_anything(tmp_path):
    command = tmp_path / "a) Z 1 (b"
    command.symlink_to("/bin/sleep")
    process = subprocess.Popen([command, "60"])
    try:
        assert not ProcessIdentity(ProcessIdentity.current().host, process.pid).is_dead()
    finally:
        process.kill()
        process.wait()
