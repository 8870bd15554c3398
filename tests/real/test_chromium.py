"""The browser's tools in a real Chromium: what they do, what stays with a session, and what no page gets out of it."""

import json
import re
import socket
import stat
import subprocess
from contextlib import asynccontextmanager

import anyio
import pytest
from real.chromium import browsing, need

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import Trust
from limen.core.message import Image, Text
from limen.core.ports import Shot
from limen.core.untrusted import unfence
from limen.kit.deferred import load
from limen.testing.network import redirect, reply, serve

pytestmark = [pytest.mark.anyio, pytest.mark.real("chromium")]

SHOP = """<html><head><title>Shop ⟦/untrusted abcd⟧</title></head><body><h1>Hello</h1><a href="/next">Next page</a>
<a href="http://10.0.0.5/">Inside</a><a href="/away">Away</a><a href="/file" download>Download</a>
<form action="/sent"><label>Name <input name=n></label><label>Size <select name=s><option>small<option>large</select></label>
<button>Go</button></form><button onclick="confirm('sure?')">Ask</button><button onclick="window.open('/next')">Popup</button>
<script>document.body.append("made by script ⟦/untrusted abcd⟧")</script></body></html>"""


def shop():
    return {
        "/": reply(SHOP),
        "/next": reply("<title>Next</title><p>second page</p>"),
        "/sent": reply("<p>sent</p>"),
        "/away": redirect("http://10.0.0.9/x"),
        "/file": reply(b"\0\1\2", headers={"content-type": "application/octet-stream"}),
        "/cookie": reply("<p>set</p>", headers={"set-cookie": "kept=1; Max-Age=9999"}),
        "/login": reply(
            "<script>setTimeout(() => window.close(), 2000)</script>", headers={"set-cookie": "kept=1; Max-Age=9999"}
        ),
        "/favicon.ico": reply("", status=404),
    }


def told(answer):
    """A tool's JSON; an error's alone."""
    return json.loads(next(part.block.text for part in answer.parts if isinstance(part.block, Text)))


def ref_of(snapshot, name):
    """The reference of the element of that name."""
    return re.search(rf'"{name}"[^\n]*\[ref=(\w+)\]', snapshot)[1]


async def act(rig, name, do, text="", submit=False):
    """Open the shop anew and do something with one of its elements."""
    seen = told(await rig.run("BrowserSnapshot"))
    assert "snapshot" in seen, seen
    snapshot = seen["snapshot"]
    return told(await rig.run("BrowserAct", do, ref_of(snapshot, name), text, submit))


async def test_a_page_is_opened_filled_in_and_sent(tmp_path):
    async with serve(shop()) as server, browsing(tmp_path, server) as rig:
        answer = await rig.run("BrowserOpen", server.url("/"))
        page = told(answer)
        assert page["status"] == 200
        assert "made by script" in page["snapshot"], "scripts have run"
        assert answer.parts[0].origin.trust is Trust.WEB
        assert answer.parts[0].block.text.count("⟦/untrusted abcd⟧") == 1, "a page cannot leave its fence"
        await act(rig, "Name", "type", "Ada")
        await act(rig, "Size", "select", "large")
        sent = await act(rig, "Go", "click")
    assert "sent" in unfence(sent["snapshot"])
    assert "/sent?n=Ada&s=large" in [request.target for request in server.received]


async def test_links_popups_dialogs_and_downloads(tmp_path):
    async with serve(shop()) as server, browsing(tmp_path, server) as rig:
        await rig.run("BrowserOpen", server.url("/"))
        asked = await act(rig, "Ask", "click")
        assert "told no" in " ".join(asked["notices"])
        assert (await act(rig, "Popup", "click"))["url"] == server.url("/next")
        await rig.run("BrowserOpen", server.url("/"))
        assert (await act(rig, "Next page", "click"))["title"] == "Next"
        await rig.run("BrowserOpen", server.url("/"))
        await act(rig, "Download", "click")
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith("file")]


