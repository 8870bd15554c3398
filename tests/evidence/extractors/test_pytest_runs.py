"""Runs of pytest: each failing test's name, what it threw and where, in whatever form the run was told."""

import pytest
from evidence.extractors.outputs import found_by, read, surest

from limen.evidence.extractors.tests import TEST_EXTRACTORS
from limen.evidence.findings import Findings

[RUNS_OF_PYTEST] = [extractor for extractor in TEST_EXTRACTORS if extractor.name == "pytest"]
HEAD = """\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.0.0, pluggy-1.6.0
rootdir: /src/shop
collected 9 items

"""
FAILURES = """\
=================================== FAILURES ===================================
________________________________ test_sum[a - b-c] _____________________________

left = 'a - b', right = 'c'

    def test_sum(left, right):
        print("looked up")
>       assert left == right
E       AssertionError: assert 'a - b' == 'c'
E         - c
E         + a - b

tests/test_cart.py:14: AssertionError
----------------------------- Captured stdout call -----------------------------
looked up
------------------------------ Captured log call -------------------------------
ERROR    shop:cart.py:5 price list is empty
_________________________ TestCart.TestEmpty.test_total ________________________
tests/test_cart.py:30: in test_total
    raise KeyError("total")
E   KeyError: 'total'
"""
SUMMARY = """\
=========================== short test summary info ============================
SKIPPED [2] tests/test_cart.py:41: needs a network
FAILED tests/test_cart.py::test_sum[a - b-c] - AssertionError: assert 'a - b' ...
FAILED tests/test_cart.py::TestCart::TestEmpty::test_total - KeyError: 'total'
ERROR tests/test_stock.py::test_shelf - RuntimeError: no database - at all
ERROR tests/test_broken.py
"""
NAMES = (
    "tests/test_cart.py::test_sum[a - b-c]",
    "tests/test_cart.py::TestCart::TestEmpty::test_total",
    "tests/test_stock.py::test_shelf",
    "tests/test_broken.py",
)


def found(output: str) -> Findings:
    return found_by(TEST_EXTRACTORS, output, "pytest")


def quoted(findings: Findings) -> list[str]:
    return [quote.text for quote in findings.quotes]


def test_a_run_with_failures_names_each_and_keeps_what_it_threw_and_where() -> None:
    counts = "2 failed, 4 passed, 2 skipped, 2 errors in 0.31s"
    findings = found(HEAD + FAILURES + SUMMARY + f"==== {counts} ====\n")
    assert findings.kind == "pytest"
    assert findings.headline == counts
    assert findings.names == NAMES
    lines = quoted(findings)
    for line in (
        "E       AssertionError: assert 'a - b' == 'c'",
        "E         - c",
        "E         + a - b",
        "tests/test_cart.py:14: AssertionError",
        "ERROR    shop:cart.py:5 price list is empty",
        "tests/test_cart.py:30: in test_total",
        "E   KeyError: 'total'",
    ):
        assert line in lines
    assert "TestCart.TestEmpty.test_total" in lines
    [first] = {quote.group for quote in findings.quotes if "a - b" in quote.text and quote.weight == "error"}
    assert [quote.text for quote in findings.quotes if quote.group == first][-1].startswith("ERROR    shop")
    assert "skipped tests: tests/test_cart.py:41: needs a network" in {
        tally.what for tally in findings.tallies if tally.count == 2
    }


def test_without_tracebacks_the_summary_alone_names_the_tests_and_says_why() -> None:
    findings = found(HEAD + SUMMARY + "2 failed, 2 errors in 0.31s\n")
    assert findings.names == NAMES
    assert "ERROR tests/test_stock.py::test_shelf - RuntimeError: no database - at all" in quoted(findings)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("a.py::test_x[a] - b-c] - AssertionError: assert 1", "a.py::test_x[a] - b-c]"),
        ("a.py::test_x[1] - assert rows[0] - 1 == 2", "a.py::test_x[1]"),
        ("a.py::test_x - ValueError: list[int] - no", "a.py::test_x"),
        ("a.py::test_x[日本 ü]", "a.py::test_x[日本 ü]"),
        ("a.py::test_x[a - b]", "a.py::test_x[a - b]"),
    ],
)
def test_a_name_ends_where_its_message_begins(said: str, name: str) -> None:
    assert found(f"=== short test summary info ===\nFAILED {said}\n1 failed in 0.1s\n").names == (name,)


