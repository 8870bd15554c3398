"""Rows about outputs that become reports: what a report must not lose, and where the rest of it is."""

import io
import json

import msgspec
import pytest
from agent.rig import ROUTE, open_agent, play
from agent.test_reports import Runs, answer, pytest_run, results
from cases.table import case

from limen.agent.limits import Limits
from limen.agent.window import WindowRoom
from limen.config.evidence import Evidence
from limen.core.event import Folded, ToolFinished
from limen.core.ledger import LedgerLine
from limen.core.message import Text, message_leaves
from limen.evidence.report import MARK
from limen.evidence.terminal_text import resolved_lines
from limen.surfaces.cli.ledger import show_ledger
from limen.surfaces.cli.screen import Screen
from limen.testing.scripted_model import ScriptedModel, call, say, use
from limen.wiring.compacting import compact, compactor_of

pytestmark = pytest.mark.anyio
NOISE = "".join(f"step {number}: copied object {number * 7919 % 1_000}\n" for number in range(4_000))
WIDE = msgspec.structs.replace(ROUTE, window_tokens=400_000)


def told(text, command="", exit_code=None):
    """The report of an output, which has become one."""
    made = compact(text, command, exit_code)
    assert not made.left
    return made


async def one_turn(folder, replies, *tools, route=WIDE, **more):
    """A turn over tools: its events, what the model was sent last, the ledger, and the session's store and shelf in use."""
    model = ScriptedModel([*replies, say("done")])
    async with open_agent(folder, model, *tools, route=route, compactor=compactor_of(), **more) as (agent, sessions, evidence):
        events, outcome = await play(agent, "go", session="s")
        found = await evidence.find("the needle", evidence_id=None, session=None, limit=9)
        ledger = await sessions.ledger("s")
    return events, outcome, model.requests, ledger, found


@case("OUT-002")
def test_the_error_behind_an_echoed_prompt_is_there(row):
    text = "tool 1.2.3\n" + "You are asked to do this and that. " * 600 + "\nError: quota exceeded\n"
    assert "Error: quota exceeded" in told(text, "agent run", 1).text


@case("OUT-003")
async def test_the_middle_is_kept_and_found(row, tmp_path):
    text = NOISE + "here is the needle\n" + NOISE
    events, _, requests, _, found = await one_turn(tmp_path, [use(call("echo", text="x"))], Runs(answer(text, command="make")))
    (report,) = results(requests[-1])
    (match,) = found
    (finished,) = [event for event in events if isinstance(event, ToolFinished)]
    assert (match.id, match.line, match.text) == (finished.evidence_id, 4_001, "here is the needle")
    assert match.id in report
    assert f"{len(text):,} characters" in report


@case("OUT-004")
def test_errors_beside_passed_tests_are_told_and_never_green(row):
    text = "".join(f"tests/test_a.py::test_{number} PASSED\n" for number in range(1_400))
    made = told(text + "=========== 1400 passed, 3 errors in 60.00s ===========\n", "pytest -v", 2).text
    assert made.startswith(f"{MARK} EXIT STATUS 2: failed")
    assert "3 errors" in made


@case("OUT-005")
def test_a_difference_of_one_comma_is_shown(row):
    difference = "412c412\n< a, b\n---\n> a b\n"
    small = compact(difference, "diff one two", 1)
    assert (small.text, small.left) == (difference, "small")
    unchanged = "".join(f" line {number} of a file that stays as it is\n" for number in range(500))
    long = told(f"--- one\n+++ two\n@@ -1,501 +1,501 @@\n{unchanged}-a, b\n+a b\n", "diff -U 500 one two", 1).text
    assert "EXIT STATUS 1" in long
    assert "-a, b" in long
    assert "+a b" in long
    assert "identical" not in long


@case("OUT-006")
@pytest.mark.parametrize(("status", "said"), [(1, "1"), (2, "2"), (137, "signal 9"), (143, "signal 15"), (-15, "signal 15")])
def test_the_way_a_command_ended_is_the_first_thing_said(row, status, said):
    first = told(NOISE, "make", status).text.splitlines()[0]
    assert f"EXIT STATUS {status}" in first
    assert said in first


