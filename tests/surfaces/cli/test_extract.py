"""`limen extract`: pages on stdout, how each came on stderr, and how it ends."""

import json
import shlex
import sys
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from surfaces.cli import scripted_runtime
from surfaces.cli.conftest import environment, in_process
from surfaces.cli.pseudo_terminal import PseudoTerminal
from surfaces.cli.scripted_limen import load_here

from limen.core.fault import Refusal
from limen.core.ledger import Treatment
from limen.core.web import ExtractAnswer, Fetched, Page, Unread
from limen.main import load
from limen.testing.network import reply, serve

PAGE = (
    "<html><head><title>Tea</title></head><body><main><h1>Tea</h1><p>Green <b>tea</b> is brewed at 80 degrees.</p>"
    "<p><img alt='a cup' src='data:image/png;base64,AAAA'></p></main></body></html>"
)
LINES = "\n".join(f"line {number} of a long text" for number in range(1, 2_001))
ONE_LINE = "word " * 20_000
PLAIN = {"content-type": "text/plain"}


@pytest.fixture(scope="module")
def site():
    routes = {
        **{f"/tea?{number}": reply(PAGE) for number in range(5)},
        "/tea": reply(PAGE),
        "/lines": reply(LINES, headers=PLAIN),
        "/one": reply(ONE_LINE, headers=PLAIN),
    }
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(serve(routes)) as server:
        yield server


@pytest.fixture
def limen(home, capsys, monkeypatch, tmp_path, site):
    monkeypatch.setenv("LIMEN_SECURITY_ALLOW_PRIVATE_HOSTS", f"127.0.0.1:{site.port}")
    monkeypatch.chdir(tmp_path)
    with in_process(load, capsys, monkeypatch) as call:
        yield call


def test_a_page_goes_to_stdout_and_who_read_it_to_stderr(limen, site):
    done = limen("extract", site.url("/tea"))
    assert (done.status, done.out) == (0, "# Tea\n\nGreen **tea** is brewed at 80 degrees.\n\n[IMAGE: a cup]\n")
    assert done.err == f"{site.url('/tea')} · local\n"


@pytest.mark.parametrize(
    ("name", "shown"),
    [("text", "Green tea is brewed at 80 degrees."), ("html", "<p>Green <b>tea</b> is brewed at 80 degrees.</p>")],
)
def test_another_format_is_shown_as_it_is_and_named(limen, site, name, shown):
    done = limen("extract", site.url("/tea"), "--format", name)
    assert shown in done.out
    assert "base64" not in done.out
    assert done.err == f"{site.url('/tea')} · local · {name}\n"
    source = json.loads(limen("extract", site.url("/tea"), "--format", name, "--json").out)["results"][0]["source"]
    assert (source["format"], source["ignored"]) == (name, [])


def test_several_pages_say_in_a_file_too_where_each_is_from(limen, site):
    done = limen("extract", site.url("/tea"), site.url("/missing"), site.url("/tea"))
    assert done.out.count(f"--- {site.url('/tea')} ---\n\n# Tea") == 2
    assert "[network.http_status]" in done.err
    assert done.status == 1


@pytest.mark.parametrize("limit", [1, 50, 700, 2_500])
def test_any_positive_number_of_characters_may_be_asked_for(limen, site, limit):
    for path, text in (("/lines", LINES), ("/one", ONE_LINE)):
        done = limen("extract", site.url(path), "--char-limit", str(limit))
        shown = done.out.removesuffix("\n")
        assert len(shown) <= limit
        assert text.startswith(shown.partition("\n[… left out")[0])
        (read_on,) = [line for line in (done.out + done.err).split("\n") if "limen open" in line]
        assert "read_file" not in done.out
        command = shlex.split(read_on.partition("limen open ")[2].rstrip("]"))
        assert Path(command[0]).read_text() == text.rstrip() or Path(command[0]).read_text() == text
        both = shown.partition("\n[… left out")[0] + limen("open", *command).out
        assert "".join(both.split()) == "".join(text.split())  # from the first character that was left out on


@pytest.mark.parametrize("wrong", ["0", "-5", "many", "nan", "1.5"])
def test_what_is_no_positive_number_is_wrong_usage(limen, site, wrong):
    assert limen("extract", site.url("/tea"), "--char-limit", wrong).status == 2


def test_json_names_both_files_and_says_who_got_the_address(limen, site):
    (entry,) = json.loads(limen("extract", site.url("/lines"), "--char-limit", "900", "--json").out)["results"]
    source = entry["source"]
    assert Path(source["stored_path"]).read_text() == LINES
    assert source["sent_to"] == ["local"]
    assert (source["next_char"], source["snapshot_at"], source["notices"]) == (None, None, [])
    assert "cache_path" in source


