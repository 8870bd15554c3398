"""Looking names up: bounded in time and number, and replaceable."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence

import anyio

# Takes a host name and a port, gives the addresses as text; empty when the name has none. May raise OSError or TimeoutError.
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]


class SystemResolver:
    """The system's resolver. A look-up cannot be cancelled, so at most `lookups` run at once, each in a daemon thread that
    holds its place until it comes back; whoever waits longer than `deadline_s` gets TimeoutError."""

    def __init__(self, *, lookups: int = 16, deadline_s: float = 8.0) -> None:
        self._places = anyio.Semaphore(lookups)
        self._deadline_s = deadline_s

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        with anyio.fail_after(self._deadline_s):
            await self._places.acquire()
            return await self._look_up(host, port)

    async def _look_up(self, host: str, port: int) -> Sequence[str]:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[str]] = loop.create_future()

        def hand_over(addresses: list[str], error: OSError | UnicodeError | None) -> None:
            self._places.release()
            if answer.done():
                return
            if error is None:
                answer.set_result(addresses)
            else:
                answer.set_exception(error)

        def work() -> None:
            addresses: list[str] = []
            failure: OSError | UnicodeError | None = None
            try:
                addresses = _addresses(host, port)
            except (OSError, UnicodeError) as error:
                failure = error
            with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits any more
                loop.call_soon_threadsafe(hand_over, addresses, failure)

        threading.Thread(target=work, name=f"look up {host}", daemon=True).start()
        return await answer


def _addresses(host: str, port: int) -> list[str]:
    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in infos if info[0] in (socket.AF_INET, socket.AF_INET6)))
