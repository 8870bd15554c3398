"""Each row of the table has one test, and the known misses are few, true and explained."""

import importlib

import pytest
from cases.table import MISSES, MOST_MISSES, ROWS

AREAS = ("cache", "compaction", "extraction", "fallback", "prompt_cache", "search", "secrets", "url_safety")
_ELSEWHERE = {"fallback": ("fallback_turns",)}


def rows_tested_in(area):
    """The rows that an area's modules have tests for."""
    modules = [importlib.import_module(f"cases.test_{name}") for name in (area, *_ELSEWHERE.get(area, ()))]
    functions = [function for module in modules for function in vars(module).values() if callable(function)]
    marks = [mark for function in functions for mark in getattr(function, "pytestmark", ())]
    return [parameters.id for mark in marks if mark.args[:1] == ("row",) for parameters in mark.args[1]]


@pytest.mark.parametrize("area", AREAS)
def test_every_row_of_an_area_has_one_test(area):
    assert sorted(rows_tested_in(area)) == sorted(row["id"] for row in ROWS.values() if row["area"] == area)


def test_every_row_is_of_a_known_area_and_says_what_it_is_about():
    assert {row["area"] for row in ROWS.values()} == set(AREAS)
    assert all(row["symptom"] and row["input"] and row["expected"] for row in ROWS.values())


def test_the_known_misses_only_shrink():
    assert len(MISSES) <= MOST_MISSES
    assert set(MISSES) <= set(ROWS)
    assert all(len(why) > 20 and "\n" not in why for why in MISSES.values())
