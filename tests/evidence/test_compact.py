"""Long outputs become reports that keep what decides."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.evidence.compact import Compactor, Rules
from limen.evidence.findings import Findings, Quote, Tally
from limen.evidence.terminal_text import resolved_lines

NUMBERED = re.compile(r" *(\d+)(?: \(×(\d+), last (\d+)\))?: (.*)")
QUIET = "\n".join(f"2026-11-30 10:00:{second % 60:02} INFO step {second} is done" for second in range(400)) + "\n"
WORDS = (
    "error",
    "ok",
    "warning:",
    "FAIL",
    "INFO",
    "Traceback (most recent call last):",
    "  File",
    "KeyError: 1",
    "12",
    "[x]",
    "…",
)
LINES = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=120)


def report(text, command="make", exit_code=1, **rules):
    return Compactor((), Rules(**rules)).compact(text, command, exit_code)


def shown(made):
    return {int(found[1]): found[4] for row in made.text.split("\n") if (found := NUMBERED.fullmatch(row))}


@pytest.mark.parametrize(
    ("text", "command", "left"),
    [
        ("short", "make", "small"),
        (QUIET, "cat build.log", "verbatim"),
        (QUIET, "cat build.log | sort", ""),
        ("[limen report] " + QUIET[:9_000], "make", "already"),
        ("<persisted-output>" + QUIET[:9_000], "make", "already"),
    ],
)
def test_what_stays_as_it_is_says_why(text, command, left):
    made = report(text, command)
    assert made.left == left
    assert (made.text == text) is bool(left)


def test_a_failure_comes_first_and_nothing_is_said_to_be_well():
    made = report(QUIET, "make all", 2)
    assert made.text.startswith("[limen report] EXIT STATUS 2: failed · $ make all · 400 lines, ")
    assert "no error" not in made.text
    assert "passed" not in made.text


@pytest.mark.parametrize(
    ("exit_code", "said"),
    [(137, "EXIT STATUS 137: failed (signal 9)"), (-15, "EXIT STATUS -15: failed (signal 15)"), (0, "exit status 0")],
)
def test_how_it_ended_is_said(exit_code, said):
    assert said in report(QUIET, exit_code=exit_code).text.split("\n")[0]


def test_the_one_error_of_a_log_is_quoted_with_its_number():
    lines = QUIET.split("\n")
    lines[217] = "2026-11-30 10:03:37 ERROR disk full on /var"
    assert shown(report("\n".join(lines)))[218] == lines[217]


def test_an_error_on_a_long_line_is_shown_in_a_window():
    lines = QUIET.split("\n")
    lines[100] = '{"at":"' + "a b " * 300 + '","level":"error","message":"disk full"}'
    text = shown(report("\n".join(lines)))[101]
    assert '"level":"error"' in text
    assert len(text) < 400
    assert text.startswith(lines[100][:80])


def test_a_trace_is_kept_once_and_counted():
    trace = 'Traceback (most recent call last):\n  File "a.py", line 3, in run\n    go()\nKeyError: 17\n'
    made = report(QUIET + trace + QUIET + trace * 5 + QUIET)
    row = next(row for row in made.text.split("\n") if "KeyError" in row)
    assert row.lstrip() == "404 (×6, last 824): KeyError: 17"
    assert made.text.count('File "a.py", line 3') == 1


@pytest.mark.parametrize(
    "text",
    [
        "panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:12 +0x1d\n",
        "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds\n",
        'Exception in thread "main" java.io.IOException: gone\n\tat a.B.c(B.java:7)\nCaused by: a.Gone: reset\n',
        "TypeError: x is not a function\n    at go (/app/a.js:3:5)\n",
        "Unhandled exception. System.Exception: gone\n   at A.B.C() in /src/a.cs:line 4\n",
        "Segmentation fault (core dumped)\n",
        "npm ERR! code ELIFECYCLE\n",
        "fatal: not a git repository\n",
        "TEST-UNEXPECTED-FAIL | a.html | timed out\n",
        "03-17 16:13:38.811  1702  2395 E WindowManager: gone\n",
        '{"level":"error","msg":"gone"}\n',
        "src/a.c:4:1: error: expected ';'\n",
        "mkdir: cannot create directory 'a': Permission denied\n",
    ],
)
def test_failures_of_any_format_are_quoted(text):
    first = text.split("\n")[0]
    assert shown(report(QUIET + text + QUIET))[401] == first


@pytest.mark.parametrize(
    "text", ["0 errors, 0 warnings", "compiled without error", "ok tests/error_test.py", "failed=0", "test_error PASSED"]
)
def test_words_that_deny_an_error_are_no_error(text):
    made = report(QUIET + text + "\n" + QUIET)
    assert 401 not in made.kept_lines


class Broken:
    name = "broken"

    def __init__(self, at):
        self.at = at

    def _fail(self, at):
        if self.at == at:
            raise RuntimeError(at)

    def fits(self, told):
        self._fail("fits")
        return 0.9

    def read(self, told):
        self._fail("read")
        return self

    def line(self, number, text):
        self._fail("line")

    def findings(self):
        self._fail("findings")
        return Findings(
            "broken", "3 of 4 failed", ("a::b", "a::c"), (Quote(2, "x", "failure"),), (Tally("passing tests", 398, 3, 400),)
        )


@pytest.mark.parametrize("at", ["fits", "read", "line", "findings"])
def test_a_failing_extractor_leaves_the_floor(at):
    broken = Compactor([Broken(at)]).compact(QUIET, "make", 1)
    assert broken == Compactor().compact(QUIET, "make", 1)


def test_what_an_extractor_found_is_told():
    made = Compactor([Broken("never")]).compact(QUIET, "make", 1)
    assert "3 of 4 failed" in made.text
    assert "failing tests, 2:\n  a::\n    b\n    c" in made.text
    assert "lines 3-400: 398 passing tests" in made.text


def test_the_id_says_how_to_read_the_whole():
    made = report(QUIET).kept_as("ev_0123456789ab")
    assert "ev_0123456789ab" in made.text.split("\n")[0]
    assert 'evidence_inspect {"id": "ev_0123456789ab", "start": 1, "end": 120}' in made.text


def test_many_failures_stay_within_the_report_and_none_is_beyond_reach():
    lines = [
        f"ERROR {chr(97 + number % 26) * 9} {chr(97 + number // 26) * 7} went wrong in part {number}" for number in range(600)
    ]
    made = report("\n".join(lines))
    assert len(made.kept_as("ev_0123456789ab").text) <= 3_000
    ranges = [
        (int(first.replace(",", "")), int(last.replace(",", "")))
        for first, last in re.findall(r"lines ([\d,]+)-([\d,]+)", made.text)
    ]
    for number in range(1, 601):
        assert number in made.kept_lines or any(first <= number <= last for first, last in ranges)


@given(LINES, st.sampled_from([0, 1, None]))
def test_every_quoted_line_is_the_line_with_that_number(lines, exit_code):
    text = "\n".join(lines)
    made = report(text, exit_code=exit_code, min_size=1, max_ratio=100.0)
    stored = list(resolved_lines((text,)))
    for quote in made.quoted:
        assert stored[quote.line - 1] == quote.text
    for number, row in shown(made).items():
        if "…" not in lines[number - 1]:
            assert all(part in stored[number - 1] for part in row.split("…"))
    assert made == report(text, exit_code=exit_code, min_size=1, max_ratio=100.0)
