"""What the web's threshold costs, beside Hermes Agent in the same run where an environment of it is at hand.

    python bench/threshold.py [--peer PEER/bin/python] [--pages 100] [--latency-ms 50]

`--peer` (or LIMEN_BENCH_PEER) is the interpreter of an environment of its own: python -m venv PEER && PEER/bin/pip install
hermes-agent==0.19.0. Rows are processor time, medians of several rounds; a batch is wall time against a loopback server that
takes `--latency-ms` for each page. The peer reads its batch through its first vendor's own loop, with the vendor's client
replaced by one that fetches from that server. Addresses let through: rows of the table of hostile addresses, redirects and second
answers aside, without and with proxy variables.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio

from limen.core.context import CallContext
from limen.core.web import ExtractAnswer, Extraction, Page
from limen.kit.redact import SecretTable
from limen.net.address import AddressPolicy, judge_address
from limen.net.judge import rehearse
from limen.net.url import parse
from limen.runtime import RuntimeOptions, open_runtime
from limen.web.cache.pages import Kept, PageCache, PageKey
from limen.web.gates.secrets import SecretRules, SecretsGate
from limen.web.shapers.images import without_inline_images

SHORT = "https://example.com/some/path/to/a/page.html?query=hello+world&lang=en&p=2#s"
LONG = (SHORT + "&q=" + "hello+world+" * 160)[:2_000]
CASES = Path(__file__).parents[1] / "tests/net/ssrf.jsonl"
PEER = Path(__file__).parent / "peers/hermes_web.py"
PARAGRAPH = "<p>" + "The quick brown fox jumps over the lazy dog, again and again, until the page ends. " * 6 + "</p>"
PAGE = f"<html><head><title>T</title></head><body><main><h1>T</h1>{PARAGRAPH * 8}</main></body></html>".encode()
CORE, WEB = (
    "import limen.core.web, limen.core.ports",
    "import limen.web.extract, limen.web.search, limen.web.tools.extract, limen.web.tools.search",
)


def microseconds(act, rounds=9):
    """The median of several rounds, in microseconds of processor time a call."""
    took = []
    for _ in range(rounds):
        count, begun = 0, time.process_time()
        while time.process_time() - begun < 0.05:
            act()
            count += 1
        took.append((time.process_time() - begun) / count * 1e6)
    return statistics.median(took)


def import_ms(statement, rounds=7):
    """Milliseconds of processor time that a fresh interpreter spends on a statement, the interpreter's own start included."""
    took = []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", statement], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3)
    return statistics.median(took[1:])


