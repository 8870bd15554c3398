"""The table of reported cases, which of them are known to miss, and the mark that makes a test the test of a row."""

import json
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROWS = {row["id"]: row for row in map(json.loads, (HERE / "reports.jsonl").read_text().splitlines())}
_KNOWN = tomllib.loads((HERE / "known_misses.toml").read_text())
MISSES = _KNOWN["misses"]
MOST_MISSES = _KNOWN["at_most"]


def case(row_id):
    """The test below it is the test of this row, which it is given as `row`. A known miss must fail, and by an assertion."""
    marks = [pytest.mark.xfail(reason=MISSES[row_id], strict=True, raises=AssertionError)] if row_id in MISSES else []
    return pytest.mark.parametrize("row", [pytest.param(ROWS[row_id], id=row_id, marks=marks)])
