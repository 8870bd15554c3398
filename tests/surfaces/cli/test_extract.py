"""`limen extract`: pages on stdout, how each came on stderr, and how it ends."""

import json
import os
import shlex
import sys
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from reading.made_pdf import made_pdf
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
NEWS = (
    '<html><head><title>Tea & sea</title><meta property="og:type" content="article"><script type="application/ld+json">'
    '{"@type": "NewsArticle", "headline": "Tea & sea"}</script></head><body><header><nav>'
    + "".join(f"<a href=/s{n}>Section {n}</a> " for n in range(20))
    + "</nav></header><article><h1>Tea &amp; sea</h1>"
    + "".join(
        f"<p>The {n}th ship that carried tea over the sea came home late, as all that did before it.</p>" for n in range(30)
    )
    + "</article><footer>© 2026 Harbour News</footer></body></html>"
)
PLAIN = {"content-type": "text/plain"}


@pytest.fixture(scope="module")
def site():
    routes = {
        **{f"/tea?{number}": reply(PAGE) for number in range(5)},
        "/tea": reply(PAGE),
        "/2026/03/04/tea-comes-home-over-the-sea": reply(NEWS),
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
    ("page_format", "line"), [("markdown", "# Tea & sea"), ("text", "Tea & sea"), ("html", "<h1>Tea &amp; sea</h1>")]
)
def test_the_title_that_an_articles_text_leaves_out_heads_what_is_printed(limen, site, page_format, line):
    url = site.url("/2026/03/04/tea-comes-home-over-the-sea")
    done = limen("extract", url, "--format", page_format)
    assert done.out.startswith(f"{line}\n\n")
    assert done.out.count("Tea &") == 1
    [entry] = json.loads(limen("extract", url, "--json").out)["results"]
    assert (entry["title"], "Tea &" in entry["content"]) == ("Tea & sea", False)


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
        assert "127.0.0.1" in terminal.text.partition("5/5")[2].partition("---")[0]
        assert terminal.text.count("Green tea is brewed at 80 degrees.") == 5


RICH = """<html lang=en><head><title>All of tea</title><meta name=author content="Ann Leaf"></head><body><main>
<h1 id=top>Tea</h1><p>Green <b>tea</b>, <a href="/how">how it is brewed</a>, and \x9b31m words enough to be a page of its own.</p>
<h2 id=table>Degrees</h2><table><tr><th>Tea</th><th>Degrees</th></tr><tr><td>green</td><td>80</td></tr></table>
<pre><code class=language-python>print("tea")</code></pre></main></body></html>"""


@pytest.mark.parametrize(("raw", "colour"), [(False, True), (False, False), (True, True)])
def test_a_terminal_gets_the_page_rendered_below_its_head(home, site, raw, colour):
    site.routes["/rich"] = reply(RICH)
    opened = f"127.0.0.1:{site.port}"
    arguments = [sys.executable, "-m", "limen", "extract", site.url("/rich"), *(["--raw"] if raw else [])]
    more = {} if colour else {"NO_COLOR": "1"}
    with closing(PseudoTerminal(arguments, environment(LIMEN_SECURITY_ALLOW_PRIVATE_HOSTS=opened, **more))) as terminal:
        assert terminal.wait() == 0
        shown, sent = terminal.text, terminal.raw
    assert ("# Tea" in shown) is raw
    assert ("| green | 80 |" in shown) is raw
    assert ("Ann Leaf · en" in shown, "characters" in shown) == (not raw, not raw)
    assert 'print("tea")' in shown
    assert b"\x9b" not in sent
    assert b"\xc2\x9b" not in sent
    if not raw:
        assert shown.index("Ann Leaf") < shown.index(site.url("/rich")) < shown.index("Degrees")
        assert (b"\x1b]8;" in sent) is colour
    if not colour:
        assert b"\x1b[1m" not in sent
        assert f"({site.url('/how')})" in "".join(shown.split("\n"))


def test_json_tells_all_that_is_known_of_a_page(limen, site):
    site.routes["/rich"] = reply(RICH)
    (entry,) = json.loads(limen("extract", site.url("/rich"), "--json").out)["results"]
    assert (entry["title"], entry["author"]) == ("Tea", "Ann Leaf")
    page = entry["page"]
    assert (page["author"], page["language"], page["charset"], page["shell"]) == ("Ann Leaf", "en", "utf-8", None)
    assert page["outline"][1] == {"level": 2, "text": "Degrees", "line": 5, "anchor": "table"}
    assert page["links"] == [{"n": 1, "text": "how it is brewed", "url": site.url("/how")}]
    assert {"published", "canonical_url", "page_type", "dropped"} <= page.keys()