def test_progress_alone_names_what_failed_and_a_run_cut_off_has_no_counts() -> None:
    output = HEAD + (
        "tests/test_cart.py::test_add PASSED      [ 10%]\n"
        "tests/test_cart.py::test_sum[a b] FAILED [ 20%]\n"
        "tests/test_cart.py::test_tax SKIPPED (needs a rate) [ 30%]\n"
        "tests/test_cart.py::test_old XFAIL (known) [ 40%]\n"
        "tests/test_cart.py::test_sub SUBFAILED[first] (i=1) [ 40%]\n"
    )
    findings = found(output)
    assert findings.headline == ""
    assert findings.names == ("tests/test_cart.py::test_sum[a b]", "tests/test_cart.py::test_sub")
    assert [quote.line for quote in findings.quotes if quote.weight == "failure"] == [7, 10]
    counted = {(tally.what, tally.count, tally.first) for tally in findings.tallies}
    assert counted >= {("passing tests", 1, 6), ("skipped tests: needs a rate", 1, 8), ("expected failures: known", 1, 9)}


def test_workers_name_their_tests_and_the_one_they_were_lost_with() -> None:
    output = HEAD + (
        "[gw0] [ 10%] PASSED tests/test_a.py::test_one\n"
        "[gw1] [ 20%] FAILED tests/test_a.py::test_two[x y]\n"
        "[gw1] node down: Not properly terminated\n"
        "=================================== FAILURES ===================================\n"
        "________________________________ tests/test_a.py _______________________________\n"
        "[gw1] linux -- Python 3.11.7 /usr/bin/python\n"
        "worker 'gw1' crashed while running 'tests/test_a.py::test_dies'\n"
        "=========================== short test summary info ============================\n"
        "FAILED tests/test_a.py::test_dies\n"
        "== 2 failed, 1 passed in 1.20s ==\n"
    )
    findings = found(output)
    assert set(findings.names) == {"tests/test_a.py::test_two[x y]", "tests/test_a.py::test_dies"}
    assert "[gw1] node down: Not properly terminated" in quoted(findings)


def test_a_crash_of_the_interpreter_is_named_with_its_first_and_deepest_frame() -> None:
    output = HEAD + (
        "tests/test_a.py::test_one PASSED [ 50%]\n"
        "tests/test_a.py::test_two Fatal Python error: Segmentation fault\n\n"
        "Current thread 0x00007f (most recent call first):\n"
        '  File "/usr/lib/ctypes/__init__.py", line 519 in string_at\n'
        '  File "/src/tests/test_a.py", line 4 in test_two\n'
    )
    findings = found(output)
    assert findings.names == ("tests/test_a.py::test_two",)
    assert '  File "/usr/lib/ctypes/__init__.py", line 519 in string_at' in quoted(findings)
    assert '  File "/src/tests/test_a.py", line 4 in test_two' in quoted(findings)


def test_a_run_that_ends_in_the_midst_shows_what_it_was_at() -> None:
    begun = "tests/test_a.py::test_one \n[gw0] [ 10%] PASSED tests/test_a.py::test_one \ntests/test_a.py::test_two "
    findings = found(HEAD + begun + "\n")
    assert [quote.text for quote in findings.quotes] == ["tests/test_a.py::test_two "]
    ended = found(HEAD + begun + "\n== 1 passed in 0.1s ==\n")
    assert [quote.text for quote in ended.quotes] == ["== 1 passed in 0.1s =="]


def test_a_timeout_that_ends_the_run_names_its_test() -> None:
    output = HEAD + (
        "tests/test_a.py::test_slow ++++++++++++++++++ Timeout ++++++++++++++++++\n"
        "~~~~~~~~~~~~~ Stack of MainThread (140695358745472) ~~~~~~~~~~~~~\n"
        '  File "<frozen runpy>", line 198, in _run_module_as_main\n'
        '  File "/src/tests/test_a.py", line 5, in test_slow\n'
        "    time.sleep(30)\n"
        "++++++++++++++++++ Timeout ++++++++++++++++++\n"
    )
    findings = found(output)
    assert findings.names == ("tests/test_a.py::test_slow",)
    assert '  File "/src/tests/test_a.py", line 5, in test_slow' in quoted(findings)


