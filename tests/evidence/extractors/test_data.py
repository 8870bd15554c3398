"""Data: shape, counts, exact numbers, what went wrong in records, what stands out."""

import json
from typing import Any

import pytest
from evidence.extractors.outputs import found_by, read, surest
from hypothesis import given
from hypothesis import strategies as st

from limen.evidence.extractors.data import DATA_EXTRACTORS
from limen.evidence.findings import Findings


def records(count: int = 50) -> list[dict[str, Any]]:
    made = [
        {"id": number, "name": f"user{number}", "status": "ok", "price": 2.5, "error": None} for number in range(1, count + 1)
    ]
    made[6] |= {"status": "failed", "error": "connection to 10.0.0.7 refused after 30 s"}
    made[18] |= {"status": "failed", "error": "connection to 10.0.0.9 refused after 30 s"}
    made[32] |= {"price": 99999.10}
    return made


def assert_told(found: Findings) -> None:
    assert "id 1 to 50" in found.headline
    assert '2 × status "failed" (id 7, id 19)' in found.headline
    assert "2 × error connection to … refused after … s (id 7, id 19)" in found.headline
    assert "unusual: price 99999.1 (line " in found.headline
    assert 'status "ok" ×48, "failed" ×2' in found.headline


@pytest.mark.parametrize("indent", [None, 2])
def test_json_on_one_line_or_many_tells_its_records(indent: int | None) -> None:
    output = json.dumps({"total": 50, "next": None, "items": records()}, indent=indent)
    found = found_by(DATA_EXTRACTORS, output)
    assert found.kind == "json"
    assert found.headline.startswith("JSON: object of 3: total 50, next null, items [50]\n$.items[]: 50 records\n")
    assert_told(found)
    assert any('"price": 99999.1' in quote.text for quote in found.quotes)
    errors = [tally for tally in found.tallies if tally.weight == "error"]
    assert [tally.count for tally in errors] == [2, 2]
    assert all('"failed"' in tally.example[tally.start :] for tally in errors[:1])


def test_json_lines_tell_the_same_and_count_other_lines() -> None:
    output = "\n".join(["starting", *map(json.dumps, records()), "done"])
    found = found_by(DATA_EXTRACTORS, output)
    assert found.kind == "json-lines"
    assert_told(found)
    assert [(one.count, one.first, one.last) for one in found.tallies if "no JSON" in one.what] == [(2, 1, 52)]


def test_a_table_tells_the_same_and_shows_rows_of_another_length() -> None:
    rows = [",".join(str(value if value is not None else "") for value in one.values()) for one in records()]
    rows[2] = '3,"user\n3",ok,2.5,'
    output = "\n".join(["id,name,status,price,error", *rows, "51,short"])
    found = found_by(DATA_EXTRACTORS, output, "cat a.csv")
    assert found.kind == "table"
    assert found.headline.startswith("table: 50 rows, columns id, name, status, price, error\n")
    assert_told(found)
    assert [quote.text for quote in found.quotes if quote.weight == "note"] == ["51,short"]


def test_yaml_documents_tell_keys_and_values() -> None:
    one = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod-{n}\nstatus:\n  phase: {phase}\n---\n"
    output = "".join(one.replace("{n}", str(n)).replace("{phase}", "Failed" if n == 2 else "Running") for n in range(9))
    found = found_by(DATA_EXTRACTORS, output, "kubectl get pods -o yaml")
    assert found.headline.startswith("YAML: 9 documents, keys apiVersion ×9, kind ×9, ")
    assert 'status.phase "Running" ×8, "Failed"' in found.headline
    assert [(quote.line, quote.text, quote.weight) for quote in found.quotes] == [(20, "  phase: Failed", "error")]


def test_numbers_are_told_as_they_are_written() -> None:
    output = json.dumps({"big": 12345678901234567890123, "a": 1}).replace('"a": 1', '"a": 1.50, "b": 0.1000000000000000055')
    found = found_by(DATA_EXTRACTORS, output)
    assert "big 12345678901234567890123, a 1.50, b 0.1000000000000000055" in found.headline


def test_json_that_is_cut_off_tells_what_it_holds_and_where_it_ends() -> None:
    output = json.dumps({"items": records()})[:-500]
    found = found_by(DATA_EXTRACTORS, output)
    assert "no valid JSON from line 1, character" in found.headline
    assert '2 × status "failed" (id 7, id 19)' in found.headline


@pytest.mark.parametrize(
    "output",
    [
        "[" * 100_000,
        '{"a":' * 50_000,
        "[1,2,",
        '{"a" 1}',
        '{"a": 1}}',
        "[1 2]",
        '{"a": ' + "9" * 5000 + "}",
        "[NaN, Infinity, 1e999999]",
        "{}",
    ],
)
def test_broken_deep_and_odd_json_is_read_to_an_end(output: str) -> None:
    assert read(DATA_EXTRACTORS[0], output).kind == "json"


def test_an_object_of_objects_is_a_table_of_names() -> None:
    output = json.dumps({f"pkg{n}": {"version": "1.0", "ok": n != 3} for n in range(30)})
    found = found_by(DATA_EXTRACTORS, output)
    assert "$.*: 30 records" in found.headline
    assert '1 × ok false ((name) "pkg3")' in found.headline


@pytest.mark.parametrize(
    ("output", "command"),
    [
        ("[INFO] Building\n[ERROR] no\n", "mvn"),
        ("[2026-11-01 10:00:00] GET /\n" * 9, ""),
        ("Host: a\nAccept: b\nDate: c\nServer: d\n", "curl -I x"),
        ("one, two and three\nfour\nfive, six\nseven\n", ""),
        ("a b c\n" * 9, ""),
        ("", ""),
    ],
)
def test_other_outputs_are_left_alone(output: str, command: str) -> None:
    assert surest(DATA_EXTRACTORS, output, command) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["id", "error", "status", "a", "ok"]), inner, max_size=4)
    ),
    max_leaves=30,
)


@given(JSON, st.sampled_from([None, 1]), st.integers(0, 40))
def test_any_json_whole_or_cut_is_quoted_as_it_stands(value: Any, indent: int | None, cut: int) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    found = read(DATA_EXTRACTORS[0], text[: len(text) - cut] if cut < len(text) else text)
    assert found == read(DATA_EXTRACTORS[0], text[: len(text) - cut] if cut < len(text) else text)


@given(st.lists(st.text(alphabet='ab,"\n:-{}[]0 .\t', max_size=30), max_size=20), st.integers(1, 3))
def test_any_lines_are_read_as_lines_of_data(lines: list[str], which: int) -> None:
    output = "\n".join(line.replace("\n", " ") for line in lines)
    assert read(DATA_EXTRACTORS[which], output).kind
