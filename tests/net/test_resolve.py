"""The system's resolver, bounded."""

import socket
import threading

import anyio
import pytest

from limen.net.resolve import SystemResolver

pytestmark = pytest.mark.anyio


async def test_it_answers_with_plain_addresses():
    answers = await SystemResolver()("localhost", 80)
    assert set(answers) <= {"127.0.0.1", "::1"}
    assert len(set(answers)) == len(answers) > 0


async def test_a_name_without_address_is_an_error_of_the_system():
    with pytest.raises(OSError, match=r".+"):
        await SystemResolver()("no-such-name.invalid", 80)


async def test_a_name_the_system_cannot_encode_is_an_error():
    with pytest.raises((UnicodeError, OSError)):
        await SystemResolver()("a" * 300 + ".example", 80)


async def test_a_stuck_look_up_costs_its_caller_the_deadline_and_its_place(monkeypatch):
    release = threading.Event()

    def stuck(*_args, **_options):
        release.wait(30)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))]

    monkeypatch.setattr(socket, "getaddrinfo", stuck)
    resolver = SystemResolver(lookups=1, deadline_s=0.05)
    with pytest.raises(TimeoutError):
        await resolver("stuck.example", 80)
    with pytest.raises(TimeoutError):
        await resolver("waits.example", 80)
    release.set()
    with anyio.fail_after(5):
        while True:
            try:
                assert await resolver("free.example", 80) == ["127.0.0.1"]
                break
            except TimeoutError:
                continue


async def test_scoped_and_foreign_families_are_told_apart(monkeypatch):
    infos = [
        (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("fe80::1%lo", 80, 0, 1)),
        (socket.AF_UNIX, socket.SOCK_STREAM, 6, "", "/tmp/x"),
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("1.2.3.4", 80)),
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("1.2.3.4", 80)),
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: infos)
    assert await SystemResolver()("x.example", 80) == ["fe80::1%lo", "1.2.3.4"]
