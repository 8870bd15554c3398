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


def case(*row_ids):
    """The test below it is the test of these rows, given one by one as `row`. A known miss must fail, and by an assertion."""
    return pytest.mark.parametrize("row", [pytest.param(ROWS[row_id], id=row_id, marks=_marks(row_id)) for row_id in row_ids])


def _marks(row_id):
    return [pytest.mark.xfail(reason=MISSES[row_id], strict=True, raises=AssertionError)] if row_id in MISSES else []
