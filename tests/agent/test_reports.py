"""Long results become reports inside their own envelope: which do, what stays exact, and what happens when something fails."""

import json
from collections.abc import Sequence

import anyio
import msgspec
import pytest
from agent.rig import REDACTOR, ROUTE, EchoArguments, open_agent, play

from limen.agent.reports import ReportRules, Reports
from limen.agent.toolbox import schema_of
from limen.core.fault import StoreFault
from limen.core.ledger import Origin, Trust
from limen.core.message import Image, Text, ToolResult, text_of
from limen.core.tool import Part, ToolAnswer, ToolSpec
from limen.evidence.compact import Compactor
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


class Kept:
    def __init__(self):
        self.texts = {}

    async def keep(self, text, *, session, tool, source):
        evidence_id = f"ev_{len(self.texts):012x}"
        self.texts[evidence_id] = text
        return type("Evidence", (), {"id": evidence_id})


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


def answer(text, **fields):
    return ToolAnswer((Part(Text(text), Origin("tool", "test", Trust.TOOL)),), **fields)


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


async def test_a_text_that_passes_inside_an_envelope_keeps_no_neighbour_whole():
    text = json.dumps({"image": "QUJD" * 4_000, "records": [{"id": number, "name": "x y"} for number in range(900)]})
    back = json.loads(said(await reported(answer(text))))
    assert back["image"] == "QUJD" * 4_000
    assert back["records"].startswith(MARK)


async def test_the_same_command_again_says_what_changed():
    made = Reports(compactor_of(), Kept(), REDACTOR)
    texts = []
    for failing in (["test_a", "test_b"], ["test_b", "test_new"]):
        given = answer(pytest_run(failing), command="pytest -v", exit_code=1)
        texts.append(said(await made(given, session="s", tool="run", verbatim=False)))
    elsewhere = said(await made(given, session="other", tool="run", verbatim=False))
    assert "since the last run" not in texts[0] + elsewhere
    (line,) = [line for line in texts[1].splitlines() if line.startswith("since the last run")]
    assert "2 failed, 1 of them new" in line
    assert "test_new" in line.split(";")[0]
    assert "test_a" in line.split(";")[1]


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
