"""Long results become reports inside their own envelope: which do, what stays exact, and what happens when something fails."""

import json
import threading
from collections.abc import Sequence
from contextlib import asynccontextmanager

import anyio
import msgspec
import pytest
from agent.rig import REDACTOR, ROUTE, EchoArguments, open_agent, play

from limen.agent.call import Redact
from limen.agent.reports import ReportRules, Reports
from limen.agent.toolbox import schema_of
from limen.core.evidence import Evidence
from limen.core.fault import StoreFault
from limen.core.ledger import LedgerLine, Origin, Trust
from limen.core.message import Image, Text, ToolResult, text_of
from limen.core.tool import Part, ToolAnswer, ToolSpec
from limen.core.untrusted import fence, unfence
from limen.evidence.compact import Compactor
from limen.evidence.generic import GenericExtractor
from limen.evidence.report import MARK
from limen.evidence.shelf import EvidenceShelf
from limen.kit.log import fail_open_counts
from limen.store.sqlite.database import Database
from limen.store.sqlite.evidence import SqliteEvidence
from limen.testing.scripted_model import ScriptedModel, call, say, use
from limen.wiring.compacting import EXTRACTORS, compactor_of

pytestmark = pytest.mark.anyio


def pytest_run(failing: Sequence[str], passing: int = 6_000) -> str:
    """The output of `pytest -v`, in its own form."""
    lines = ["============================= test session starts =============================", f"collected {passing} items", ""]
    lines += [f"tests/test_big.py::test_number_{number} PASSED                [ 50%]" for number in range(passing)]
    lines += [f"tests/test_big.py::{name} FAILED                [100%]" for name in failing]
    lines += ["", "=================================== FAILURES ==================================="]
    for number, name in enumerate(failing):
        lines += [
            f"____________________ {name} ____________________", "", f"    def {name}():", f">       assert {number} == -1",
            f"E       assert {number} == -1", "", f"tests/test_big.py:{number + 10}: AssertionError",
        ]  # fmt: skip
    lines += ["=========================== short test summary info ============================"]
    lines += [f"FAILED tests/test_big.py::{name} - assert {number} == -1" for number, name in enumerate(failing)]
    return "\n".join([*lines, f"================== {len(failing)} failed, {passing} passed in 9.00s =================="]) + "\n"


RUN = pytest_run([f"test_broken_{number}" for number in range(24)], 8_000)
LOG = (
    "".join(f"step {number}: copied object {number * 7919 % 1_000}\n" for number in range(3_000))
    + "ERROR: no space for part 77\n"
)


class Full:
    async def keep(self, text, *, session, tool, source):
        raise StoreFault("store.full", "The disk is full.")

    async def latest(self, session, source):
        return None


class Kept:
    def __init__(self):
        self.texts = {}

    async def keep(self, text, *, session, tool, source):
        evidence_id = f"ev_{len(self.texts):012x}"
        self.texts[evidence_id] = text
        return type("Evidence", (), {"id": evidence_id})

    async def latest(self, session, source):
        return None


class Breaks:
    """An extractor that is sure of everything and reads nothing."""

    name = "breaks"

    def fits(self, told):
        raise ZeroDivisionError("fits")

    def reading(self, told):
        raise ZeroDivisionError("reading")


class BrokenMask:
    def redact(self, text):
        raise ZeroDivisionError("mask")


class Runs:
    """A tool that gives one answer."""

    def __init__(self, answer, output="compact", name="echo"):
        self.spec = ToolSpec(name, "test", "Run.", EchoArguments, "read", output=output)
        self.answer = answer

    async def run(self, arguments, context):
        return self.answer(arguments) if callable(self.answer) else self.answer


PART = Part(Text(""), Origin("tool", "test", Trust.TOOL))


def answer(text, **fields):
    return ToolAnswer((msgspec.structs.replace(PART, block=Text(text)),), **fields)


async def reported(given, *, shelf=None, tool="echo", verbatim=False, compactor=None, redactor=REDACTOR, **rules):
    made = Reports(compactor or compactor_of(), shelf or Kept(), redactor, ReportRules(**rules))
    return await made(given, session="s", tool=tool, verbatim=verbatim)


def said(one):
    return one.parts[0].block.text


def codes(one):
    return [gate.code for gate in one.parts[0].origin.treatment.gates]


def results(request):
    return [text_of((block,)) for message in request.messages for block in message.blocks if isinstance(block, ToolResult)]


def with_reports(folder, model, *tools):
    """An agent that makes reports, with a window of many tokens, each a character."""
    route = msgspec.structs.replace(ROUTE, window_tokens=400_000)
    return open_agent(folder, model, *tools, route=route, compactor=compactor_of())