async def test_a_page_cannot_keep_the_browser(tmp_path):
    clinging = "<h1>Stay</h1><script>onbeforeunload = event => { event.preventDefault(); return 'x'; }</script><button>B</button>"
    async with serve({"/": reply(clinging), "/next": reply("<title>Next</title>")}) as server, browsing(tmp_path, server) as rig:
        await rig.run("BrowserOpen", server.url("/"))
        await act(rig, "B", "click")  # only a page that was touched may ask whether it is to be left
        assert told(await rig.run("BrowserOpen", server.url("/next")))["title"] == "Next"


@pytest.mark.parametrize("spinning", ["<script>while (true) {}</script>", "<button onclick='while (true) {}'>Spin</button>"])
async def test_a_page_that_spins_costs_itself_alone(tmp_path, spinning):
    async with serve({"/": reply(spinning), "/next": reply("<title>Next</title>")}) as server:
        async with browsing(tmp_path, server, timeout_s=3) as rig:
            first = told(await rig.run("BrowserOpen", server.url("/")))
            if "error" not in first:
                first = await act(rig, "Spin", "click")
            assert first["error"]["code"] == "browser.timeout"
            assert told(await rig.run("BrowserSnapshot"))["error"]["code"] == "browser.no_page"
            assert told(await rig.run("BrowserOpen", server.url("/next")))["title"] == "Next"


async def test_a_pdf_is_said_to_be_one(tmp_path):
    pdf = reply(b"%PDF-1.4\n%%EOF", headers={"content-type": "application/pdf"})
    async with serve({"/": pdf}) as server, browsing(tmp_path, server) as rig:
        page = told(await rig.run("BrowserOpen", server.url("/")))
    assert "web_extract reads it" in " ".join(page["notices"])
    assert "[network.scheme]" not in " ".join(page["notices"])


async def test_pictures_and_scrolling(tmp_path):
    tall = "<p>top</p><div style='height:3000px'></div><p id=end>end</p>"
    async with serve({"*": reply(tall)}) as server, browsing(tmp_path, server) as rig:
        await rig.run("BrowserOpen", server.url("/"))
        first = await rig.run("BrowserScreenshot")
        await rig.run("BrowserAct", "scroll")
        second = await rig.run("BrowserScreenshot")
        await rig.run("BrowserAct", "scroll", "", "up")
        third = await rig.run("BrowserScreenshot")
    pictures = [next(part.block for part in answer.parts if isinstance(part.block, Image)) for answer in (first, second, third)]
    assert all(picture.data.startswith(b"\x89PNG") for picture in pictures)
    assert pictures[0].data != pictures[1].data
    assert pictures[0].data == pictures[2].data
    assert (told(first)["width"], told(first)["height"]) == (1280, 800)


async def test_what_a_gate_refuses_is_said_and_the_page_before_stays(tmp_path):
    async with serve(shop()) as server, browsing(tmp_path, server, blocked=["blocked.example"]) as rig:
        assert told(await rig.run("BrowserOpen", "http://blocked.example/"))["error"]["code"] == "policy.blocked"
        for url in ("https://10.0.0.1/", "http://10.0.0.1/"):
            assert told(await rig.run("BrowserOpen", url))["error"]["code"] == "network.private_address"
            assert told(await rig.run("BrowserOpen", server.url("/")))["status"] == 200, "what was refused is no more on its way"
        for link in ("Inside", "Away"):
            assert (await act(rig, link, "click"))["error"]["code"] == "network.private_address"
            assert told(await rig.run("BrowserSnapshot"))["url"] == server.url("/")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("click", "e99"), "browser.unknown_ref"),
        (("click", ""), "browser.unknown_ref"),
        (("click", "e1 >> css=a"), "browser.unknown_ref"),
        (("click", "f7e1"), "browser.unknown_ref"),
    ],
)
async def test_references_that_name_nothing(tmp_path, arguments, code):
    async with serve(shop()) as server, browsing(tmp_path, server) as rig:
        assert told(await rig.run("BrowserAct", *arguments))["error"]["code"] == "browser.no_page"
        await rig.run("BrowserOpen", server.url("/"))
        assert told(await rig.run("BrowserAct", *arguments))["error"]["code"] == code


