"""Records of calls: what they hold, what they never hold, and what becomes of them on a bad disk."""

import json
import stat

import anyio
import pytest
from web.rig import Canned, make_extractor, masking, secrets_gate
from web.search_rig import Rig, down, web

from limen.core.context import CallContext
from limen.core.ledger import GateVerdict, Treatment
from limen.core.ports import Pulled
from limen.core.web import Extraction, Hit, Page, SearchAnswer, SearchRequest, SearchSource
from limen.kit.log import fail_open_counts
from limen.runtime import RuntimeOptions, open_runtime
from limen.web import debug
from limen.web.debug import DebugLog, search_record
from limen.web.extract import EXTRACT_GATES, Extractor, ExtractRules, ReadingParts
from limen.web.gates.resolve import resolve_gate
from limen.web.search import SEARCH_GATES
from limen.web.trace import Trace, taking, timed

pytestmark = pytest.mark.anyio
URL = "https://93.184.216.34/page"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def log(folder, *, enabled=lambda: True):
    return DebugLog(folder, masking(), enabled, clock=lambda: 1_800_000_000.0)


def records(folder, turn="t_1"):
    return json.loads((folder / f"web-{turn}.json").read_text())


def extractor(tmp_path, *, enabled=lambda: True):
    provider = Canned(Pulled(URL, Page(url=URL, text="line\n" * 2_000)))
    gates = {"secrets": secrets_gate(), "resolve": resolve_gate({"local": provider}, "local")}
    parts = ReadingParts(gates, {"local": provider}, ExtractRules())
    return Extractor(lambda: parts, tmp_path / "pages", lambda: "n", debug=log(tmp_path / "logs", enabled=enabled))


async def test_a_call_is_written_down_with_what_each_step_took(tmp_path):
    wish = Extraction((URL, "https://93.184.216.34/missing"), limit_chars=2_000)
    await extractor(tmp_path).extract(wish, CallContext("s", "t_1", "c"))
    (record,) = records(tmp_path / "logs")
    assert (record["tool"], record["session"], record["turn"], record["call_id"]) == ("web_extract", "s", "t_1", "c")
    assert (record["pages_extracted"], record["pages_truncated"]) == (1, 1)
    assert [step["name"] for step in record["gates"]] == ["secrets", "resolve"]
    assert [step["name"] for step in record["steps"]] == ["fetch", "shapers"]
    assert all(step["took_ms"] >= 0 for step in record["gates"] + record["steps"])
    page, missing = record["pages"]
    assert (page["original_chars"], page["truncated"], page["provider"], page["cached"]) == (10_000, True, "canned", False)
    assert 0 < page["sent_chars"] < 2_000
    assert page["gates"][0] == {"gate": "secrets", "verdict": "allow", "code": None}
    assert missing["error"]["code"] == "web.no_answer"
    assert record["parameters"]["char_limit"] == 2_000
    assert record["at"] == "2027-01-15T08:00:00Z"


async def test_a_refused_call_is_written_down_without_what_it_was_refused_for(tmp_path):
    await extractor(tmp_path).extract(Extraction((f"{URL}?a={SECRET}",)), CallContext(turn="t_1"))
    (record,) = records(tmp_path / "logs")
    assert record["error"]["code"] == "secrets.value"
    assert record["pages"] == []
    assert SECRET not in (tmp_path / "logs" / "web-t_1.json").read_text()


async def test_a_credential_across_the_cut_leaves_no_part_of_itself(tmp_path):
    await log(tmp_path).note("x", CallContext(turn="t_1"), {"text": "y" * (debug._STRING_CHARS - 20) + f" {SECRET}"})
    (record,) = records(tmp_path)
    assert SECRET[:10] not in record["text"]


async def test_nothing_is_written_unless_it_is_wanted_and_wanting_it_takes_effect_at_once(tmp_path):
    wanted = [False]
    reading = extractor(tmp_path, enabled=lambda: wanted[0])
    await reading.extract(Extraction((URL,)), CallContext())
    assert not (tmp_path / "logs").exists()
    wanted[0] = True
    await reading.extract(Extraction((URL,)), CallContext())
    assert len(records(tmp_path / "logs", "direct")) == 1


async def test_calls_at_one_time_all_stand_in_the_file_and_it_is_private(tmp_path):
    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(log(tmp_path).note, "x", CallContext(turn="t_1"), {"number": number})
    assert sorted(one["number"] for one in records(tmp_path)) == list(range(20))
    assert stat.S_IMODE((tmp_path / "web-t_1.json").stat().st_mode) == 0o600


async def test_a_file_is_bounded_and_loses_its_oldest_records(tmp_path):
    for number in range(30):
        await log(tmp_path).note("x", CallContext(turn="t_1"), {"number": number, "pages": ["y" * 1_900] * 30})
    kept = [one["number"] for one in records(tmp_path)]
    assert kept == list(range(30 - len(kept), 30))
    assert (tmp_path / "web-t_1.json").stat().st_size <= debug.MAX_FILE_BYTES + 1_000


async def test_the_oldest_files_go(tmp_path):
    for number in range(debug.MAX_FILES + 5):
        (tmp_path / f"web-old{number}.json").write_text("[]")
    (tmp_path / "gateway.log").write_text("mine")
    await log(tmp_path).note("x", CallContext(turn="t_1"), {})
    assert len(list(tmp_path.glob("web-*.json"))) == debug.MAX_FILES
    assert records(tmp_path)
    assert (tmp_path / "gateway.log").exists()