async def test_a_run_of_tests_reaches_the_model_as_a_report_and_lies_whole_on_the_shelf(tmp_path):
    assert len(RUN) > 500_000
    model = ScriptedModel([use(call("echo", text="x")), say("done")])
    tool = Runs(answer(RUN, command="pytest -v", exit_code=1))
    async with with_reports(tmp_path, model, tool) as (agent, sessions, evidence):
        await play(agent, "go", session="s")
        (entry,) = [entry for entry in await sessions.ledger("s") if entry.kind == "tool"]
        excerpt = await evidence.show(entry.treatment.compacted, 1, None)
    (shown,) = results(model.requests[1])
    assert shown.startswith(f"{MARK} EXIT STATUS 1: failed · $ pytest -v")
    assert all(f"test_broken_{number}" in shown or f"broken_{number}" in shown for number in range(24))
    assert len(shown) < 6_000
    assert entry.treatment.compacted in shown
    assert (entry.chars_in, entry.chars_out) == (len(RUN), len(shown))
    assert excerpt.total_lines == RUN.count("\n") + 1


async def test_an_envelope_stays_json_and_keeps_all_but_its_long_text():
    envelope = {"command": "make", "stdout": LOG, "exit_code": 2, "path": "/a/b", "exact": 1.10, "none": None, "list": [1, 2]}
    text = json.dumps(envelope).replace("1.1,", "1.10,")
    shelf = Kept()
    one = await reported(answer(text), shelf=shelf)
    back = json.loads(said(one))
    assert list(back) == list(envelope)
    assert {key: back[key] for key in envelope if key != "stdout"} == {key: envelope[key] for key in envelope if key != "stdout"}
    assert '"exact":1.10' in said(one).replace(" ", "")
    assert back["stdout"].startswith(f"{MARK} EXIT STATUS 2: failed · $ make")
    assert "no space for part 77" in back["stdout"]
    assert shelf.texts == {one.evidence_id: LOG}


async def test_many_records_in_an_envelope_become_a_report_beside_its_other_members():
    records = [{"id": number, "name": f"record {number}", "state": "ok" if number % 9 else "failed"} for number in range(400)]
    one = await reported(answer(json.dumps({"status": 200, "records": records})))
    back = json.loads(said(one))
    assert back["status"] == 200
    assert back["records"].startswith(MARK)
    assert len(said(one)) < 5_000


@pytest.mark.parametrize("long", ["iVBORw0KGgo" * 2_000, "data:image/png;base64," + "QUJD" * 4_000 + "=="])
async def test_a_file_in_letters_passes_untouched(long):
    for text in (long, json.dumps({"image": long, "n": 1})):
        one = await reported(answer(text))
        assert said(one) == text
        assert codes(one) == ["compact.media"]


async def test_a_picture_beside_a_long_text_stays():
    picture = Part(Image("image/png", b"x" * 9_000), Origin("tool", "test", Trust.TOOL))
    one = await reported(ToolAnswer((picture, *answer(LOG).parts)))
    assert one.parts[0] == picture
    assert one.parts[1].block.text.startswith(MARK)


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"verbatim": True}, "compact.verbatim"),
        ({"tool": "patch"}, "compact.excluded"),
        ({"tool": "evidence_inspect"}, "compact.excluded"),
        ({"enabled": False}, "compact.disabled"),
        ({"shelf": Full()}, "compact.failed"),
    ],
)
async def test_what_may_not_or_cannot_become_a_report_passes_and_says_why(more, code):
    one = await reported(answer(LOG), **more)
    assert (said(one), codes(one), one.evidence_id) == (LOG, [code], None)


async def test_a_full_disk_is_counted():
    before = fail_open_counts["compact.failed"]
    await reported(answer(json.dumps({"stdout": LOG})), shelf=Full())
    assert fail_open_counts["compact.failed"] == before + 1


async def test_a_failing_extractor_leaves_the_floor():
    one = await reported(answer(LOG), compactor=Compactor((Breaks(), *EXTRACTORS)))
    assert "no space for part 77" in said(one)


async def test_only_a_failing_mask_withholds():
    shelf = Kept()
    one = await reported(answer(json.dumps({"stdout": LOG})), shelf=shelf, redactor=BrokenMask())
    assert json.loads(said(one))["error"]["code"] == "redact.failed"
    assert shelf.texts == {}


@pytest.mark.parametrize("already", [MARK, "<persisted-output>"])
async def test_a_report_is_not_made_of_a_report(already):
    for text in (f"{already} of another host\n" + "x y\n" * 2_000, json.dumps({"output": f"{already}\n" + "x y\n" * 2_000})):
        one = await reported(answer(text))
        assert said(one) == text
        assert codes(one) == ["compact.already"]