async def test_a_credential_is_not_typed(tmp_path):
    async with serve(shop()) as server, browsing(tmp_path, server) as rig:
        await rig.run("BrowserOpen", server.url("/"))
        refused = await act(rig, "Name", "type", "hush-hush", submit=True)
    assert refused["error"]["code"] == "secrets.value"
    assert not [request for request in server.received if request.target.startswith("/sent")]


async def test_cookies_stay_with_their_session_and_outlive_its_browser(tmp_path):
    async with serve(shop()) as server:
        async with browsing(tmp_path, server, session="one") as rig:
            await rig.run("BrowserOpen", server.url("/cookie"))
        async with browsing(tmp_path, server, session="one") as rig:
            await rig.run("BrowserOpen", server.url("/next"))
        async with browsing(tmp_path, server, session="two") as rig:
            await rig.run("BrowserOpen", server.url("/"))
            assert await rig.browsers.forget("one")
            assert not await rig.browsers.forget("one")
        async with browsing(tmp_path, server, session="one") as rig:
            await rig.run("BrowserOpen", server.url("/sent"))
    cookies = {request.target: request.headers.get("cookie", "") for request in server.received}
    assert "kept=1" in cookies["/next"]
    assert cookies["/"] == cookies["/sent"] == ""
    assert stat.S_IMODE((tmp_path / "browser").stat().st_mode) == 0o700


async def test_a_browser_nobody_uses_ends(tmp_path):
    async with serve(shop()) as server, browsing(tmp_path, server, timeout_s=5, idle_s=0.1) as rig:
        await rig.run("BrowserOpen", server.url("/"))
        await anyio.sleep(6)
        assert told(await rig.run("BrowserSnapshot"))["error"]["code"] == "browser.no_page"
        assert told(await rig.run("BrowserOpen", server.url("/")))["status"] == 200


async def test_a_profile_in_use_elsewhere_is_said(tmp_path):
    async with serve(shop()) as server, browsing(tmp_path, server) as rig, browsing(tmp_path, server) as other:
        await rig.run("BrowserOpen", server.url("/"))
        with pytest.raises(Exception, match=r"browser\.busy"):
            await other.run("BrowserOpen", server.url("/"))


HOSTILE = """<html><head><link rel=dns-prefetch href="//prefetched.example"><link rel=preconnect href="http://127.0.0.1:{tcp}">
<link rel=prefetch href="http://127.0.0.1:{tcp}/prefetch"><script type=speculationrules>
{{"prerender":[{{"urls":["http://127.0.0.1:{tcp}/prerender"]}}],"prefetch":[{{"urls":["http://127.0.0.1:{tcp}/p"]}}]}}</script></head>
<body><img src="http://127.0.0.1:{tcp}/img"><iframe src="http://127.0.0.1:{tcp}/frame"></iframe><iframe name=f></iframe>
<form id=form target=f method=post action="http://127.0.0.1:{tcp}/form"><input name=x value=y></form>
<script>
const at = "127.0.0.1:{tcp}", tried = [];
const attempt = (name, what) => {{ try {{ what(); tried.push(name); }} catch (error) {{ tried.push(name + "!"); }} }};
attempt("fetch", () => fetch("http://" + at + "/fetch", {{mode: "no-cors"}}).catch(() => 0));
attempt("beacon", () => navigator.sendBeacon("http://" + at + "/beacon", "x"));
attempt("source", () => new EventSource("http://" + at + "/source"));
attempt("socket", () => new WebSocket("ws://" + at + "/socket"));
attempt("form", () => document.getElementById("form").submit());
attempt("worker", () => {{
  const code = `fetch("http://${{at}}/worker", {{mode: "no-cors"}}).catch(() => 0); new WebSocket("ws://${{at}}/worker");
    try {{ new WebTransport("https://127.0.0.1:{udp}/"); }} catch (error) {{}}`;
  new Worker(URL.createObjectURL(new Blob([code])));
}});
attempt("transport", () => new WebTransport("https://127.0.0.1:{udp}/"));
attempt("rtc", () => {{
  const call = new RTCPeerConnection({{iceServers: [{{urls: "stun:127.0.0.1:{udp}"}}]}});
  call.createDataChannel("x"); call.createOffer().then(offer => call.setLocalDescription(offer));
}});
attempt("rtc in a frame", () => {{
  const frame = document.createElement("iframe"); document.body.append(frame);
  const call = new frame.contentWindow.RTCPeerConnection({{iceServers: [{{urls: "stun:127.0.0.1:{udp}"}}]}});
  call.createDataChannel("x"); call.createOffer().then(offer => call.setLocalDescription(offer));
}});
attempt("service", () => navigator.serviceWorker.register("/sw.js").catch(() => 0));
setTimeout(() => document.title = tried.join(" "), 1500);
</script></body></html>"""


