"""Where the commands of docs/check-it-yourself.md are played: two sites of the internet on loopback, behind a proxy.

Names are answered with public addresses, so that the gates judge what they would judge at home; no other name is known, and the
proxy connects to nothing.
"""

import os
import socket
import socketserver
import ssl
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, NamedTuple

import trustme

PAGES = Path(__file__).with_name("stage")
# Hosts with the addresses that they are given here, and their pages by path.
ADDRESSES: Mapping[str, str] = {
    "docs.python.org": "151.101.0.223",
    "example.org": "23.192.228.84",
    "www.example.org": "23.192.228.84",
}
_FILES: Mapping[tuple[str, str], str] = {
    ("docs.python.org", "/3/library/asyncio-task.html"): "asyncio-task.html",
    ("example.org", "/"): "example.html",
    ("www.example.org", "/"): "example.html",
}
_NAMES = '''"""Knows the names of the stage, and numbers."""

import socket

known = {addresses!r}
asked = socket.getaddrinfo


def getaddrinfo(host, *rest, **named):
    name = host.decode() if isinstance(host, bytes) else host
    if name in known:
        return asked(known[name], *rest, **named)
    named["flags"] = named.get("flags", 0) | socket.AI_NUMERICHOST
    return asked(host, *rest, **named)


socket.getaddrinfo = getaddrinfo
'''


class Stage(NamedTuple):
    """A home folder to play in, and the environment of its shell."""

    home: Path
    env: dict[str, str]


@contextmanager
def stage() -> Iterator[Stage]:
    """The stage while the block runs. `limen` is this source's; nothing of the surrounding environment takes part."""
    with TemporaryDirectory(prefix="limen-", dir="/tmp") as folder:
        root = Path(folder).resolve()
        home, tools = root / "you", root / "bin"
        home.mkdir()
        tools.mkdir()
        authority = trustme.CA()
        authority.cert_pem.write_to_path(str(root / "ca.pem"))
        (root / "sitecustomize.py").write_text(_NAMES.format(addresses=dict(ADDRESSES)))
        limen = tools / "limen"
        limen.write_text(f'#!/bin/sh\nexec {sys.executable} -m limen "$@"\n')
        limen.chmod(0o700)
        with _proxy(authority) as port:
            yield Stage(home, _environment(root, home, tools, port))


def _environment(root: Path, home: Path, tools: Path, port: int) -> dict[str, str]:
    return {
        "HOME": str(home),
        "PATH": f"{tools}:{os.environ.get('PATH', os.defpath)}",
        "PYTHONPATH": str(root),
        "SSL_CERT_FILE": str(root / "ca.pem"),
        "LIMEN_SECURITY_PROXY": f"http://127.0.0.1:{port}",
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "TERM": "xterm",
    }


@contextmanager
def _proxy(authority: trustme.CA) -> Iterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*ADDRESSES).configure_cert(context)

    class Tunnel(socketserver.StreamRequestHandler):
        """One connection: a tunnel is asked for, and the sites answer in it."""

        timeout = 30

        def handle(self) -> None:
            method, place, _ = _head(self.rfile)
            host, _, port = place.rpartition(":")
            if method != "CONNECT" or host not in ADDRESSES.values():
                self.wfile.write(b"HTTP/1.1 502 Not on this stage\r\ncontent-length: 0\r\n\r\n")
                return
            self.wfile.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            if port != "443":
                self._answer(self.connection)
                return
            with context.wrap_socket(self.connection, server_side=True) as secured:
                self._answer(secured)

        def _answer(self, connection: socket.socket) -> None:
            with connection.makefile("rb") as asked:
                _, path, headers = _head(asked)
            connection.sendall(_answer(headers.get("host", ""), path))

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that went away is its own affair."""

    with Server(("127.0.0.1", 0), Tunnel) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def _head(asked: IO[bytes]) -> tuple[str, str, dict[str, str]]:
    """Method, target and headers of a request."""
    method, target, _ = asked.readline(65_536).decode("latin-1").split(" ", 2)
    lines = iter(lambda: asked.readline(65_536).decode("latin-1").strip(), "")
    return method, target, {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _answer(host: str, path: str) -> bytes:
    name = _FILES.get((host, path))
    status = HTTPStatus.OK if name else HTTPStatus.NOT_FOUND
    body = (PAGES / name).read_bytes() if name else b"There is no such page."
    head = f"HTTP/1.1 {status} {status.phrase}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {len(body)}\r\n"
    return f"{head}connection: close\r\n\r\n".encode() + body