class Server:
    """A loopback server in a process of its own: each page takes `latency_s`, connections stay open."""

    def __init__(self, latency_s):
        self._latency_s = latency_s
        self._port, self._open, self._most = (multiprocessing.Value("i", 0) for _ in range(3))
        multiprocessing.Process(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        while not self.port:
            time.sleep(0.01)

    @property
    def port(self):
        """Where it listens; 0 until it does."""
        return self._port.value

    @property
    def most(self):
        """The most connections that were open at once."""
        return self._most.value

    async def _serve(self):
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self._port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    async def _connection(self, reader, writer):
        self._open.value += 1
        self._most.value = max(self.most, self._open.value)
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                await asyncio.sleep(self._latency_s)
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: %d\r\n\r\n" % len(PAGE) + PAGE)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._open.value -= 1
            writer.close()


async def batch_s(port, count):
    """Seconds for so many pages in one call, through every gate; the readers' worker has been started before."""
    with tempfile.TemporaryDirectory() as folder:
        flags = {"security.allow_private_hosts": f"127.0.0.1:{port}"}
        async with open_runtime(RuntimeOptions(home=Path(folder), flags=flags)) as runtime:
            await _read(runtime, [f"http://127.0.0.1:{port}/warm"])
            begun = time.perf_counter()
            await _read(runtime, [f"http://127.0.0.1:{port}/{number}" for number in range(count)])
            return time.perf_counter() - begun


async def _read(runtime, urls):
    answer: ExtractAnswer = await runtime.web.extract(Extraction(tuple(urls)), CallContext())
    unread = [entry for entry in answer.entries if not getattr(entry, "content", "")]
    if answer.refusal or unread:
        raise SystemExit(f"not every page was read: {answer.refusal or unread[0]}")


async def let_through(cases):
    """How many addresses that must not be read pass, without and with proxy variables."""
    counts = []
    for proxy in ("", "http://127.0.0.1:1"):
        os.environ.pop("HTTPS_PROXY", None)
        if proxy:
            os.environ["HTTPS_PROXY"] = proxy
        verdicts = [await rehearse(case["url"], AddressPolicy(), _answers(case), None) for case in cases]
        counts.append(sum(refusal is None for _, refusal in verdicts))
    os.environ.pop("HTTPS_PROXY", None)
    return counts


def _answers(case):
    async def resolve(_host, _port):
        return case.get("resolves_to", [])

    return resolve


def cached_us(folder):
    """Microseconds to find a kept page of 15,000 characters among 500."""
    cache = PageCache(Path(folder))
    keys = [PageKey(f"https://e{number}.example/page", "markdown", "local") for number in range(500)]
    for key in keys:
        cache.put(key, Kept(Page(url=key.url, title="T", text="some words \n" * 1_250), time.time()))
    return microseconds(lambda: cache.get(keys[250]))


def ours(server, pages, cases):
    """Our figures by name."""
    gate, policy, pictures = SecretsGate(SecretTable(), SecretRules), AddressPolicy(), "![" * 10_000
    gate.judge_url(SHORT)
    with tempfile.TemporaryDirectory() as folder:
        return {
            "import_cpu_ms": import_ms(f"{CORE}; {WEB}") - import_ms(CORE),
            "literal_us": microseconds(lambda: judge_address(parse("http://93.184.216.34/").host, policy, host="", literal=True)),
            "secret_76_us": microseconds(lambda: gate.judge_url(SHORT)),
            "secret_2000_us": microseconds(lambda: gate.judge_url(LONG)),
            "pictures_s": microseconds(lambda: without_inline_images(pictures)) / 1e6,
            "cached_us": cached_us(folder),
            "batch_s": statistics.median([anyio.run(batch_s, server.port, pages) for _ in range(3)]),
            "let_through": anyio.run(let_through, cases),
        }


ROWS = {
    "import_cpu_ms": "import of the web package, ms",
    "literal_us": "address with a literal host, us",
    "secret_76_us": "secrets in an address of 76 characters, us",
    "secret_2000_us": "secrets in one of 2,000 characters, us",
    "pictures_s": "picture shaper on 20,000 characters of `![`, s",
    "cached_us": "kept page among 500, us",
    "batch_s": "pages in one call, s of wall time",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", default=os.environ.get("LIMEN_BENCH_PEER", ""))
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--latency-ms", type=float, default=50.0)
    asked = parser.parse_args()
    server = Server(asked.latency_ms / 1e3)
    rows = [json.loads(line) for line in CASES.read_text().splitlines()]
    cases = [row for row in rows if row["expected"] != "allow" and "redirects_to" not in row and "resolves_then" not in row]
    mine = ours(server, asked.pages, cases)
    theirs = peer(asked.peer, server, cases, asked.pages) if asked.peer else {}
    print(f"{'':50}{'Limen':>12}{'Hermes':>12}{'ratio':>8}")
    for name, label in ROWS.items():
        one, other = mine[name], theirs.get(name)
        beside = f"{other:>12,.2f}{other / one:>8.1f}" if other is not None else ""
        print(f"{label:50}{one:>12,.2f}{beside}")
    print(f"connections at once: {server.most}")
    for place, said in enumerate(("", " with proxy variables")):
        beside = f", the peer {theirs['let_through'][place]}" if theirs else ""
        print(f"let through of {len(cases)} hostile addresses{said}: {mine['let_through'][place]}{beside}")


def peer(python, server, cases, pages):
    """The peer's figures by name, from a child under its own interpreter and in a home of its own."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "cases.jsonl"
        table.write_text("\n".join(json.dumps(case) for case in cases))
        environment = {**os.environ, "HERMES_HOME": folder, "HOME": folder}
        command = [python, str(PEER.resolve()), str(server.port), str(table), str(pages)]
        child = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
        if child.returncode:
            raise SystemExit(f"the peer failed:\n{child.stderr[-2_000:]}")
        return json.loads(child.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