async def test_a_report_of_fenced_texts_stands_in_a_fence():
    pages = [
        {"url": f"https://a.example/{number}", "snippet": fence("do as I say\n" * 9, "0123456789abcdef", "a")}
        for number in range(99)
    ]
    report = json.loads(said(await reported(answer(json.dumps({"results": pages}, ensure_ascii=False)))))["results"]
    assert unfence(report).startswith(MARK)
    assert report.count("⟦") == 2


async def test_hits_stay_json_with_each_title_and_address():
    hits = [
        {"title": f"Page {number}", "url": f"https://a.example/{number}", "snippet": "some words of it " * 40}
        for number in range(20)
    ]
    shelf = Kept()
    one = await reported(answer(json.dumps({"results": hits, "source": {"provider": "searxng"}})), shelf=shelf)
    back = json.loads(said(one))
    assert [(hit["title"], hit["url"]) for hit in back["results"]] == [(hit["title"], hit["url"]) for hit in hits]
    assert len(said(one)) < 0.55 * len(json.dumps(hits))
    assert json.loads(shelf.texts[one.evidence_id]) == hits
    assert one.parts[0].origin.treatment.extractor == "records"


async def test_a_text_that_passes_inside_an_envelope_keeps_no_neighbour_whole():
    text = json.dumps({"image": "QUJD" * 4_000, "records": [{"id": number, "name": "x y"} for number in range(900)]})
    back = json.loads(said(await reported(answer(text))))
    assert back["image"] == "QUJD" * 4_000
    assert back["records"].startswith(MARK)


@asynccontextmanager
async def kept_in(folder):
    """What makes reports over a real store."""
    database = await Database.open(folder / "limen.db")
    try:
        shelf = EvidenceShelf(SqliteEvidence(database), REDACTOR)
        yield Reports(compactor_of(), shelf, REDACTOR), shelf
    finally:
        await database.close()


async def ran(folder, text, command, session="s", exit_code=1):
    """What a run in a process of its own shows of an output."""
    async with kept_in(folder) as (made, _):
        return await made(answer(text, command=command, exit_code=exit_code), session=session, tool="run", verbatim=False)


def changes(one):
    return [line for line in said(one).splitlines() if line.startswith("since ")]


async def test_the_same_command_again_says_what_changed_also_after_a_restart(tmp_path):
    first = await ran(tmp_path, pytest_run(["test_a", "test_b"]), "pytest -v")
    again = await ran(tmp_path, pytest_run(["test_b", "test_new"]), "pytest -v")
    (line,) = changes(again)
    assert line.startswith(f"since {first.evidence_id}, the last kept run of this command: 2 failed, 1 of them new: ")
    assert "test_new" in line.split(";")[0]
    assert "1 no longer named" in line.split(";")[1]
    assert "test_a" in line.split(";")[1]
    for other in ({"session": "other"}, {"command": "pytest -x"}):
        assert changes(await ran(tmp_path, pytest_run(["test_b"]), **{"command": "pytest -v", **other})) == []
    assert "0 of them new; 0 no longer named" in changes(await ran(tmp_path, pytest_run(["test_b", "test_new"]), "pytest -v"))[0]


def build(*problems):
    return (
        "".join(f"cc -O2 -c src/part_{number}.c -o build/part_{number}.o\n" for number in range(300)) + "\n".join(problems) + "\n"
    )


async def test_a_build_again_says_which_problems_are_new_though_lines_have_moved(tmp_path):
    undeclared = "src/a.c:{}:3: error: 'x' undeclared (first use in this function)"
    await ran(tmp_path, build(undeclared.format(12), "src/b.c:9:1: error: unknown type name 'u8'"), "make", exit_code=2)
    after = await ran(
        tmp_path, build(undeclared.format(15), "src/c.c:7:1: error: expected ';' before 'int'"), "make", exit_code=2
    )
    (line,) = changes(after)
    assert "2 errors, 1 of them new: src/c.c:7 expected ';' before 'int'" in line
    assert "1 no longer named: src/b.c:9 unknown type name 'u8'" in line


class Damaged(Kept):
    """A shelf whose latest text cannot be read."""

    async def latest(self, session, source):
        return Evidence("ev_0", session, "run", source, "text/plain", "", 10, 1, 0.0)

    async def show(self, evidence_id):
        raise StoreFault("store.unreadable", "It is damaged.")


async def test_an_earlier_run_that_cannot_be_read_takes_nothing_from_the_report():
    before = fail_open_counts["compact.unread"]
    one = await reported(answer(pytest_run(["test_a"]), command="pytest -v", exit_code=1), shelf=Damaged())
    assert said(one).startswith(f"{MARK} EXIT STATUS 1")
    assert changes(one) == []
    assert fail_open_counts["compact.unread"] == before + 1


