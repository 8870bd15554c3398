"""A worker's calls come back, fail as themselves, and never leave a broken or living child behind."""

import os
import signal
import sys
from pathlib import Path

import anyio
import pytest
from kit import work

from limen.kit.process import Worker, WorkerCallFailed, WorkerCrashed, WorkerOutOfMemory, WorkerTimedOut

pytestmark = pytest.mark.anyio


def running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def eventually(condition):
    for _ in range(2_000):
        if condition():
            return
        await anyio.sleep(0.01)
    raise AssertionError("waited in vain")


async def appears(path):
    await eventually(lambda: path.exists() and path.read_text())
    return int(path.read_text())


def gone(pid):
    """Whether a process that we may not reap has ended."""
    if not running(pid):
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


async def test_a_call_returns_and_its_process_stays_warm():
    async with Worker() as worker:
        assert await worker.run(work.add, 1, 2) == 3
        assert await worker.run(work.pid) == await worker.run(work.pid) != os.getpid()


async def test_a_large_parent_keeps_its_process_too():
    ballast = bytearray(400 << 20)
    ballast[:: 4 << 10] = b"x" * len(ballast[:: 4 << 10])
    async with Worker() as worker:
        assert await worker.run(work.pid) == await worker.run(work.pid)


async def test_no_process_starts_before_the_first_call():
    async with Worker() as worker:
        assert worker._idle == []


async def test_large_data_crosses_both_ways():
    data = os.urandom(5_000_000)
    async with Worker() as worker:
        assert await worker.run(work.echo, data) == data


async def test_what_a_function_raises_is_raised_and_the_process_lives_on():
    async with Worker() as worker:
        before = await worker.run(work.pid)
        with pytest.raises(ValueError, match="broken"):
            await worker.run(work.fail, "broken")
        with pytest.raises(WorkerCallFailed, match="this and that"):
            await worker.run(work.fail_stubbornly)
        with pytest.raises(Exception, match="lambda"):
            await worker.run(work.unpicklable)
        assert await worker.run(work.pid) == before


@pytest.mark.parametrize(("function", "args", "status"), [(work.leave, (7,), 7), (work.crash, (), -signal.SIGSEGV)])
async def test_a_process_that_dies_is_named_and_replaced(function, args, status):
    async with Worker() as worker:
        with pytest.raises(WorkerCrashed) as caught:
            await worker.run(function, *args)
        assert caught.value.status == status
        assert await worker.run(work.add, 1, 1) == 2


async def test_a_process_that_died_while_idle_is_replaced_unnoticed():
    async with Worker() as worker:
        pid = await worker.run(work.pid)
        os.kill(pid, signal.SIGKILL)
        await eventually(lambda: not worker._idle[0].alive)
        assert await worker.run(work.pid) != pid


async def test_a_call_beyond_its_time_is_killed_and_the_next_one_works(tmp_path):
    async with Worker() as worker:
        await worker.run(work.pid)
        with pytest.raises(WorkerTimedOut):
            await worker.run(work.sleep, tmp_path / "pid", 60, timeout_s=0.3)
        assert await worker.run(work.add, 2, 2) == 4
    assert not running(await appears(tmp_path / "pid"))


async def test_a_cancelled_call_kills_its_process(tmp_path):
    async with Worker() as worker:
        with anyio.move_on_after(60) as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(worker.run, work.sleep, tmp_path / "pid", 60)
                pid = await appears(tmp_path / "pid")
                scope.cancel()
        assert not running(pid)
        assert await worker.run(work.add, 1, 2) == 3


async def test_a_process_is_recycled_after_its_calls():
    async with Worker(recycle_after=2) as worker:
        pids = [await worker.run(work.pid) for _ in range(4)]
    assert pids[0] == pids[1] != pids[2] == pids[3]
    assert not any(running(pid) for pid in pids)


async def test_calls_wait_for_a_free_process():
    async with Worker(size=2) as worker:
        pids = []

        async def call():
            pids.append(await worker.run(work.pid))

        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(call)
    assert len(pids) == 8
    assert len(set(pids)) <= 2


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not bound address space")
async def test_memory_is_bounded_and_its_end_is_an_error_of_the_call():
    async with Worker(memory_limit_bytes=400_000_000) as worker:
        with pytest.raises(MemoryError):
            await worker.run(work.hog, 2_000_000_000)
        assert await worker.run(work.hog, 1_000) == 1_000
        with pytest.raises(MemoryError):
            await worker.run(work.hog, 200_000_000, memory_limit_bytes=150_000_000)
        assert await worker.run(work.hog, 200_000_000) == 200_000_000


@pytest.mark.parametrize(("function", "args"), [(work.abort, ()), (work.watched, (1_000,))])
async def test_native_code_without_memory_and_a_process_beyond_its_limit_end_the_call(function, args):
    async with Worker() as worker:
        with pytest.raises(WorkerOutOfMemory):
            await worker.run(function, *args)
        assert await worker.run(work.add, 1, 1) == 2


async def test_a_process_that_grew_is_replaced():
    async with Worker() as worker:
        before = await worker.run(work.pid)
        await worker.run(work.hog, 300_000_000)
        assert await worker.run(work.pid) != before


async def test_the_environments_secrets_stay_here(monkeypatch):
    monkeypatch.setenv("SOME_KEY", "secret")
    async with Worker() as worker:
        assert "SOME_KEY" not in await worker.run(work.environment)


async def test_prints_reach_neither_stdout_nor_the_answer(capfd):
    async with Worker() as worker:
        assert await worker.run(work.talk) == "said"
    assert capfd.readouterr().out == ""


async def test_an_interrupt_is_not_for_the_child():
    async with Worker() as worker:
        assert await worker.run(work.interrupt_self) == "still here"


async def test_functions_that_no_other_process_can_find_are_refused():
    async with Worker() as worker:
        with pytest.raises(TypeError, match="module-level"):
            await worker.run(lambda: 1)


async def test_a_closed_worker_refuses_calls():
    async with Worker() as worker:
        pass
    with pytest.raises(RuntimeError, match="not open"):
        await worker.run(work.pid)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a busy child ends with its call")
async def test_the_child_ends_with_its_parent(tmp_path):
    path = tmp_path / "pid"
    script = (
        "import pathlib, sys, anyio\n"
        "from kit import work\n"
        "from limen.kit.process import Worker\n"
        "async def main():\n"
        "    async with Worker() as worker:\n"
        "        await worker.run(work.sleep, pathlib.Path(sys.argv[1]), 600)\n"
        "anyio.run(main)\n"
    )
    command = [sys.executable, "-c", script, str(path)]
    search = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    parent = await anyio.open_process(command, stdin=None, stdout=None, stderr=None, env={**os.environ, **search})
    try:
        child = await appears(path)
    finally:
        parent.kill()
        await parent.aclose()
    await eventually(lambda: gone(child))
