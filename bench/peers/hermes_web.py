"""What Hermes Agent's web tools cost, as JSON for bench/threshold.py. Runs under the interpreter of an environment of its own.

    python -m venv PEER && PEER/bin/pip install hermes-agent==0.19.0
    PEER/bin/python bench/peers/hermes_web.py PORT CASES.jsonl COUNT

PORT is a loopback server whose pages the vendor's client fetches; CASES holds addresses with their labels and canned answers of
the resolver. The vendor's client is the one part replaced: it fetches from that port, where the vendor would fetch from its own
servers. COUNT pages are read.
"""

import asyncio
import json
import logging
import os
import socket
import statistics
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import unquote, urlsplit

started_cpu, started = time.process_time(), time.perf_counter()
import tools.web_tools as web_tools  # noqa: E402 - the import is what is measured

import_cpu_ms, import_wall_ms = (time.process_time() - started_cpu) * 1e3, (time.perf_counter() - started) * 1e3

import plugins.web.firecrawl.provider as vendor  # noqa: E402
from agent.redact import _PREFIX_RE  # noqa: E402
from tools import url_safety  # noqa: E402

SHORT = "https://example.com/some/path/to/a/page.html?query=hello+world&lang=en&p=2#s"
LONG = (SHORT + "&q=" + "hello+world+" * 160)[:2_000]


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


def carries_secret(url):
    """The checks that the extract tool makes of an address, in its order."""
    normal = url_safety.normalize_url_for_request(url)
    hit = any(_PREFIX_RE.search(form) for form in (url, unquote(url), normal, unquote(normal)))
    return hit or url_safety.sensitive_query_param_name(normal)


def let_through(cases):
    """How many addresses that must not be read pass, without and with proxy variables."""
    answers = {}
    real = socket.getaddrinfo

    def canned(host, port, *rest, **named):
        if host in answers:
            return [(socket.AF_INET6 if ":" in ip else socket.AF_INET, 1, 6, "", (ip, port or 0)) for ip in answers[host]]
        if all(letter in "0123456789abcdefABCDEFx.:%" for letter in str(host)):
            return real(host, port, *rest, **named)
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    socket.getaddrinfo = canned
    passed = {"": 0, "http://127.0.0.1:1": 0}
    for proxy in passed:
        os.environ.pop("HTTPS_PROXY", None)
        if proxy:
            os.environ["HTTPS_PROXY"] = proxy
        for case in cases:
            try:
                answers[urlsplit(case["url"]).hostname] = case["resolves_to"]
            except (KeyError, ValueError):  # a literal, or an address that does not parse: the resolver is not asked
                answers.pop(None, None)
            try:
                passed[proxy] += bool(url_safety.is_safe_url(case["url"]))
            except Exception:  # noqa: BLE001 - a check that fails lets nothing through
                continue
    os.environ.pop("HTTPS_PROXY", None)
    socket.getaddrinfo = real
    return list(passed.values())


class Client:
    """Stands for the vendor: fetches the page from the loopback server and hands it over as the vendor's reply."""

    def __init__(self, port):
        self.port = port

    def scrape(self, url, formats):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/page") as reply:
            return {"markdown": reply.read().decode(), "metadata": {"title": "T", "sourceURL": url}}


def batch_s(port, count):
    """Seconds for so many pages in one call of the tool."""
    vendor._get_firecrawl_client = lambda: Client(port)
    web_tools._get_extract_backend = lambda: "firecrawl"
    urls = [f"http://93.184.216.34/{number}" for number in range(count)]
    begun = time.perf_counter()
    reply = json.loads(asyncio.run(web_tools.web_extract_tool(urls, "markdown")))
    took = time.perf_counter() - begun
    read = sum(bool(one["content"]) for one in reply["results"])
    if read != count:
        raise SystemExit(f"{read} of {count} pages were read: {str(reply)[:300]}")
    return took


def main():
    logging.disable(logging.CRITICAL)
    port, cases = int(sys.argv[1]), [json.loads(line) for line in Path(sys.argv[2]).read_text().splitlines()]
    count = int(sys.argv[3])
    clean = getattr(web_tools, "clean_base64_images", None) or web_tools.convert_base64_images_to_links
    begun = time.process_time()
    clean("![" * 10_000)
    pictures_s = time.process_time() - begun
    print(
        json.dumps(
            {
                "import_cpu_ms": import_cpu_ms,
                "import_wall_ms": import_wall_ms,
                "literal_us": microseconds(lambda: url_safety.is_safe_url("http://93.184.216.34/")),
                "secret_76_us": microseconds(lambda: carries_secret(SHORT)),
                "secret_2000_us": microseconds(lambda: carries_secret(LONG)),
                "pictures_s": pictures_s,
                "batch_s": batch_s(port, count),
                "let_through": let_through(cases),
            }
        )
    )


if __name__ == "__main__":
    main()
