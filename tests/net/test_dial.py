"""Dialling: which addresses, in what order, and what becomes of the losers."""

import anyio
import httpcore2
import pytest

from limen.net.dial import Dialler

pytestmark = pytest.mark.anyio


class Stream(httpcore2.AsyncNetworkStream):
    def __init__(self, address):
        self.address = address
        self.closed = False

    async def aclose(self):
        self.closed = True


class Scripted(Dialler):
    """A dialler whose addresses answer as told: an exception, or after the event that is given."""

    def __init__(self, script):
        self.script = script
        self.tried = []
        self.streams = []

    async def connect_tcp(self, host, port, timeout=None, local_address=None, socket_options=None):  # noqa: ASYNC109
        self.tried.append(host)
        told = self.script.get(host)
        if isinstance(told, Exception):
            raise told
        if told is not None:
            await told.wait()
        self.streams.append(Stream(host))
        return self.streams[-1]


DEAD = httpcore2.ConnectError("refused")


async def test_the_first_that_answers_is_kept():
    dialler = Scripted({"1.1.1.1": DEAD})
    stream = await dialler.dial(["1.1.1.1", "1.1.1.2", "1.1.1.3"], 80, timeout_s=5)
    assert stream.address == "1.1.1.2"
    assert dialler.tried == ["1.1.1.1", "1.1.1.2"]


async def test_the_next_is_tried_while_the_first_says_nothing():
    dialler = Scripted({"1.1.1.1": anyio.Event()})
    stream = await dialler.dial(["1.1.1.1", "1.1.1.2"], 80, timeout_s=5, stagger_s=0.01)
    assert stream.address == "1.1.1.2"


async def test_families_take_turns():
    dialler = Scripted(dict.fromkeys(["::1", "::2", "::3", "1.1.1.1", "1.1.1.2"], DEAD))
    with pytest.raises(httpcore2.ConnectError):
        await dialler.dial(["::1", "::2", "::3", "1.1.1.1", "1.1.1.2"], 80, timeout_s=5)
    assert dialler.tried == ["::1", "1.1.1.1", "::2", "1.1.1.2"]


async def test_only_four_are_tried():
    dialler = Scripted({f"1.1.1.{n}": DEAD for n in range(64)})
    with pytest.raises(httpcore2.ConnectError):
        await dialler.dial([f"1.1.1.{n}" for n in range(64)], 80, timeout_s=5)
    assert dialler.tried == ["1.1.1.0", "1.1.1.1", "1.1.1.2", "1.1.1.3"]


async def test_nothing_to_dial_is_an_error():
    with pytest.raises(httpcore2.ConnectError):
        await Scripted({}).dial([], 80, timeout_s=5)


async def test_a_loser_that_connects_too_is_closed():
    both = anyio.Event()
    dialler = Scripted({"1.1.1.1": both, "1.1.1.2": both})

    async with anyio.create_task_group() as tasks:

        async def release():
            await anyio.wait_all_tasks_blocked()
            both.set()

        tasks.start_soon(release)
        stream = await dialler.dial(["1.1.1.1", "1.1.1.2"], 80, timeout_s=5, stagger_s=0)
    assert not stream.closed
    assert [other.closed for other in dialler.streams if other is not stream] in ([True], [])


async def test_cancelling_while_dialling_raises_no_other_error():
    dialler = Scripted({"1.1.1.1": anyio.Event()})
    with anyio.move_on_after(0.01) as scope:
        await dialler.dial(["1.1.1.1"], 80, timeout_s=5)
    assert scope.cancelled_caught