class Waits:
    """An extractor that is sure of everything and reads until it is let go."""

    name = "waits"

    def __init__(self):
        self.goes_on = threading.Event()

    def fits(self, told):
        return 1.0

    def read(self, told):
        self.goes_on.wait()
        return GenericExtractor().read(told)


async def test_a_reader_that_takes_too_long_holds_no_turn():
    slow, before = Waits(), fail_open_counts["compact.late"]
    try:
        one = await reported(answer(LOG), compactor=Compactor((slow,)), least_s=0.01)
    finally:
        slow.goes_on.set()
    assert (said(one), codes(one)) == (LOG, ["compact.late"])
    assert fail_open_counts["compact.late"] == before + 1


async def test_a_notice_of_a_process_in_the_background_stays_whole_beside_an_output():
    notice = Part(
        Text("process 7 exited with 1, its output is ev_0123456789ab; its end:\n" + LOG[-9_000:]), PART.origin, notice=True
    )
    one = await reported(ToolAnswer((notice, *answer(LOG).parts)))
    assert one.parts[0].block == notice.block
    assert [gate.code for gate in one.parts[0].origin.treatment.gates] == ["compact.notice"]
    assert one.parts[1].block.text.startswith(MARK)


async def test_a_notice_that_held_a_credential_is_a_notice_still():
    said_first = "process 7 exited with 1; its end:\nexport TOKEN=" + "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\n"
    notice = Part(Text(said_first + LOG[-9_000:]), PART.origin, notice=True)
    masked = await Redact(REDACTOR)(ToolAnswer((notice,)))
    one = await reported(masked)
    assert one.parts[0].origin.treatment.redacted == 1
    assert codes(one) == ["redact.masked", "compact.notice"]
    assert one.parts[0].block == masked.parts[0].block


async def test_the_ledger_names_who_read_an_output_and_each_id_of_an_envelope(tmp_path):
    envelope = json.dumps({"runs": {"a": {"command": "make", "stdout": LOG}, "b": {"command": "pytest -v", "stdout": RUN}}})
    model = ScriptedModel([use(call("echo", text="x")), say("done")])
    async with with_reports(tmp_path, model, Runs(answer(envelope))) as (agent, sessions, evidence):
        await play(agent, "go", session="s")
        (entry,) = [entry for entry in await sessions.ledger("s") if entry.kind == "tool"]
        kept = [entry.treatment.compacted, *entry.treatment.more_compacted]
        texts = [(await evidence.show(each, 1, None)).text for each in kept]
    assert texts == [LOG, RUN]
    line = LedgerLine.of(entry)
    assert (line.compacted, line.more_compacted, line.extractor) == (kept[0], (kept[1],), "make")
    shown = results(model.requests[1])[0]
    assert all(each in shown for each in kept)


async def test_a_secret_that_shows_only_unescaped_is_masked_on_the_shelf_and_in_the_report():
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    escaped = json.dumps({"stdout": LOG + f"ERROR: token {secret}\n"}).replace("ghp_", "\\u0067hp_")
    shelf = Kept()
    one = await reported(answer(escaped), shelf=shelf)
    assert secret not in said(one) + "".join(shelf.texts.values())


async def test_the_model_may_ask_for_the_exact_text(tmp_path):
    tool = Runs(answer(LOG[:20_000]))
    model = ScriptedModel([use(call("echo", "a", text="x", raw=True)), use(call("echo", "b", text="x")), say("done")])
    async with with_reports(tmp_path, model, tool) as (agent, _, _):
        await play(agent, "go", session="s")
    exact, report = results(model.requests[2])
    assert exact == LOG[:20_000]
    assert report.startswith(MARK)
    schema, _ = schema_of(tool)
    assert schema.parameters["properties"]["raw"]["type"] == "boolean"
    assert "raw" not in schema_of(Runs(None, "verbatim"))[0].parameters["properties"]


async def test_fifty_calls_at_once_each_report_gives_back_its_own_output(tmp_path):
    database = await Database.open(tmp_path / "limen.db")
    shelf = EvidenceShelf(SqliteEvidence(database), REDACTOR)
    made = Reports(compactor_of(), shelf, REDACTOR)
    outputs = [LOG.replace("step", f"run {number} step") for number in range(50)]
    got = {}

    async def one(number):
        got[number] = await made(answer(outputs[number], command="make"), session="s", tool="run", verbatim=False)

    async with anyio.create_task_group() as tasks:
        for number in range(50):
            tasks.start_soon(one, number)
    try:
        assert len({each.evidence_id for each in got.values()}) == 50
        for number, each in got.items():
            assert each.evidence_id in said(each)
            assert (await shelf.show(each.evidence_id, 1, 1)).text.startswith(f"run {number} step 0")
        again = await made(answer(outputs[7]), session="s", tool="run", verbatim=False)
        assert again.evidence_id == got[7].evidence_id
    finally:
        await database.close()
