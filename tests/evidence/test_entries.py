"""What of an output is shown first, and that what is not shown can be asked for."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.evidence.choose import Seen
from limen.evidence.compact import Compactor, Rules
from limen.evidence.entries import Turn, entries
from limen.evidence.findings import Findings, Quote, Tally
from limen.evidence.left_out import left_out
from limen.wiring.compacting import EXTRACTORS

ROW = re.compile(r" *(\d+)(?: \(×(\d+), last (\d+)\))?: ")
RANGE = re.compile(r"left out: lines? ([\d,]+)(?:-([\d,]+))?: ([\d,]+) (.*)")
LONG = "x" * 90


def seen(special=None, floor=(), *, tallies=(), lines=100):
    own = None if special is None else Findings("own", "", (), tuple(special), tuple(tallies))
    rest = tuple(tallies) if special is None else ()
    ones = [one for one in floor if isinstance(one, Quote)]
    kinds = [one for one in floor if isinstance(one, Tally)]
    return Seen(lines, 9_000, ((1, "first"),), ((lines, "last"),), own, Findings("text", "", (), tuple(ones), (*kinds, *rest)))


def numbers(found):
    return [entry.line for entry in found]


def test_failures_that_begin_alike_go_before_errors():
    own = [Quote(line, f"FAILED {LONG} {line}", "failure") for line in (2, 3, 4)] + [Quote(9, "error: gone", "error")]
    assert set(numbers(entries(seen(own)))[:3]) == {2, 3, 4}


def test_turns_of_two_readers_do_not_meet():
    own = [Quote(2, f"error: {LONG} 2", "error"), Quote(3, f"error: {LONG} 3", "error"), Quote(4, "as it says", "detail")]
    floor = [Quote(5, "panic: five", "failure"), Quote(6, "frame", "detail"), Quote(7, "warning: seven", "warning")]
    found = entries(seen(own, floor))
    assert numbers(found) == [2, 5, 3, 4, 7, 6, 100, 1]
    assert [entry.turn for entry in found] == [
        Turn.ERROR, Turn.FLOOR_GRAVE, Turn.ERROR, Turn.DETAIL, Turn.FLOOR_WARNING, Turn.FLOOR_DETAIL, Turn.TAIL, Turn.HEAD,
    ]  # fmt: skip


def test_the_ends_are_given_up_first():
    found = entries(seen(None, [Quote(50, "retried", "note"), Tally("w", 3, 60, 70, "warning", "warning: w")]))
    assert numbers(found) == [60, 50, 100, 1]


def test_a_part_of_a_line_keeps_its_place():
    text = "a" * 400 + " error: here " + "b" * 700
    (entry, *_) = entries(seen([Quote(2, text, "error", 390, 720)]))
    assert (entry.text, entry.offset, entry.is_part) == (text[390:720], 390, True)
    (sliced, *_) = entries(seen([Quote(2, text[390:720], "error", 390, 720)]))
    assert sliced == entry


def test_a_part_of_a_line_is_shown_as_one():
    class Reads:
        name = "own"

        def fits(self, told):
            return 0.9

        def read(self, told):
            return self

        def line(self, number, text):
            pass

        def findings(self):
            return Findings("own", "", (), (Quote(2, LONG * 4, "error", 60, 60 + len(LONG * 4)),))

    made = Compactor([Reads()], Rules(min_size=1, max_ratio=9.0)).compact("one\n" + LONG * 10 + "\n" + "three\n" * 2_000)
    row = next(row.lstrip() for row in made.text.split("\n") if row.lstrip().startswith("2: "))
    assert row.startswith("2: …x")
    assert row.endswith("x…")
    quote = next(quote for quote in made.quoted if quote.line == 2)
    assert (quote.start, quote.end, quote.text) == (60, 420, LONG * 4)


@pytest.mark.parametrize(
    ("tally", "comes_back"),
    [
        (Tally("passing tests", 41, 10, 50), False),  # no gap in it
        (Tally("passing tests", 30, 10, 50), True),
        (Tally("more errors", 12, 10, 50, "error"), False),
        (Tally("undeclared", 12, 10, 50, "error", "a.c:3: error: 'x' is undeclared"), False),
        (Tally("linker", 12, 10, 50, "error", "/usr/bin/ld: cannot find -lm"), True),
        (Tally("warnings", 12, 10, 50, "warning"), True),
        (Tally("more errors", 5, 10, 19, "error"), True),
    ],
)
def test_what_was_counted_does_not_come_back(tally, comes_back):
    found = entries(seen([Quote(2, "x", "failure")], [Quote(20, "b.c:9: error: 'y' is undeclared", "error")], tallies=[tally]))
    assert (20 in numbers(found)) is comes_back


def test_of_a_counted_kind_what_is_quoted_already_is_counted_no_more():
    own = [Quote(2, "E   KeyError: 1", "error"), Quote(4, "E   KeyError: 2", "error")]
    floor = [Tally("KeyError", 5, 2, 90, "error", "E   KeyError: 1")]
    view = seen(own, floor)
    found = entries(view)
    assert [entry.count for entry in found if entry.last == 90] == [3]
    chosen = [entry for entry in found if entry.count == 1]
    assert "left out: lines 2-90: 2 errors" in left_out(view, found, chosen)


def test_the_last_line_of_a_counted_kind_stays_in_reach():
    lines = ["WARNING aaa is odd"] * 25 + ["ERROR aaa broke"] * 25
    made = Compactor(EXTRACTORS, Rules(1, 700, 100.0)).compact("\n".join(lines), "pytest -q", 1)
    assert "\nleft out: lines 36-41: 6 errors\nleft out: lines 1-25: 25 warnings" in made.text
    assert "\n50: ERROR aaa broke\n" in made.text


def test_errors_and_warnings_beside_failures_are_counted_apart():
    lines = ["WARNING aaaa is odd in aaa"] * 24 + ["ERROR aaa broke in aaa"] * 25 + ["WARNING aaa is odd in aaa"] * 2
    made = Compactor(EXTRACTORS, Rules(1, 700, 100.0)).compact("\n".join(lines), "pytest -q", 1)
    shown = [quote.line for quote in made.quoted if quote.text.startswith("ERROR")]
    assert set(shown) <= set(range(25, 50))
    assert "(×3, last 51): ERROR" not in made.text


def test_what_is_left_out_adds_up_to_the_whole():
    tallies = [Tally(f"kind {kind}", 3, 10 * kind + 1, 10 * kind + 9) for kind in range(8)]
    view = seen([Quote(2, "x", "detail"), Quote(3, "y", "detail")], tallies=tallies)
    found = entries(view)
    rows = left_out(view, found, [entry for entry in found if entry.line == 2])
    assert "left out: line 3: 1 details" in rows
    assert "left out: lines 51-79: 9 lines of 3 other kinds" in rows
    assert sum(int(RANGE.fullmatch(row)[3]) for row in rows) == 99


KINDS = {"error": "ERROR {} broke in {}", "warning": "WARNING {} is odd in {}", "": "INFO {} went on in {}"}
NAMES = st.text("abcdefgh", min_size=3, max_size=9)
OUTPUTS = st.lists(st.tuples(st.sampled_from(sorted(KINDS)), NAMES, NAMES, st.integers(1, 30)), min_size=1, max_size=80)


@pytest.mark.parametrize("extractors", [(), EXTRACTORS])
@given(parts=OUTPUTS, limit=st.integers(700, 3_000), command=st.sampled_from(["", "make", "pytest -q", "cargo test"]))
def test_no_error_and_no_warning_is_beyond_reach(extractors, parts, limit, command):
    kinds, lines = [], []
    for kind, one, other, repeats in parts:
        kinds += [kind] * repeats
        lines += [KINDS[kind].format(one, other)] * repeats
    made = Compactor(extractors, Rules(1, limit, 100.0)).compact("\n".join(lines), command, 1)
    reach = [(int(row[1]), int(row[3] or row[1]), None) for row in map(ROW.match, made.text.split("\n")) if row]
    for row in filter(None, map(RANGE.fullmatch, made.text.split("\n"))):
        first, last = int(row[1].replace(",", "")), int((row[2] or row[1]).replace(",", ""))
        reach.append((first, last, row[4]))
    for number, (kind, line) in enumerate(zip(kinds, lines, strict=True), 1):
        if kind:
            assert any(
                first <= number <= last
                and (
                    kind in said
                    if said is not None
                    else number in (first, last) or lines[first - 1].split()[0] == line.split()[0]
                )
                for first, last, said in reach
            ), (number, line)
