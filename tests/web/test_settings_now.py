"""The wired program takes changed settings up at the next call, in the same process."""

from contextlib import asynccontextmanager

import pytest

from limen.core.context import CallContext
from limen.core.web import Extraction, published_entry
from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.network import redirect, reply, serve

pytestmark = pytest.mark.anyio
HTML = "<main><h1>Tea</h1><p>Steep it for four minutes, and not for five.</p></main>"


class Program:
    """A running program whose settings file is rewritten under it."""

    def __init__(self, home, runtime):
        self.home = home
        self.runtime = runtime
        self._versions = 0

    def set(self, text):
        self._versions += 1
        (self.home / "config.yaml").write_text(f"{text}\n#{'x' * self._versions}\n")

    async def read(self, *urls, **wish):
        answer = await self.runtime.web.extract(Extraction(urls, **wish), CallContext())
        if answer.refusal is not None:
            return [{"error": answer.refusal.published()}]
        return [published_entry(entry) for entry in answer.entries]

    async def code(self, url, **wish):
        (entry,) = await self.read(url, **wish)
        return entry["error"] and entry["error"]["code"]


@asynccontextmanager
async def program(tmp_path, text="", **flags):
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text(text)
    async with open_runtime(RuntimeOptions(home=home, flags=flags)) as runtime:
        yield Program(home, runtime)


def opened(server, more=""):
    return f"security:\n  allow_private_hosts: ['127.0.0.1:{server.port}']\n{more}"


async def test_a_host_that_is_opened_is_read_and_one_that_is_closed_is_refused(tmp_path):
    async with serve({"*": reply(HTML)}) as server, program(tmp_path) as running:
        url = server.url("/")
        assert (await running.code(url)).startswith("network.")
        running.set(opened(server))
        assert await running.code(url) is None
        running.set("")
        assert (await running.code(url)).startswith("network.")
    assert len(server.received) == 1


async def test_a_broken_file_leaves_the_last_good_settings(tmp_path):
    async with serve({"*": reply(HTML)}) as server, program(tmp_path, opened(server)) as running:
        assert await running.code(server.url("/")) is None
        running.set("security: [")
        assert await running.code(server.url("/")) is None


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ("  website_blocklist: {enabled: true, domains: ['127.0.0.1']}", "policy.blocked"),
        ("web: {permissions: ['domain:127.0.0.1=deny']}", "permission.denied"),
        ("web: {blocked_domains: ['127.0.0.1']}", "permission.blocked_domain"),
        ("web: {mode: 'off'}", "web.mode"),
        ("web: {mode: cached}", "web.mode"),
        ("web: {mode: indexed}", "web.mode"),
        ("web: {extract_backend: nobody}", "web.unknown_provider"),
        ("web: {secret_params: {add: [q]}}", "secrets.parameter"),
        ("reader: {max_url_chars: 100}", "network.url_too_long"),
        ("reader: {max_bytes: 1000}", "network.too_large"),
    ],
)
async def test_whatever_forbids_does_so_from_the_next_call_on(tmp_path, settings, code):
    page = reply(HTML + "<p>padding</p>" * 200)
    async with serve({"*": page}) as server, program(tmp_path, opened(server)) as running:
        url = server.url("/page?q=" + "x" * 100)
        assert await running.code(url) is None
        running.set(opened(server, settings))
        assert await running.code(url) == code
        running.set(opened(server))
        assert await running.code(url) is None


async def test_what_is_exempt_and_what_was_taken_off_is_in_the_ledger(tmp_path):
    async with serve({"*": reply(HTML)}) as server, program(tmp_path, opened(server)) as running:
        url = server.url("/?token=abc")
        assert await running.code(url) == "secrets.parameter"
        for settings, code in (
            ("web: {secret_exempt_hosts: ['127.0.0.1']}", "secrets.exempt"),
            ("web: {secret_params: {remove: [token]}}", "secrets.parameter_removed"),
        ):
            running.set(opened(server, settings))
            for asked, said in ((url, code), (server.url("/?page=2"), None)):
                answer = await running.runtime.web.extract(Extraction((asked,)), CallContext())
                first = answer.entries[0].treatment.gates[0]
                assert (first.gate, first.verdict, first.code) == ("secrets", "allow", said)


async def test_redirects_and_records_follow_the_settings(tmp_path):
    async with serve({"/b": reply(HTML)}) as server, program(tmp_path) as running:
        hosts = f"['127.0.0.1:{server.port}', 'localhost:{server.port}']"
        server.routes["/a"] = redirect(server.url("/b", "localhost"))
        base = f"security: {{allow_private_hosts: {hosts}}}"
        running.set(base)
        assert await running.code(server.url("/a")) is None
        assert not (running.home / "logs").exists()
        running.set(f"{base}\nweb: {{redirects: same-host, debug: true}}")
        (entry,) = await running.read(server.url("/a"))
        assert entry["error"]["code"] == "web.cross_host_redirect"
        assert entry["error"]["redirects_to"] == server.url("/b", "localhost")
        assert await running.code(server.url("/a"), redirects="follow") is None
        assert (running.home / "logs" / "web-direct.json").exists()


@pytest.mark.parametrize("value", ["true", "TRUE", "1"])
async def test_the_usual_variable_switches_records_on(tmp_path, monkeypatch, value):
    monkeypatch.setenv("WEB_TOOLS_DEBUG", value)
    async with program(tmp_path) as running:
        await running.code("http://10.0.0.1/")
        assert (running.home / "logs" / "web-direct.json").exists()


async def test_a_page_of_the_library_is_at_hand_where_nothing_may_be_fetched(tmp_path):
    async with serve({"*": reply(HTML)}) as server, program(tmp_path, opened(server)) as running:
        url = server.url("/tea")
        report = await running.runtime.library.add([url])
        assert report.refusal is None
        running.set(opened(server, "web: {mode: cached}"))
        (entry,) = await running.read(url)
        assert "four minutes" in entry["content"]
        assert (entry["source"]["provider"], entry["source"]["cached"]) == ("library", True)
        assert await running.code(server.url("/other")) == "web.mode"
    assert [request.target for request in server.received] == ["/tea"]


async def test_a_stored_page_is_at_hand_too(tmp_path):
    long = "<main>" + "".join(f"<p>Paragraph {number} of the page.</p>" for number in range(400)) + "</main>"
    async with serve({"*": reply(long)}) as server, program(tmp_path, opened(server)) as running:
        url = server.url("/long")
        await running.read(url, limit_chars=2_000)
        running.set(opened(server, "web: {mode: indexed}"))
        (entry,) = await running.read(url, limit_chars=100_000)
    assert "Paragraph 399" in entry["content"]
    assert entry["source"]["provider"] == "stored"
    assert len(server.received) == 1


async def test_a_redirect_is_not_followed_through_a_host_that_may_not_be_read(tmp_path):
    async with serve({"*": reply(HTML)}) as denied, serve({}) as server:
        server.routes["*"] = redirect(denied.url("/there", host="localhost"))
        settings = f"security:\n  allow_private_hosts: ['127.0.0.1:{server.port}', 'localhost:{denied.port}']\n"
        async with program(tmp_path, f"{settings}web:\n  permissions: ['domain:localhost=deny']\n") as running:
            assert await running.code(server.url("/")) == "permission.denied"
    assert denied.received == []
