"""A provider on loopback for benchmarks, in a process of its own: it answers, fails or drips as the path says, and keeps account.

    python bench/loopback.py [PORT]      prints the port it listens at

`/CASE/v1/chat/completions`: `ok` answers at once, streamed where that is asked; `drip` streams word by word, the second word not
before `expect` streams are open, or 30 s later; a status like `403` or `503` fails with it, `429after3` says in addition when to
come again; `empty` is a reply without choices, `badjson` and `page` are no JSON, `forbidden-page` is a proxy's, `reset` cuts the
connection. A failing case fails each of its paths. `/hits` is the account as JSON: times are of the monotonic clock, which all
processes of a machine share; `own_s` is from the last byte of a request to the last of its answer.
`/clear?expect=N&words=N&pause_s=X` empties it.
"""

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

REPLY = "All done, fixed reply."
SAID = {
    401: "Invalid credentials",
    402: "Payment required",
    403: "Forbidden",
    404: "The model `primary` does not exist",
    429: "Rate limit exceeded",
    500: "Internal error",
    503: "Service unavailable",
}
PAGE = b"<!doctype html><html><head><title>Attention</title></head><body><h1>Sorry, you have been blocked</h1></body></html>"
EMPTY = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": []}


def words_of(text: str, count: int) -> list[str]:
    """The words that drip in answer to a text: no two texts have one in common."""
    return [f"{text}.{number} " for number in range(count)]


class Account:
    """What was asked of the server, and how it shall drip."""

    def __init__(self) -> None:
        self.hits: list[dict] = []
        self.expect, self.words, self.pause_s = 1, 20, 0.1
        self.open, self.peak = 0, 0
        self.full = asyncio.Event()

    def clear(self, query: dict[str, list[str]]) -> None:
        self.hits.clear()
        self.expect = int(query.get("expect", ["1"])[0])
        self.words = int(query.get("words", ["20"])[0])
        self.pause_s = float(query.get("pause_s", ["0.1"])[0])
        self.open, self.peak = 0, 0
        self.full = asyncio.Event()

    def opened(self) -> None:
        self.open += 1
        self.peak = max(self.peak, self.open)
        if self.open >= self.expect:
            self.full.set()


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, account: Account) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            method, path, _ = head.split(b"\r\n", 1)[0].decode().split(" ", 2)
            size = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
            body = await reader.readexactly(size)
            received = time.monotonic()
            where = urlsplit(path)
            if await answer(where.path, parse_qs(where.query), body, writer, account):
                await writer.drain()
            else:
                writer.transport.abort()
            if where.path.count("/") > 1:
                done = time.monotonic()
                account.hits.append(
                    {
                        "case": where.path.split("/")[1],
                        "method": method if where.path.endswith(("/chat/completions", "/models")) else "other",
                        "received": received,
                        "answered": done,
                        "own_s": done - received,
                        "bytes": len(body),
                    }
                )
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def answer(path: str, query: dict, body: bytes, writer: asyncio.StreamWriter, account: Account) -> bool:
    """Write the answer to one request; False where the connection shall be cut in its place."""
    if path == "/hits":
        whole(writer, 200, {"hits": account.hits, "peak": account.peak})
    elif path == "/clear":
        account.clear(query)
        whole(writer, 200, {})
    elif path.endswith("/models") and path.startswith(("/ok/", "/drip/")):
        whole(writer, 200, {"object": "list", "data": [{"id": "fake-model", "object": "model", "context_length": 200_000}]})
    elif path == "/drip/v1/chat/completions":
        await drip(writer, json.loads(body), account)
    elif path == "/ok/v1/chat/completions":
        reply(writer, json.loads(body), len(body))
    else:
        return failed(path.split("/")[1], writer)
    return True


