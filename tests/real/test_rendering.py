"""Pages that scripts write, drawn in a real Chromium behind the proxy and read like any other."""

import json
from contextlib import asynccontextmanager

import anyio
import pytest
from real.chromium import browsing

from limen.builtin.web.drawn import RENDERED
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Rendered
from limen.core.web import Extraction, RawFile, published_entry
from limen.kit.deferred import load
from limen.reading.document import read
from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.network import reply, serve

pytestmark = [pytest.mark.anyio, pytest.mark.real("chromium")]

PARAGRAPHS = "".join(f"<p>Paragraph {number} tells of the harbour and its ships.</p>" for number in range(12))
SHELL = "<html><head><title>App</title></head><body><div id=root></div><script>{}</script></body></html>"
FETCHES = "fetch('/api').then(r => r.json()).then(d => root.innerHTML = `<article><h1>${d.title}</h1>${d.body}</article>`)"
LAZY = """let n = 0;
const more = () => {
  const part = `<h2>Part ${n + 1}</h2><p style='height: 1500px'>${'It goes on. '.repeat(20)}</p>`;
  if (n++ < 3) root.insertAdjacentHTML('beforeend', part);
};
more();
const left = () => document.documentElement.scrollHeight - scrollY - innerHeight;
addEventListener('scroll', () => { if (left() < 9) setTimeout(more, 100); });"""
SHADE = """customElements.define('x-story', class extends HTMLElement { connectedCallback() {
  const inner = this.attachShadow({mode: 'open'});
  const text = `<h1>In the shade</h1><p>${'A component says it. '.repeat(20)}</p>`;
  inner.innerHTML = `<template>never shown</template>${text}<x-end></x-end>`;
}});
customElements.define('x-end', class extends HTMLElement { connectedCallback() {
  this.attachShadow({mode: 'open'}).innerHTML = '<p>And that is the end.</p>';
}});
root.innerHTML = '<x-story></x-story>'"""


def app(script):
    return reply(SHELL.format(script))


@asynccontextmanager
async def rendering(tmp_path, *servers, limit_chars=1_000_000, **rules):
    """`render(server, path)`: what a browser draws of a page that was fetched before."""
    async with browsing(tmp_path, *servers, **rules) as rig:
        renderer = load("limen.builtin.browser.renderer:PageRenderer")(rig.means, limit_chars)

        async def render(server, script):
            return await renderer.render(RawFile(server.url("/app"), "text/html", SHELL.format(script).encode()), CallContext())

        yield render


@asynccontextmanager
async def reading(tmp_path, *servers, **flags):
    """`entry_of(url)`: the entry of `extract --json`, by the whole program."""
    opened = ",".join(f"127.0.0.1:{server.port}" for server in servers)
    settings = {"security.allow_private_hosts": opened, "browser.render": "auto", **flags}
    async with open_runtime(RuntimeOptions(home=tmp_path / "home", flags=settings)) as runtime:

        async def entry_of(url):
            answer = await runtime.web.extract(Extraction((url,)), CallContext())
            return published_entry(answer.entries[0])

        yield entry_of


async def test_an_article_that_a_script_fetches_is_read_and_marked(tmp_path):
    routes = {"/app": app(FETCHES), "/api": reply(json.dumps({"title": "Harbour", "body": PARAGRAPHS}))}
    async with serve(routes) as server, reading(tmp_path, server) as entry_of:
        entry = await entry_of(server.url("/app"))
        again = await entry_of(server.url("/app"))
    assert entry["error"] is None
    assert entry["content"].startswith("# Harbour")
    assert "Paragraph 11 tells" in entry["content"]
    source = entry["source"]
    assert (source["provider"], source["rescued_from"], source["sent_to"]) == ("local", "local", ["local"])
    assert source["rescue_cause"] == "The page has no text without running its scripts."
    assert source["notices"][0] == RENDERED
    assert (source["cache_path"], again["source"]["cached"]) == (None, False), "a rescued page is never kept"
    asked = [request.target for request in server.received]
    assert asked.count("/app") == 2, "each reading asks for the page once: the browser is given what came"