@pytest.mark.parametrize("turn", ["", "../../etc/passwd", "a/b", "x" * 65, "\x00"])
async def test_a_turn_that_is_no_file_s_name_is_none(tmp_path, turn):
    await log(tmp_path / "logs").note("x", CallContext(turn=turn), {})
    assert [file.name for file in (tmp_path / "logs").glob("*.json")] == ["web-direct.json"]


async def test_what_is_no_character_is_written_as_well_as_it_can_be(tmp_path):
    await log(tmp_path).note("x", CallContext(turn="t_1"), {"url": "https://a/\ud800", "share": float("nan")})
    assert records(tmp_path)[0]["url"] == "https://a/?"


@pytest.mark.parametrize("content", [b"", b"{}", b"no json", b"\xff\xfe", b"[1"])
async def test_a_broken_file_begins_anew(tmp_path, content):
    (tmp_path / "web-t_1.json").write_bytes(content)
    await log(tmp_path).note("x", CallContext(turn="t_1"), {})
    assert len(records(tmp_path)) == 1


async def test_a_disk_that_takes_nothing_costs_the_record_and_is_counted(tmp_path):
    (tmp_path / "logs").write_text("a file where the folder should be")
    before = fail_open_counts["web.debug_not_written"]
    answer = await extractor(tmp_path).extract(Extraction((URL,)), CallContext())
    assert answer.entries[0].page.url == URL
    assert fail_open_counts["web.debug_not_written"] == before + 1


async def test_a_search_is_written_down_too(tmp_path):
    trace = Trace()
    trace.add("memo", 0.001)
    trace.add("ask", 0.002)
    source = SearchSource("exa", cached=True, age_s=3.0)
    answer = SearchAnswer((Hit("T", URL, "words"),), source, treatment=Treatment(gates=(GateVerdict("memo", "hit", "memo.hit"),)))
    record = search_record(SearchRequest(f"what is {SECRET}"), answer, trace, ("secrets", "memo"), 0.004)
    await log(tmp_path).note("web_search", CallContext(turn="t_1"), record)
    (written,) = records(tmp_path)
    assert SECRET not in str(written)
    assert (written["results_count"], written["took_ms"], written["source"]["provider"]) == (1, 4.0, "exa")
    assert written["gates"] == [{"name": "memo", "took_ms": 1.0}]
    assert written["steps"] == [{"name": "ask", "took_ms": 2.0}]
    assert written["verdicts"] == [{"gate": "memo", "verdict": "hit", "code": "memo.hit"}]


async def test_each_search_leaves_a_record_of_its_gates(tmp_path):
    rig = Rig(down("exa"), ring=(web("parallel"),), chosen="exa", kept=tmp_path / "kept", debug=log(tmp_path))
    await rig.search("heron words", context=CallContext("s", "t_1", "c"), limit=3)
    await rig.search(f"what is {SECRET}", context=CallContext("s", "t_1", "c"))
    found, refused = records(tmp_path)
    assert (found["tool"], found["call_id"], found["parameters"]["limit"]) == ("web_search", "c", 3)
    assert [step["name"] for step in found["gates"]] == list(SEARCH_GATES)
    assert [step["name"] for step in found["steps"]] == ["exa", "parallel"]
    assert (found["results_count"], found["source"]["rescued_from"], found["error"]) == (1, "exa", None)
    assert [step["name"] for step in refused["gates"]] == ["secrets"]
    assert refused["error"]["code"] == "secrets.value"
    assert SECRET not in str(refused)


async def test_a_variable_switches_the_records_of_searches_on(tmp_path, monkeypatch):
    for value, written in (("false", False), ("true", True)):
        monkeypatch.setenv("LIMEN_WEB_DEBUG", value)
        async with open_runtime(RuntimeOptions(home=tmp_path / value, workspace=tmp_path)) as runtime:
            await runtime.web.search(SearchRequest("how do I add a document", provider="library"), CallContext())
        assert (tmp_path / value / "logs" / "web-direct.json").exists() is written
    (record,) = records(tmp_path / "true" / "logs", "direct")
    assert (record["tool"], record["source"]["provider"]) == ("web_search", "library")
    assert "library" in [step["name"] for step in record["steps"]]


async def test_a_gate_s_time_is_its_own():
    now = [0.0]

    class Request:
        trace = Trace(clock=lambda: now[0])

    async def slow(request, proceed):
        now[0] += 1
        answer = await proceed(request)
        now[0] += 2
        return answer

    async def endpoint(request):
        async def work():
            now[0] += 10
            return "answer"

        return await taking(request.trace, "fetch", work)

    async def inner(request):
        return await timed("inner", slow)(request, endpoint)

    assert await timed("outer", slow)(Request, inner) == "answer"
    assert Request.trace.took_ms == {"outer": 3_000.0, "inner": 3_000.0, "fetch": 10_000.0}


async def test_an_untraced_call_is_the_same_call(tmp_path):
    provider = Canned(Pulled(URL, Page(url=URL, text="x")))
    answer = await make_extractor(tmp_path, {"local": provider}).extract(Extraction((URL,)), CallContext(), fenced=False)
    assert answer.entries[0].content == "x"
    assert EXTRACT_GATES[0] == "secrets"