def failed(case: str, writer: asyncio.StreamWriter) -> bool:
    if case == "reset":
        return False
    if case == "empty":
        whole(writer, 200, EMPTY)
    elif case == "badjson":
        whole(writer, 200, b"{oops")
    elif case in ("page", "forbidden-page"):
        whole(writer, 200 if case == "page" else 403, PAGE, "text/html")
    elif case[:3].isdigit():
        status, after = int(case[:3]), case[3:].removeprefix("after")
        error = {"error": {"message": SAID.get(status, "error"), "type": "error"}}
        whole(writer, status, error, extra=f"Retry-After: {after}\r\n" if after else "")
    else:
        whole(writer, 404, {"error": {"message": "no such path"}})
    return True


def whole(writer: asyncio.StreamWriter, status: int, said: object, kind: str = "application/json", extra: str = "") -> None:
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    head = f"HTTP/1.1 {status} Said\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
    writer.write(head.encode() + body)


def event(data: dict | str) -> bytes:
    text = data if isinstance(data, str) else json.dumps(data)
    line = f"data: {text}\n\n".encode()
    return b"%x\r\n%b\r\n" % (len(line), line)


def chunk(delta: dict, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return event({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "fake-model", "choices": [choice]})


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def end(prompt_tokens: int, tokens: int) -> bytes:
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": tokens, "total_tokens": prompt_tokens + tokens}
    told = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "fake-model", "choices": [], "usage": usage}
    return chunk({}, "stop") + event(told) + event("[DONE]") + b"0\r\n\r\n"


def reply(writer: asyncio.StreamWriter, request: dict, size: int) -> None:
    if request.get("stream"):
        first, _, second = REPLY.partition(", ")
        writer.write(
            STREAM + chunk({"role": "assistant", "content": first + ", "}) + chunk({"content": second}) + end(size // 4, 5)
        )
        return
    usage = {"prompt_tokens": size // 4, "completion_tokens": 5, "total_tokens": size // 4 + 5}
    choice = {"index": 0, "message": {"role": "assistant", "content": REPLY}, "finish_reason": "stop"}
    whole(
        writer,
        200,
        {"id": "c", "object": "chat.completion", "created": 1, "model": "fake-model", "choices": [choice], "usage": usage},
    )


async def drip(writer: asyncio.StreamWriter, request: dict, account: Account) -> None:
    """Say words that only this request gets, one at a time; `expect` streams are open when the second word is said."""
    words = words_of(last_text(request), account.words)
    account.opened()
    try:
        writer.write(STREAM + chunk({"role": "assistant", "content": words[0]}))
        await writer.drain()
        with suppress(TimeoutError):  # where that many never come, `peak` tells it
            await asyncio.wait_for(account.full.wait(), 30)
        for word in words[1:]:
            await asyncio.sleep(account.pause_s)
            writer.write(chunk({"content": word}))
            await writer.drain()
        writer.write(end(100, len(words)))
    finally:
        account.open -= 1


def last_text(request: dict) -> str:
    said = request["messages"][-1]["content"]
    return said if isinstance(said, str) else said[-1]["text"]


async def run(port: int) -> None:
    account = Account()
    server = await asyncio.start_server(lambda r, w: serve(r, w, account), "127.0.0.1", port, backlog=4_096, limit=1 << 24)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


class Provider:
    """The server as a benchmark sees it."""

    def __init__(self, port: int) -> None:
        self.port = port

    def endpoint(self, case: str) -> str:
        return f"http://127.0.0.1:{self.port}/{case}/v1"

    def clear(self, **how: float) -> None:
        self._get("/clear?" + "&".join(f"{name}={value}" for name, value in how.items()))

    def hits(self) -> list[dict]:
        return self.account()["hits"]

    def account(self) -> dict:
        return self._get("/hits")

    def _get(self, path: str) -> dict:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(f"http://127.0.0.1:{self.port}{path}", timeout=30) as response:
            return json.load(response)


@contextmanager
def provider() -> Iterator[Provider]:
    """The server in a process of its own, for the length of a block."""
    with subprocess.Popen([sys.executable, str(Path(__file__).resolve()), "0"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Provider(int(process.stdout.readline()))
        finally:
            process.terminate()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(run(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