@case("OUT-008")
def test_a_fatal_error_of_go_stands_with_its_first_frames(row):
    passing = "".join(f"=== RUN   TestPart{number}\n--- PASS: TestPart{number} (0.00s)\n" for number in range(300))
    fatal = (
        "=== RUN   TestRing\nfatal error: checkptr: misaligned pointer conversion\n\ngoroutine 41 [running]:\n"
        "runtime.throw({0x6c2b5f?, 0xc0000a8e58?})\n\t/usr/lib/go/src/runtime/panic.go:1077 +0x5c\n"
        "example.com/ring.(*Ring).at(...)\n\t/src/ring/ring.go:88 +0x1f\n"
        "FAIL\texample.com/ring\t0.214s\nFAIL\n"
    )
    report = told(passing + fatal, "go test -race ./...", 2).text
    assert "fatal error: checkptr: misaligned pointer conversion" in report
    assert "ring.go:88" in report


@case("OUT-009")
def test_each_failure_has_its_assertion_and_place(row):
    report = told(pytest_run(["test_one", "test_two"], 400), "pytest -v", 1).text
    for number, name in enumerate(("test_one", "test_two")):
        assert name in report
        assert f"assert {number} == -1" in report
        assert f"tests/test_big.py:{number + 10}" in report


@case("OUT-010")
def test_what_was_expected_and_where_stands_beside_a_failure_of_a_browser_test(row):
    passing = "".join(f"  ✓  {number} [chromium] › shop.spec.ts:{number}:1 › part {number} (1.2s)\n" for number in range(1, 200))
    failure = (
        "  1) [chromium] › cart.spec.ts:14:3 › cart › adds an item ─────────────\n\n"
        "    Error: expect(locator).toHaveText(expected) failed\n\n"
        '    Locator:  getByTestId(\'count\')\n    Expected: "2"\n    Received: "1"\n    Timeout:  5000ms\n\n'
        "      18 |   await page.getByRole('button', { name: 'Add' }).click();\n"
        "    > 19 |   await expect(page.getByTestId('count')).toHaveText('2');\n"
        "        at /src/e2e/cart.spec.ts:19:43\n\n  1 failed\n    [chromium] › cart.spec.ts:14:3 › cart › adds an item\n"
        "  199 passed (1.2m)\n"
    )
    report = told(passing + failure, "npx playwright test", 1).text
    for wanted in ("adds an item", "getByTestId('count')", 'Expected: "2"', 'Received: "1"', "cart.spec.ts:19"):
        assert wanted in report


@case("OUT-012")
async def test_forty_errors_are_counted_and_each_place_is_named_or_found(row, tmp_path):
    problem = 'error[E0308]: mismatched types\n  --> src/part{}.rs:{}:5\n   |\n{} |     let the_needle: u8 = "";\n   |\n\n'
    errors = "".join(problem.format(number % 12, number + 10, number + 10) for number in range(40))
    text = "".join(f"   Compiling part v0.1.{number}\n" for number in range(300)) + errors
    text += "error: could not compile `big` (lib) due to 40 previous errors\n"
    report = told(text, "cargo build", 101).text
    assert "40" in report
    places = [f"part{number % 12}.rs:{number + 10}" for number in range(40)]
    missing = [place for place in places if place not in report]
    assert not missing or "left out" in report
    async with open_agent(tmp_path, ScriptedModel([]), compactor=compactor_of()) as (_, _, evidence):
        await evidence.keep(text, session="s", tool="t", source="", media_type="text/plain")
        for place in missing:
            assert await evidence.find(place, evidence_id=None, session=None, limit=1)


@case("OUT-014")
def test_endless_hits_are_clipped_and_short_ones_whole(row):
    short = [f"src/part{number}.ts:{number}: const gate = open(gates[{number}])" for number in (3, 14, 159)]
    maps = [f'dist/part{number}.js.map:1:{{"gate":"{"AAAA;BCDE" * 6_500}"}}' for number in range(3)]
    report = told("\n".join([short[0], maps[0], short[1], maps[1], short[2], maps[2]]) + "\n", "grep -rn gate .", 0).text
    assert all(line in report for line in short)
    assert "…" in report
    assert len(report) <= 3_000