def test_an_interrupted_collection_says_so_and_no_pass_is_made_up() -> None:
    output = HEAD + (
        "==================================== ERRORS ====================================\n"
        "_________________________ ERROR collecting test_bad.py _________________________\n"
        "test_bad.py:1: in <module>\n    import nothere\n"
        "E   ModuleNotFoundError: No module named 'nothere'\n"
        "=========================== short test summary info ============================\n"
        "ERROR test_bad.py\n"
        "!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!\n"
        "=============================== 1 error in 0.12s ===============================\n"
    )
    findings = found(output)
    assert findings.names == ("test_bad.py",)
    assert findings.headline == "1 error in 0.12s"
    assert "!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!" in quoted(findings)
    assert not any("pass" in tally.what for tally in findings.tallies)


def test_counts_with_errors_are_the_headline_of_a_run_that_was_not_green() -> None:
    findings = found(HEAD + "." * 60 + "                  [100%]\n1400 passed, 3 errors in 60.00s (0:01:00)\n")
    assert findings.headline == "1400 passed, 3 errors in 60.00s (0:01:00)"


@pytest.mark.parametrize(
    "prefix",
    [
        "2026-01-05T10:11:12.1234567Z ",
        "[task 2026-01-05T10:11:12.123Z] ",
        "web-1  | ",
        "build\tRun tests\t2026-01-05T10:11:12.1Z ",
        "[task 2026-01-05T10:11:12.123Z] 10:11:12     INFO -  ",
    ],
)
def test_what_a_log_puts_before_each_line_is_left_aside_but_quoted(prefix: str) -> None:
    output = "".join(f"{prefix}{line}\n" for line in (HEAD + FAILURES + SUMMARY + "2 failed in 0.31s").splitlines())
    findings = found(output)
    assert findings.names == NAMES
    assert findings.headline == "2 failed in 0.31s"
    assert all(quote.text.startswith(prefix) for quote in findings.quotes)


def test_lines_of_another_service_between_do_not_end_a_failure() -> None:
    lines = []
    for line in (HEAD + FAILURES + SUMMARY + "2 failed in 0.31s").splitlines():
        lines += [f"tests-1  | {line}", "db-1     | LOG:  checkpoint complete"]
    assert found("\n".join(lines)).names == NAMES


def test_a_passing_test_with_captured_output_is_no_failure() -> None:
    output = HEAD + (
        "==================================== PASSES ====================================\n"
        "___________________________________ test_fine __________________________________\n"
        "----------------------------- Captured stdout call -----------------------------\nfine\n"
        "============================== 1 passed in 0.01s ===============================\n"
    )
    assert found(output).names == ()


def test_a_line_of_equal_signs_in_what_a_test_printed_ends_no_other_failure() -> None:
    printed = "looked up\n=================== a heading of its own ====================\n"
    output = HEAD + FAILURES.replace("looked up\n---", printed + "---") + "2 failed in 0.1s\n"
    findings = found(output)
    assert findings.names == ("test_sum[a - b-c]", "TestCart.TestEmpty.test_total")
    assert "E   KeyError: 'total'" in quoted(findings)


def test_a_failure_with_a_thousand_lines_of_difference_is_told_in_few() -> None:
    difference = "".join(f"E         - row {number}\n" for number in range(1000))
    output = HEAD + FAILURES.replace("E         - c\n", difference) + "1 failed in 0.1s\n"
    findings = found(output)
    assert len(findings.quotes) < 40
    assert any(tally.what == "more details of failures" and tally.count > 900 for tally in findings.tallies)
    assert "tests/test_cart.py:14: AssertionError" in quoted(findings)


def test_ten_thousand_failures_keep_every_name_and_few_quotes() -> None:
    output = HEAD + "".join(f"a.py::test_{number} FAILED [ 1%]\n" for number in range(10_000))
    findings = read(RUNS_OF_PYTEST, output)
    assert len(findings.names) == 10_000
    assert len(findings.quotes) < 200


@pytest.mark.parametrize("output", ["", "\n\n", "\x00\x01", "\udcff::test FAILED", "E" * 100_000, "_ " * 50_000, "=" * 100_000])
def test_no_line_is_too_odd(output: str) -> None:
    read(RUNS_OF_PYTEST, output)


def test_another_program_that_speaks_of_failed_tests_is_not_taken_for_a_run() -> None:
    assert surest(TEST_EXTRACTORS, "ERROR: pip's resolver failed\nFAILED to install pytest\n", "pip install pytest") is None
