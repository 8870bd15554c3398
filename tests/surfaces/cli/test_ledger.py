"""The ledger as a person reads it: why a block is there, how much of it, and where the rest is."""

import io
import json

import msgspec
import pytest
from surfaces.cli.scripted_runtime import entry
from surfaces.cli.test_table import Terminal

from limen.core.ledger import Cut, GateVerdict, LedgerLine, Treatment, Trust
from limen.surfaces.cli.ledger import show_ledger
from limen.surfaces.cli.screen import Screen

ASKED = entry(4, "model", "limen/extractive", Trust.TOOL, 60)
URL = "https://docs.example.org/tasks"


def brought(n, treatment, chars=12_000, source=URL):
    return msgspec.structs.replace(entry(n, "web", source, Trust.WEB, chars, treatment), parent="web_extract c1")


def drawn(entries, *, verbosity=0, terminal=True):
    out = Terminal() if terminal else io.StringIO()
    show_ledger(Screen(out, io.StringIO(), colour=False, verbosity=verbosity), entries)
    return out.getvalue().splitlines()


def test_beneath_a_part_stands_why_how_much_and_where_the_rest_is():
    gates = (GateVerdict("network", "allow"), GateVerdict("policy", "allow"), GateVerdict("shelve", "changed", "shelve.cut"))
    cut = Treatment(gates=gates, chars_in=48_000, cut=Cut(9_000, 3_000), stored_path="/home/you/.limen/pages/a page.md")
    head, *rows = drawn([ASKED, brought(5, cut)])
    assert head.endswith("what was done")
    assert rows[1].endswith("cut to 25 %")
    assert [line.strip() for line in rows[2:]] == [
        "why    by the call web_extract c1, which entry 4 asked for",
        "gates  passed network, policy",
        "part   the first 9,000 and the last 3,000 of 48,000 characters",
        "whole  limen open '/home/you/.limen/pages/a page.md'",
    ]


@pytest.mark.parametrize(
    ("treatment", "done", "whole"),
    [
        (Treatment(chars_in=20_000, cut=Cut(10_000, 0), compacted="ev_0123"), "cut to 50 %", "limen evidence show ev_0123"),
        (Treatment(chars_in=9_000_000, cut=Cut(10_000, 0), stored_path="lib:3"), "cut to less than 1 %", "limen open lib:3"),
        (
            Treatment(chars_in=24_000, compacted="ev_0123", more_compacted=("ev_4567",), extractor="pytest"), "report, 50 %",
            "limen evidence show ev_0123; limen evidence show ev_4567",
        ),
        (Treatment(gates=(GateVerdict("compact", "allow", "compact.late"),)), "no report: compact.late", None),
        (Treatment(redacted=2), "2 masked", None),
        (Treatment(cached=True, age_s=61.7), "cached 62 s ago", None),
        (Treatment(rescued_from="local"), "instead of local", None),
        (Treatment(gates=(GateVerdict("network", "refuse", "network.port"),)), "network refuse network.port", None),
    ],
)  # fmt: skip
def test_what_was_done_is_said_in_a_few_words(treatment, done, whole):
    rows = drawn([ASKED, brought(5, treatment)])
    assert rows[2].endswith(done)
    assert (rows[-1].strip().removeprefix("whole  ") == whole) if whole else "whole" not in rows[-1]
    assert any("by the call web_extract c1" in row for row in rows)


def test_an_untouched_block_is_explained_where_more_is_wanted():
    entries = [entry(1, "identity", "limen", Trust.OPERATOR, 800), ASKED, brought(5, Treatment())]
    assert len(drawn(entries)) == 4
    assert [row.strip() for row in drawn(entries, verbosity=1)[4:]] == [
        "why    by the call web_extract c1, which entry 4 asked for"
    ]


def test_a_pipe_has_it_all_in_one_row_each():
    cut = Treatment(chars_in=48_000, cut=Cut(9_000, 3_000), stored_path="lib:3")
    header, *rows = [line.split("\t") for line in drawn([ASKED, brought(5, cut)], terminal=False)]
    assert len(rows) == 2
    assert dict(zip(header, rows[1], strict=True)) == {
        "n": "5", "turn": "t_012345", "kind": "web", "source": URL, "trust": "web", "in": "48,000", "out": "12,000",
        "tokens": "3,000", "what was done": "cut to 25 %", "why": "by the call web_extract c1, which entry 4 asked for",
        "whole": "limen open lib:3",
    }  # fmt: skip


def test_no_foreign_control_character_in_what_stands_beneath():
    (*_, last) = drawn([brought(5, Treatment(chars_in=24_000, cut=Cut(1, 1), stored_path="/x\x1b[2J"))])
    assert "\x1b" not in last


LINE = {
    "n": int, "turn": str, "kind": str, "source": str, "trust": str, "gates": list, "chars_in": int, "chars_out": int,
    "tokens_out": int, "cut": (dict, type(None)), "redacted": int, "compacted": (str, type(None)), "cached": bool,
    "age_s": (int, float), "rescued_from": (str, type(None)), "stored_path": (str, type(None)),
}  # fmt: skip


def test_a_line_has_every_published_field():
    treatment = Treatment(gates=(GateVerdict("network", "allow"),), cut=Cut(1, 2), compacted="ev_1", stored_path="p")
    for one in (brought(5, treatment), ASKED):
        shape = json.loads(msgspec.json.encode(LedgerLine.of(one)))
        for field, kind in LINE.items():
            assert isinstance(shape[field], kind), field
        for gate in shape["gates"]:
            assert gate.keys() == {"gate", "verdict", "code"}
        assert shape["cut"] is None or shape["cut"].keys() == {"head", "tail"}