@case("OUT-015")
def test_one_line_of_megabytes_is_clipped_and_never_empty(row):
    report = told('{"key": "' + "value " * 283_000 + '"}', "cat big.json", 0).text
    assert "1,698,0" in report
    assert "value value" in report
    assert len(report) <= 3_000


@case("OUT-016")
def test_an_error_on_a_long_line_is_shown_with_its_number(row):
    line = json.dumps(
        {"time": "2026-03-15T10:00:00Z", "padding": "x" * 700, "level": "ERROR", "message": "the pool ran dry", "n": 1}
    )
    report = told(NOISE[:100_000] + "\n" + line + "\n" + NOISE, "journalctl").text
    number = NOISE[:100_000].count("\n") + 2
    (shown,) = [shown for shown in report.splitlines() if "the pool ran dry" in shown]
    assert shown.lstrip().startswith(f"{number}")
    assert len(shown) < len(line)


@case("OUT-018")
def test_cuts_of_wide_characters_keep_to_the_budget(row):
    settings = Evidence(max_report_chars=1_001)
    for text in ("日本語" * 10_000, "日本語の行です\n" * 5_000, "한국어 줄\n" * 5_000):
        made = compactor_of(settings).compact(text)
        assert not made.left
        assert len(made.kept_as("ev_0123456789ab").text) <= 1_001
        made.text.encode()


@case("OUT-021")
def test_erased_and_hidden_text_is_read_as_a_terminal_shows_it(row):
    assert list(resolved_lines(["--------\rHello\x1b[K\n"])) == ["Hello"]
    assert list(resolved_lines(["--------\rHello\x1b[8m\n"])) == ["Hello---"]


@case("OUT-022")
def test_a_spinner_leaves_no_escape_and_little_else(row):
    frames = "".join(f"\x1b]0;building {number}%\x07\r\x1b[2K⠋ building {number} of 300" for number in range(300))
    text = f"{frames}\r\x1b[2Kbuilt \x1b]8;;https://a.example/\x1b\\here\x1b]8;;\x1b\\ in 9 s\n\x1b[1A\x1b[2Kdone\n"
    report = told(text, "npm run build", 0).text
    assert "\x1b" not in report
    assert "done" in report
    assert len(report) < len(text) / 20


@case("OUT-023")
async def test_that_a_text_was_shortened_is_told_by_event_ledger_and_terminal(row, tmp_path):
    tool = Runs(answer(NOISE, command="make", exit_code=2))
    events, _, _, ledger, _ = await one_turn(tmp_path, [use(call("echo", text="x"))], tool)
    (finished,) = [event for event in events if isinstance(event, ToolFinished)]
    (line,) = [LedgerLine.of(entry) for entry in ledger if entry.kind == "tool"]
    assert finished.evidence_id == line.compacted
    assert (line.chars_in, line.chars_out < 4_000) == (len(NOISE), True)
    out = io.StringIO()
    show_ledger(Screen(out, io.StringIO(), colour=False), ledger)
    assert line.compacted in out.getvalue()


@case("OUT-024")
def test_a_part_of_many_hits_never_looks_like_all_of_them(row):
    hits = "".join(f"src/part{number % 70}.py:{number}:    gate = gates[{number}]\n" for number in range(5_000))
    made = told(hits, "grep -rn gate src", 0).kept_as("ev_0123456789ab")
    first, *_, last = made.text.splitlines()
    assert "5,000 lines" in first
    assert "ev_0123456789ab" in first
    assert "evidence_inspect" in last
    assert "left out" in made.text
    assert 0 < len(made.kept_lines) < 5_000