async def test_where_browsers_are_off_the_setting_is_named(tmp_path):
    async with serve({"/app": app(FETCHES)}) as server, reading(tmp_path, server, **{"browser.render": "never"}) as entry_of:
        entry = await entry_of(server.url("/app"))
    assert entry["error"]["code"] == "reader.needs_browser"
    assert entry["error"]["mend"] == "limen config set browser.render auto"
    assert [request.target for request in server.received] == ["/app"]


async def test_a_host_to_which_credentials_go_is_never_drawn(tmp_path):
    exempt = {"web.secret_exempt_hosts": "127.0.0.1"}
    async with serve({"/app": app(FETCHES)}) as server, reading(tmp_path, server, **exempt) as entry_of:
        entry = await entry_of(server.url("/app"))
    assert "[browser.credentials]" in entry["error"]["reason"]
    assert [request.target for request in server.received] == ["/app"]


async def test_what_a_page_asks_for_elsewhere_passes_the_gates(tmp_path):
    """The same page reaches a server that is opened to it, so that the test can fail."""
    async with serve({"*": reply("inside", headers={"access-control-allow-origin": "*"})}) as inside, serve({}) as server:
        script = f"fetch('{inside.url('/secret')}').then(r => r.text()).catch(() => 'kept out').then(t => root.innerText = t)"
        async with rendering(tmp_path, server) as render:
            kept_out = await render(server, script)
        assert inside.connections == 0
        async with rendering(tmp_path, server, inside) as render:
            let_in = await render(server, script)
    assert "kept out" in kept_out.markup
    assert any("127.0.0.1 [network." in notice for notice in kept_out.notices)
    assert "inside" in let_in.markup


async def test_a_page_that_leads_where_it_may_not_is_not_shown(tmp_path):
    async with serve({}) as server, rendering(tmp_path, server) as render:
        led = await render(server, "location = 'http://10.0.0.1/'")
    assert isinstance(led, Refusal)
    assert led.code == "network.private_address"


async def test_a_script_without_end_costs_its_time_and_no_more(tmp_path):
    async with serve({}) as server, rendering(tmp_path, server, timeout_s=6) as render:
        with anyio.fail_after(60):
            stuck = await render(server, "setTimeout(() => { for (;;); }, 50)")
        fine = await render(server, f"root.innerHTML = `{PARAGRAPHS}`")
    assert stuck.code == "browser.timeout"
    assert isinstance(fine, Rendered)
    assert [path for path in (tmp_path / "browser").rglob("*") if path.is_file()] == [], "nothing is left of either"


async def test_a_page_without_end_is_cut_and_said(tmp_path):
    endless = "root.innerHTML = Array.from({length: 50_000}, (_, n) => `<p>line ${n}</p>`).join('')"
    async with serve({}) as server, rendering(tmp_path, server, limit_chars=20_000) as render:
        cut = await render(server, endless)
    assert "line 99<" in cut.markup
    assert len(cut.markup) < 20_100
    assert cut.notices[0].startswith("What the scripts drew is cut: 20,000 of ")


async def test_what_comes_when_it_is_scrolled_to_is_there(tmp_path):
    async with serve({}) as server, rendering(tmp_path, server) as render:
        page = await render(server, LAZY)
    assert "Part 3" in page.markup


async def test_components_say_what_they_show_and_templates_nothing(tmp_path):
    async with serve({}) as server, rendering(tmp_path, server) as render:
        page = await render(server, SHADE)
    text = read(page.markup, page.url, "text/html").text
    assert text.startswith("# In the shade")
    assert text.endswith("And that is the end.")
    assert "never shown" not in text


async def test_dialogs_are_dismissed_and_told(tmp_path):
    async with serve({}) as server, rendering(tmp_path, server) as render:
        page = await render(server, f"alert('hello'); root.innerHTML = `{PARAGRAPHS}`")
    assert "Paragraph 3" in page.markup
    assert any("(alert)" in notice for notice in page.notices)
