"""A stage for providers that speak HTTP: a loopback server in the vendor's place, the program's own client, all log lines."""

import gzip
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Generic, TypeVar

import anyio
import anyio.abc
import httpx2
import msgspec

from limen.net.client import AddressPolicy, new_client
from limen.testing.network import Answer, LoopbackServer, Received, never, reply, serve

Provider = TypeVar("Provider")
Make = Callable[[Callable[[], httpx2.AsyncClient], str, float], Provider]
"""Makes the provider under test: from a client factory, the address in the vendor's place, and its time limit in seconds."""

PATIENT_S = 15.0
IMPATIENT_S = 0.3


class Stage(Generic[Provider]):
    """The server in the vendor's place, and the provider that talks to it."""

    def __init__(self, server: LoopbackServer, provider: Provider) -> None:
        self.server = server
        self.provider = provider

    @property
    def received(self) -> Sequence[Received]:
        """Every request so far."""
        return self.server.received


@asynccontextmanager
async def staged(make: Make[Provider], answer: Answer, *, timeout_s: float = PATIENT_S) -> AsyncIterator[Stage[Provider]]:
    """A provider whose vendor answers everything with `answer`."""
    async with serve({"*": answer}) as server:
        policy = AddressPolicy(allow_private_hosts=("127.0.0.0/8",))
        async with new_client(policy, resolver=never) as client:
            yield Stage(server, make(lambda: client, server.url("").rstrip("/"), timeout_s))


class Thinking:
    """A vendor that was `asked` and does not answer."""

    def __init__(self) -> None:
        self.asked = anyio.Event()

    async def __call__(self, request: Received, stream: anyio.abc.ByteStream) -> None:
        self.asked.set()
        await anyio.sleep_forever()


class Fault(msgspec.Struct, frozen=True):
    """Something that goes wrong on the way or at the far side, and the codes it may be called by."""

    name: str
    answer: Answer
    codes: tuple[str, ...]
    impatient: bool = False


def faults(area: str, codes: Mapping[int, str], *, json: bool) -> Iterator[Fault]:
    """Statuses, broken bodies and silent servers. `codes` are a vendor's own meanings of a status."""
    usual = {401: "auth", 402: "billing", 403: "auth", 429: "rate_limited", 432: "quota", 500: "failed", 503: "failed"}
    for status, kind in usual.items():
        code = codes.get(status, f"{area}.{kind}")
        yield Fault(f"status {status}", _error(status), (code,))
    yield Fault("an endless body", _bomb(), (f"{area}.too_large",))
    yield Fault("an encoding that was not asked for", _encoded_twice(), (f"{area}.malformed",))
    yield Fault("a cut body", _cut, ("network.reset",))
    yield Fault("silence", Thinking(), ("network.timeout",), impatient=True)
    yield Fault("one byte after the other", _dripping, ("network.timeout",), impatient=True)
    if json:
        for body in (b"", b"{", b"null", b"17", b"[" * 5_000, b"\xff\xfe{}", b"<html><body>Sign in</body></html>"):
            said = reply(body.decode("latin-1"), headers={"content-type": "application/json"})
            yield Fault(f"a body of {body[:20]!r}", said, (f"{area}.malformed",))
        short = reply('{"results": [', headers={"content-type": "application/json"})
        yield Fault(
            "a length that cuts the body", short.replace(b"content-length: 13", b"content-length: 5"), (f"{area}.malformed",)
        )
        body_text = '{"error": {"message": "Your credits are used up"}}'
        yield Fault("an error under a success", json_reply(body_text), (f"{area}.billing",))


def json_reply(body: str | bytes, *, status: int = 200, headers: Mapping[str, str] | None = None) -> bytes:
    """A JSON answer."""
    return reply(body, status=status, headers={"content-type": "application/json", **(headers or {})})


@contextmanager
def all_logged() -> Iterator[list[str]]:
    """Every line that anything logs inside the block, whatever its level."""
    lines: list[str] = []

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(f"{record.getMessage()} {record.exc_info or ''}")

    keeper = Keeper(logging.NOTSET)
    loggers = [logging.getLogger(), logging.getLogger("limen")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(keeper)
        logger.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.removeHandler(keeper)
            logger.setLevel(level)


def _error(status: int) -> bytes:
    headers = {"retry-after": "45"} if status == 429 else {}
    return json_reply('{"message": "no such luck"}', status=status, headers=headers)


def _bomb() -> bytes:
    packed = gzip.compress(b'{"results": [' + b" " * 12_000_000)
    return (
        reply(packed.decode("latin-1"), headers={"content-encoding": "gzip"})[: -len(packed.decode("latin-1").encode())] + packed
    )


def _encoded_twice() -> bytes:
    return json_reply("{}", headers={"content-encoding": "gzip, gzip"})


async def _cut(request: Received, stream: anyio.abc.ByteStream) -> None:
    await stream.send(json_reply('{"results": []}').replace(b"content-length: 15", b"content-length: 1500"))


async def _dripping(request: Received, stream: anyio.abc.ByteStream) -> None:
    await stream.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")
    while True:
        await stream.send(b" ")
        await anyio.sleep(0.02)