@case("OUT-025")
async def test_what_was_kept_is_found_after_the_conversation_was_folded(row, tmp_path):
    replies = [use(call("echo", text="x")), *[say("word " * 300) for _ in range(30)]]
    model = ScriptedModel(replies)
    tool = Runs(answer(NOISE + "here is the needle\n" + NOISE, command="make"))
    async with open_agent(tmp_path, model, tool, compactor=compactor_of()) as (agent, sessions, evidence):
        folded = False
        for number in range(25):
            events, _ = await play(agent, f"question {number} " + "x" * 200, session="s")
            folded |= any(isinstance(event, Folded) for event in events)
        await sessions.rename("s", "another name")
        (match,) = await evidence.find("the needle", evidence_id=None, session="s", limit=9)
    assert folded
    assert match.line == 4_001


@case("OUT-026")
async def test_a_model_may_have_the_exact_text(row, tmp_path):
    tool = Runs(answer(NOISE[:40_000], command="make"))
    _, _, requests, _, _ = await one_turn(tmp_path, [use(call("echo", text="x", raw=True))], tool)
    assert results(requests[-1]) == [NOISE[:40_000]]


@case("OUT-030")
async def test_a_result_beyond_the_window_is_cut_and_the_conversation_goes_on(row, tmp_path):
    """Each character is a token here, and the exact text was asked for."""
    route = msgspec.structs.replace(ROUTE, window_tokens=128_000)
    replies = [use(call("echo", text="x", raw=True))]
    _, outcome, requests, _, _ = await one_turn(tmp_path, replies, Runs(answer("x y z " * 34_000)), route=route)
    (shown,) = results(requests[-1])
    assert outcome.end.reason == "answered"
    assert len(shown) <= 128_000 / 4


@case("OUT-031")
async def test_the_results_of_a_running_turn_stay_and_lead_with_how_they_ended(row, tmp_path):
    def made(arguments):
        return answer(NOISE + f"ERROR: {arguments.text} went wrong\n", command=f"make {arguments.text}", exit_code=2)

    replies = [use(call("echo", f"c{number}", text=f"part{number}")) for number in range(30)]
    _, _, requests, _, _ = await one_turn(
        tmp_path, replies, Runs(made), room=WindowRoom(most_blocks=100_000), limits=Limits(steps=40)
    )
    shown = results(requests[-1])
    assert len(shown) == 30
    for number, report in enumerate(shown):
        assert report.startswith(f"{MARK} EXIT STATUS 2: failed · $ make part{number} ")
        assert f"ERROR: part{number} went wrong" in report


@case("OUT-033")
async def test_shortening_is_announced_with_amounts_and_can_be_refused(row, tmp_path):
    tool = Runs(answer(NOISE, command="make"))
    _, _, requests, ledger, _ = await one_turn(tmp_path / "on", [use(call("echo", text="x"))], tool)
    (report,) = results(requests[-1])
    assert f"4,000 lines, {len(NOISE):,} characters" in report
    assert "evidence_inspect" in report
    (entry,) = [entry for entry in ledger if entry.kind == "tool"]
    assert (entry.chars_in, entry.chars_out) == (len(NOISE), len(report))
    model = ScriptedModel([use(call("echo", text="x")), say("done")])
    async with open_agent(tmp_path / "off", model, Runs(answer(NOISE[:60_000])), route=WIDE) as (agent, _, _):
        await play(agent, "go", session="s")
    assert results(model.requests[-1]) == [NOISE[:60_000]]


@case("OUT-034")
async def test_what_was_folded_away_stays_stored_and_is_found(row, tmp_path):
    model = ScriptedModel(then=lambda request: say("word " * 100))
    async with open_agent(tmp_path, model) as (agent, sessions, _):
        await play(agent, "first of all, remember the heron", session="s")
        await play(agent, "and then the bittern", session="s")
        folds = [
            event for number in range(30) for event in (await play(agent, f"question {number} " + "x" * 200, session="s"))[0]
        ]
        texts = [block.block.text for block in await sessions.blocks("s") if isinstance(block.block, Text)]
        found = await sessions.search("bittern")
    assert any(isinstance(event, Folded) for event in folds)
    assert "and then the bittern" in texts
    assert [hit.session for hit in found] == ["s"]
    assert not any("bittern" in leaf.text for message in model.requests[-1].messages for leaf in message_leaves(message))