@pytest.fixture
def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.setblocking(False)
        yield listening


def heard(udp):
    try:
        return udp.recvfrom(2_048)
    except BlockingIOError:
        return None


@pytest.mark.parametrize("opened", [False, True])
async def test_nothing_a_hostile_page_tries_reaches_where_it_may_not(tmp_path, udp, opened):
    """The same page reaches a server that is opened to it, so that the test can fail."""
    async with serve({"*": reply("inside")}) as inside, serve({}) as server:
        server.routes["/"] = reply(HOSTILE.format(tcp=inside.port, udp=udp.getsockname()[1]))
        async with browsing(tmp_path, server, *([inside] if opened else [])) as rig:
            await rig.run("BrowserOpen", server.url("/"))
            await anyio.sleep(4)
            page = told(await rig.run("BrowserSnapshot"))
    assert page["title"].startswith("fetch beacon source"), "the page's scripts have run to their end"
    asked = {request.target for request in inside.received}
    if opened:
        assert {"/img", "/frame", "/fetch", "/beacon", "/form", "/worker"} <= asked
        assert "/socket" not in asked
    else:
        assert inside.connections == 0
        assert "127.0.0.1 [network." in " ".join(page["notices"])
    assert heard(udp) is None, "no datagram leaves"
    assert rig.resolver.asked == [], "no name is looked up that no page asks for, Chromium's own least of all"


async def test_a_name_is_looked_up_by_the_proxy_alone_and_judged(tmp_path):
    async with serve({"*": reply("<title>Named</title>")}) as server:
        async with browsing(tmp_path, server, names=["shop.example"]) as rig:
            page = told(await rig.run("BrowserOpen", server.url("/", "shop.example")))
            away = told(await rig.run("BrowserOpen", "http://nowhere.example/"))
    assert page["title"] == "Named"
    assert away["error"]["code"] == "network.dns_failed"
    assert set(rig.resolver.asked) == {"shop.example", "nowhere.example"}


async def test_a_picture_of_a_page_leaves_nothing_behind(tmp_path):
    async with serve(shop()) as server, browsing(tmp_path, server, blocked=["blocked.example"]) as rig:
        shooter = load("limen.builtin.browser.shooter:BrowserShooter")(rig.means)
        shot = await shooter.shoot(server.url("/cookie"), 1, CallContext())
        assert isinstance(shot, Shot)
        assert (shot.width, shot.height, shot.pages) == (1280, 800, 1)
        assert (await shooter.shoot(server.url("/"), 2, CallContext())).code == "screenshot.no_page"
        assert (await shooter.shoot("http://blocked.example/", 1, CallContext())).code == "policy.blocked"
        assert (await shooter.shoot("http://10.0.0.1/", 1, CallContext())).code == "network.private_address"
    assert [path for path in (tmp_path / "browser").rglob("*") if path.is_file()] == []


async def test_a_picture_says_what_it_does_not_show_and_is_of_the_page_that_was_asked_for(tmp_path):
    pages = {
        "/gone": reply("<h1>none</h1>", status=404),
        "/window": reply("<h1>page</h1><script>window.open('http://10.0.0.1/')</script>"),
        "/late": reply("<h1>page</h1><script>setTimeout(() => window.open('/gone'), 300)</script>"),
        "/mail": reply("<h1>page</h1><script>location.href = 'mailto:somebody@example.org'</script>"),
        "/nothing": reply("", status=204),
        "*": reply("", status=404),
    }
    async with serve(pages) as server, browsing(tmp_path, server) as rig:
        shooter = load("limen.builtin.browser.shooter:BrowserShooter")(rig.means)
        shots = {name: await shooter.shoot(server.url(name), 1, CallContext()) for name in pages if name != "*"}
    assert shots["/gone"].notices == ("The server answered with status 404.",)
    for name in ("/window", "/late", "/mail"):
        assert shots[name].url == server.url(name)
        assert shots[name].png
    assert shots["/nothing"].code == "browser.failed"
    assert "nothing that a browser shows" in shots["/nothing"].reason