@pytest.mark.parametrize(
    ("paths", "status"),
    [
        (["/tea"], 0), (["/tea", "/tea"], 0), (["/missing"], 1), (["/tea", "/missing"], 1), (["private"], 3),
        (["/tea", "private"], 3), (["/missing", "private"], 3), (["/tea", "/missing", "private"], 3),
    ],
)  # fmt: skip
def test_how_mixtures_end(limen, site, paths, status):
    urls = ["http://10.0.0.1/" if path == "private" else site.url(path) for path in paths]
    assert limen("extract", *urls).status == status
    done = limen("extract", *urls, "--json")
    assert done.status == status
    assert [entry["url"] for entry in json.loads(done.out)["results"]] == urls


def test_a_failed_entry_says_who_was_to_read_it(limen, site):
    results = json.loads(limen("extract", site.url("/missing"), "http://10.0.0.1/", "--json").out)["results"]
    assert [entry["source"] for entry in results] == [
        {"provider": "local", "sent_to": ["local"]}, {"provider": None, "sent_to": []},
    ]  # fmt: skip


def test_several_pages_are_counted_at_a_terminal(home, site):
    urls = [site.url(f"/tea?{number}") for number in range(5)]
    opened = f"127.0.0.1:{site.port}"
    arguments = [sys.executable, "-m", "limen", "extract", *urls]
    with closing(PseudoTerminal(arguments, environment(LIMEN_SECURITY_ALLOW_PRIVATE_HOSTS=opened))) as terminal:
        assert terminal.wait() == 0
        assert "5/5" in terminal.text
        assert terminal.text.count("# Tea") == 5


URL = "https://example.com/"
FAILED = ("exa: web.timeout", "parallel: web.no_answer")
PAGES = {
    "cached": (Treatment(cached=True, age_s=1_234.6), {}, "local · cached 1,235 s ago"),
    "a snapshot": (Treatment(), {"snapshot_at": "2026-01-02"}, "local · a snapshot of 2026-01-02"),
    "rescued": (
        Treatment(rescued_from="exa"),
        {"provider": "keenable", "rescue_cause": "it was down", "readers_failed": FAILED},
        "keenable · instead of exa: it was down",
    ),
    "after another": (Treatment(), {"readers_failed": FAILED[:1]}, "local · after exa: web.timeout"),
    "not done": (Treatment(), {"ignored": ("format", "fresh")}, "local · not done: format, fresh"),
    "noticed": (Treatment(), {"notices": ("Something is \x1b[31modd.",)}, "local\n! Something is \ufffd[31modd."),
}


class OnePage:
    """A web of one entry."""

    def __init__(self, entry):
        self.entry = entry

    async def extract(self, request, context):
        return ExtractAnswer((self.entry,) * len(request.urls))


@pytest.fixture
def limen_of(home, capsys, monkeypatch):
    """`limen_of(entry)` is a `limen` that reads that entry wherever it is sent."""

    def make(entry):
        @asynccontextmanager
        async def open_runtime(options):
            async with scripted_runtime.open_runtime(options) as runtime:
                runtime.web = OnePage(entry)
                yield runtime

        return in_process(
            lambda dotted: open_runtime if dotted == "limen.runtime:open_runtime" else load_here(dotted), capsys, monkeypatch
        )

    return make


@pytest.mark.parametrize(("treatment", "fields", "said"), PAGES.values(), ids=PAGES)
def test_how_a_page_came_is_marked(limen_of, treatment, fields, said):
    page = Page(url=URL, title="T", text="text")
    entry = Fetched(URL, page, fields.pop("provider", "local"), "", "text", 4, 4, treatment=treatment, **fields)
    with limen_of(entry) as limen:
        done = limen("extract", URL)
    assert done.out == "text\n"
    assert done.err.startswith(f"{URL} · {said}\n")
    if treatment.rescued_from:
        assert "the address also went to parallel and keenable, whom nobody chose" in done.err


def test_what_the_other_readers_said_is_told(limen_of):
    detail = {"rescue": {"parallel": "it gave no page [web.no_answer]", "local": "it was down [network.timeout]"}}
    with limen_of(Unread(URL, Refusal("exa", "search.billing", "no money", "", detail))) as limen:
        done = limen("extract", URL)
    assert done.status == 1
    assert "  parallel: it gave no page [web.no_answer]\n  local: it was down [network.timeout]\n" in done.err
