"""Limen from Python: names that load late, functions that work with and without a running loop."""

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest
from anyio.from_thread import start_blocking_portal

import limen
from limen.core.event import TurnEnded
from limen.core.fault import ConfigFault
from limen.core.web import Hit
from limen.runtime import RuntimeOptions, open_runtime
from limen.testing.model_server import Stream, model_server
from limen.testing.network import reply, serve

PAGE = "# Cancelling tasks\n\nTo cancel an asyncio task, call its `cancel` method. It throws CancelledError into the coroutine.\n"


@pytest.fixture
def document(tmp_path, home):
    path = tmp_path / "docs" / "tasks.md"
    path.parent.mkdir()
    path.write_text(PAGE)

    async def add():
        async with limen.library() as index:
            await index.add([str(path)])

    anyio.run(add)
    return path


def test_importing_costs_nothing_and_names_load_when_used():
    names = "[m for m in sys.modules if m[:5] == 'limen']"
    text = f"import sys, limen; print({names}); limen.read; print('limen.runtime' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == ["['limen']", "False"]


def test_every_name_that_is_listed_is_there():
    assert set(limen.__all__) <= set(dir(limen))
    for name in limen.__all__:
        assert getattr(limen, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = limen.nonsense


def test_ask_answers_from_a_document(document):
    outcome = limen.ask("How do I cancel an asyncio task?")
    assert outcome.end.reason == "answered"
    assert "cancel" in outcome.answer
    assert [source.title for source in outcome.sources if source.read] == ["Cancelling tasks"]


def test_ask_says_how_it_ended_instead_of_raising(home):
    assert limen.ask(" ").end.code == "turn.empty"
    assert limen.ask("x", model="nobody/nothing").end.code == "model.unknown_provider"


@pytest.mark.anyio
async def test_functions_are_safe_inside_a_running_loop(home, tmp_path):
    path = tmp_path / "tasks.md"
    path.write_text(PAGE)
    async with limen.library() as index:
        await index.add([str(path)])
    assert limen.search("cancel asyncio task").hits[0].title.startswith("Cancelling tasks")


def test_a_search_takes_every_wish_and_refuses_what_none_is(home):
    wishes = {"type": "news", "recency_days": 3, "region": "br", "context_size": "high", "live": True, "max_chars": 9}
    answer = limen.search("zzyzx", limit=1_000, **wishes)
    assert set(answer.source.ignored) >= wishes.keys() - {"max_chars"}
    assert answer.source.notices == ("limit 1000 is not between 1 and 100; 100 is used",)
    for wrong in ({"type": "maps"}, {"context_size": "huge"}, {"limit": "many"}, {"recency_days": "soon"}):
        with pytest.raises(ValueError, match=r"\$\."):
            limen.search("zzyzx", **wrong)


def test_no_results_and_could_not_search_are_not_the_same(home):
    nothing = limen.search("zzyzx quuxification")
    assert (nothing.hits, nothing.refusal) == ((), None)
    assert limen.search(" ").refusal.code == "search.empty_query"


def test_extract_keeps_the_place_of_what_it_could_not_read(home):
    answer = limen.extract(["http://10.0.0.1/", "ftp://example.org/"])
    assert [entry.requested for entry in answer.entries] == ["http://10.0.0.1/", "ftp://example.org/"]
    assert limen.extract("http://10.0.0.1/").entries[0].refusal.gate == "network"


def test_read_needs_no_home(home):
    assert limen.read(b"<h1>Title</h1><p>text</p>", content_type="text/html").title == "Title"
    assert not home.exists()


@pytest.mark.anyio
async def test_an_agent_runs_turns_inside_its_block(home):
    agent = limen.Agent(home=home, settings={"limits.steps": "5"})
    with pytest.raises(RuntimeError, match="async with"):
        agent.turn("x")
    async with agent, agent.turn("What is a task?") as events:
        seen = [event async for event in events]
    assert isinstance(seen[-1], TurnEnded)
    assert events.outcome.session == events.session


@pytest.mark.anyio
async def test_a_setting_that_cannot_be_is_a_fault(home):
    with pytest.raises(ConfigFault):
        async with limen.Agent(home=home, settings={"limits.steps": "many"}):
            pass


def test_settings_may_be_what_they_are_as_well_as_text(home):
    settings = {"limits.time_s": 2.5, "limits.steps": 3, "library.search": [], "limits.tokens": None}
    assert limen.ask("What is a task?", home=home, settings=settings).end.reason == "answered"
    for wrong in ({"limits.steps": True}, {"limits.steps": 2.5}, {"limits.time_s": float("nan")}):
        with pytest.raises(ConfigFault, match=next(iter(wrong))):
            limen.ask("x", home=home, settings=wrong)
    with pytest.raises(TypeError):
        limen.ask("x", home=home, settings={"limits.steps": object()})


def test_several_threads_may_ask_at_once(document):
    with ThreadPoolExecutor(4) as threads:
        outcomes = list(threads.map(limen.ask, ["How do I cancel an asyncio task?"] * 4))
    assert [outcome.end.reason for outcome in outcomes] == ["answered"] * 4
    assert len({outcome.session for outcome in outcomes}) == 4


def test_a_conversation_goes_on_under_its_key(document):
    first = limen.ask("How do I cancel an asyncio task?", session="s")
    second = limen.ask("And what does it throw?", session="s")
    assert (first.session, second.session) == ("s", "s")
    assert second.entries[0].n > first.entries[-1].n


def test_a_turn_has_only_the_toolsets_it_is_given(document):
    outcome = limen.ask("How do I cancel an asyncio task?", toolsets=["files"])
    assert {entry.source for entry in outcome.entries if entry.kind == "tools"} == {"find", "read_file"}
    assert limen.ask("x", toolsets=["flies"]).end.code == "turn.unknown_toolset"


def test_settings_and_profile_are_taken_everywhere(home):
    assert limen.extract("http://10.0.0.1/", settings={"web.mode": "off"}).refusal.code == "web.mode"
    assert limen.ask("x", profile="work", settings={"model.route": "nobody/x"}).end.code == "model.unknown_provider"
    assert (home / "profiles" / "work").is_dir()
    with pytest.raises(ConfigFault, match=r"limits\.stepps"):
        limen.search("x", settings={"limits.stepps": "2"})


def test_what_is_wrong_with_the_settings_is_logged(home, caplog):
    home.mkdir()
    (home / "config.yaml").write_text("tools:\n  toolsets: [web, terminl]\nnonsense: 1\n")
    limen.search("x")
    said = " ".join(record.message for record in caplog.records)
    assert "config.unknown_toolset" in said
    assert "nonsense" in said


def test_one_address_is_not_taken_for_its_letters(home):
    outcome = limen.ask("What is this?", urls="http://10.0.0.1/")
    assert "network.private_address" in [refusal.code for refusal in outcome.refusals]


@pytest.mark.parametrize("wrong", [123, None, b"bytes"])
def test_what_is_no_text_is_a_type_error(home, wrong):
    for call in (limen.ask, limen.search):
        with pytest.raises(TypeError, match="text"):
            call(wrong)


@pytest.mark.parametrize("wrong", [123, None, b"bytes", {}, [[]]])
def test_what_is_no_address_costs_its_own_entry(home, wrong):
    answer = limen.extract([wrong, "http://10.0.0.1/"])
    assert [entry.refusal.code for entry in answer.entries] == ["web.bad_entry", "network.private_address"]


def test_extract_takes_hits_generators_and_texts_of_several(home):
    hit = Hit("T", "http://10.0.0.1/", "")
    for urls in ([hit], (url for url in [hit.url]), {"url": hit.url}, hit, {hit.url}):
        assert [entry.requested for entry in limen.extract(urls).entries] == [hit.url]
    assert len(limen.extract("http://10.0.0.1/ http://10.0.0.2/").entries) == 2


def test_a_limit_is_any_positive_number_and_what_is_none_is_said(home, monkeypatch):
    text = "word " * 10_000
    page = reply(text, headers={"content-type": "text/plain"})
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(serve({"/": page})) as site:
        monkeypatch.setenv("LIMEN_SECURITY_ALLOW_PRIVATE_HOSTS", f"127.0.0.1:{site.port}")
        for asked, most, notices in ((7, 7, 0), (600_000, 600_000, 0), (0, 1, 1), (float("nan"), 15_000, 1), (None, 15_000, 0)):
            (entry,) = limen.extract(site.url("/"), limit_chars=asked).entries
            assert min(most, len(text) - 1) * 0.7 <= len(entry.content) <= most
            assert len(entry.notices) == notices
        (entry,) = limen.extract(site.url("/"), settings={"web.extract_char_limit": "3000"}).entries
        assert len(entry.content) <= 3_000


@pytest.mark.anyio
async def test_an_owner_who_leaves_early_still_gets_the_account(home):
    async with limen.Agent(home=home) as agent:
        async with agent.turn("What is a task?", session="s") as events:
            async for _ in events:
                break
            with pytest.raises(RuntimeError, match="has not ended"):
                _ = events.outcome
        assert events.outcome.end.reason == "interrupted"
        assert events.outcome.session == "s"


STUCK = """
import asyncio, limen, sys

async def cell():
    limen.ask("Hello?", model=sys.argv[1])

asyncio.run(cell())
"""


@pytest.mark.anyio
async def test_ctrl_c_ends_a_question_asked_inside_a_running_loop(home):
    asked = anyio.Event()

    def stall(_request):
        asked.set()
        return Stream(("hang",))

    async with model_server(stall) as server:
        process = await anyio.open_process([sys.executable, "-c", STUCK, f"{server.url}#m"], stderr=subprocess.PIPE)
        with anyio.fail_after(30):
            await asked.wait()
            process.send_signal(signal.SIGINT)
            status = await process.wait()
    assert status not in (0, None)
    async with open_runtime(RuntimeOptions(home=home)) as runtime:
        (session,) = await runtime.sessions.list()
        events = [stored.event for stored in await runtime.sessions.events(session.key)]
    assert events[-1].reason == "interrupted"