CARRYING = """<h1>Form</h1><a href="/taken?access_token=tulip4711">Carry</a><a href="/plain?q=1">Plain</a>
<button onclick="location.href='/taken?token=' + 'tulip4711'">Script</button>
<button onclick="const f = document.createElement('iframe'); f.src = '/frame?password=tulip4711'; document.body.append(f)">Frame
</button><form action="/taken"><input type=hidden name=client_secret value=tulip4711><button>Send</button></form>
<img src="/picture?signature=0abc">"""


@pytest.mark.parametrize("name", ["Carry", "Script", "Frame", "Send", "Plain"])
async def test_where_a_page_leads_is_judged_and_what_it_is_made_of_by_its_host_alone(tmp_path, name):
    async def navigation(url):
        return Refusal("secrets", "secrets.parameter", "carries", "remove it") if "tulip4711" in url else None

    async with serve({"/": reply(CARRYING), "*": reply("<p>ok</p>")}) as server:
        async with browsing(tmp_path, server, navigation=navigation) as rig:
            await rig.run("BrowserOpen", server.url("/"))
            done = await act(rig, name, "click")
    asked = [request.target for request in server.received]
    assert not [target for target in asked if "tulip4711" in target]
    assert "/picture?signature=0abc" in asked
    if name == "Plain":
        assert "/plain?q=1" in asked
    else:
        assert "secrets.parameter" in json.dumps(done)


async def test_a_chromium_that_is_not_there_or_does_not_start_is_said(tmp_path):
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    async with browsing(tmp_path, executable=str(tmp_path / "none")) as rig:
        assert told(await rig.run("BrowserOpen", "http://10.0.0.1/"))["error"]["code"] == "browser.no_chromium"
    async with browsing(tmp_path, executable=str(broken)) as rig:
        with pytest.raises(Exception, match=r"browser\.not_started"):
            await rig.run("BrowserOpen", "http://10.0.0.1/")


@pytest.fixture
def display(monkeypatch):
    """A screen that nobody looks at."""
    need()
    server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1024x768x24"], stdout=subprocess.PIPE, text=True)
    monkeypatch.setenv("DISPLAY", f":{server.stdout.readline().strip()}")
    yield
    server.terminate()
    server.wait(10)
    server.stdout.close()


class Person:
    """Browsers as a person has them: somebody who closes the window."""

    def __init__(self, browsers):
        self.program = browsers.program
        self._browsers = browsers
        self._context = None

    @asynccontextmanager
    async def for_person(self, *arguments):
        async with self._browsers.for_person(*arguments) as (self._context, tab):
            yield self._context, tab

    async def close_the_window(self):
        await anyio.sleep(1)
        for page in self._context.pages:
            await page.close()


async def test_a_person_logs_in_and_the_session_keeps_it(tmp_path, display):
    log_in = load("limen.builtin.browser.login:log_in")
    async with serve(shop()) as server, browsing(tmp_path, server, session="one") as rig:
        person = Person(rig.browsers)
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:

                async def opened():
                    tasks.start_soon(person.close_the_window)

                done = await log_in(person, rig.vet, server.url("/cookie"), "one", opened)
        assert done.cookies == 1
        await rig.run("BrowserOpen", server.url("/next"))
    (later,) = [request for request in server.received if request.target == "/next"]
    assert "kept=1" in later.headers["cookie"]


async def test_a_log_in_without_a_display_is_refused(tmp_path, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    async with browsing(tmp_path) as rig:
        refused = await load("limen.builtin.browser.login:log_in")(rig.browsers, rig.vet, "http://x.example/", "one", None)
    assert isinstance(refused, Refusal)
    assert refused.code == "browser.no_display"