def test_files_are_read_beside_pages_in_their_places(limen, site, tmp_path):
    (tmp_path / "notes.html").write_text(PAGE)
    (tmp_path / "a b.md").write_text("# Of a blank\n\nIts words.\n")
    done = limen("extract", "notes.html", site.url("/tea"), (tmp_path / "a b.md").as_uri(), "./none.md", "--json")
    results = json.loads(done.out)["results"]
    assert [entry["source"]["provider"] for entry in results] == ["file", "local", "file", None]
    assert [entry["content"].split("\n")[0] for entry in results] == ["# Tea", "# Tea", "# Of a blank", ""]
    assert (results[0]["source"]["final_url"], results[0]["source"]["sent_to"]) == ((tmp_path / "notes.html").as_uri(), [])
    assert (results[3]["error"]["code"], done.status) == ("files.missing", 1)


FILES = {
    "a folder": (lambda path: path.mkdir(), "files.is_folder"),
    "an empty file": (lambda path: path.write_bytes(b""), "reader.empty_page"),
    "a pipe": (lambda path: os.mkfifo(path), "files.not_regular"),
    "a broken PDF": (lambda path: path.write_bytes(b"%PDF-1.4 nothing"), "reading.pdf_damaged"),
}


@pytest.mark.parametrize(("make", "code"), FILES.values(), ids=FILES)
def test_what_is_no_readable_file_is_said(limen, tmp_path, make, code):
    make(tmp_path / "it.pdf")
    done = limen("extract", "it.pdf")
    assert (done.status, done.out, f"[{code}]" in done.err) == (1, "", True)


def test_a_long_file_is_cut_and_read_on_like_a_page(limen, tmp_path):
    (tmp_path / "long.txt").write_text(LINES)
    done = limen("extract", "long.txt", "--char-limit", "2000")
    assert len(done.out) <= 2_001
    assert "Read on: limen open " in done.out


def test_a_pdf_is_read_from_the_page_that_is_named_behind_it(limen, tmp_path):
    (tmp_path / "a.pdf").write_bytes(made_pdf("one", "two", "three"))
    for name in (f"{tmp_path}/a.pdf#page=2", f"file://{tmp_path}/a.pdf#page=2"):
        done = limen("extract", name)
        assert done.out == "[Page 2]\n\ntwo\n\n[Page 3]\n\nthree\n"
        assert "Read from page 2 of 3 on" in done.err


def test_an_address_without_a_scheme_is_no_file(limen):
    assert limen("extract", "example.com/none").status == 3


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


def test_of_a_cut_page_both_ends_are_rendered_even_where_the_gap_begins_or_ends_in_code(home, tmp_path):
    listing = "\n".join(f"line_{number} = {number}" for number in range(400))
    (tmp_path / "long.md").write_text(f"# Before\n\n```python\n{listing}\n```\n\n## Behind\n\nThe **last** words.\n")
    arguments = [sys.executable, "-m", "limen", "extract", str(tmp_path / "long.md"), "--char-limit", "2000"]
    with closing(PseudoTerminal(arguments, environment(NO_COLOR="1"))) as terminal:
        assert terminal.wait() == 0
        shown = terminal.text.split("\n")
    assert "[… left out: from line " in terminal.text
    assert {" line_0 = 0", " line_399 = 399", "Behind", "The last words."} <= {line.rstrip() for line in shown}
    assert "Read on: limen open " in terminal.text


@pytest.mark.parametrize(("name", "text"), [("a.py", "# One\nx = 2*3*4\ny = 1\n"), ("a.jsonl", '{"a": "__b__"}\n{"a": 2}\n')])
def test_what_is_no_markdown_is_shown_at_a_terminal_as_it_is(home, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    arguments = [sys.executable, "-m", "limen", "extract", str(tmp_path / name)]
    with closing(PseudoTerminal(arguments, environment(NO_COLOR="1"))) as terminal:
        assert terminal.wait() == 0
        assert text.strip() in terminal.text.replace("\r", "")


def test_a_wide_table_loses_nothing_in_a_narrow_terminal(home, tmp_path):
    columns = [f"Headline{number}" for number in range(12)]
    (tmp_path / "wide.md").write_text(f"|{'|'.join(columns)}|\n{'|---' * 12}|\n|{'|'.join('日本語のことば' for _ in columns)}|\n")
    environment_ = environment(NO_COLOR="1", COLUMNS="60")
    with closing(PseudoTerminal([sys.executable, "-m", "limen", "extract", str(tmp_path / "wide.md")], environment_)) as terminal:
        assert terminal.wait() == 0
    table = terminal.text.partition("characters")[2]
    assert "…" not in table
    assert table.count("日") == 12


@pytest.mark.parametrize(("name", "shown"), [("a.html", "Call __init__ or _x_ now."), ("a.md", "Call init or x now.")])
def test_underscores_are_marks_in_files_of_markdown_alone(home, tmp_path, name, shown):
    page = tmp_path / name
    page.write_text("Call __init__ or _x_ **now**." if name == "a.md" else "<h1>A</h1><p>Call __init__ or _x_ <b>now</b>.</p>")
    arguments = [sys.executable, "-m", "limen", "extract", str(page)]
    with closing(PseudoTerminal(arguments, environment(NO_COLOR="1"))) as terminal:
        assert terminal.wait() == 0
        assert shown in terminal.text
