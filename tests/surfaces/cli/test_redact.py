"""`limen redact`: credentials go, every other byte stays."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from limen.kit.redact import SecretTable, mask
from limen.surfaces.cli.faults import DONE, FAILED, USAGE
from limen.surfaces.cli.redact import MAX_BYTES

ROWS = [json.loads(line) for line in (Path(__file__).parents[2] / "kit/secret/secrets.jsonl").read_text().splitlines()]
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
GONE = "⟦masked github-token⟧"


def test_bytes_pass_as_they_are(process, tmp_path):
    file = tmp_path / "app.log"
    file.write_bytes(b"\xff\xfe \x00\r\n\x1b[31m" + KEY.encode() + b"\x1b[0m\r\n\xe6\x97\xa5 no newline at the end")
    done = process("redact", str(file))
    assert done.returncode == DONE
    assert done.stdout == file.read_bytes().replace(KEY.encode(), GONE.encode())
    assert done.stderr.decode() == "1 credential masked: 1 github-token\n"


@pytest.mark.parametrize("arguments", [("redact",), ("redact", "-"), ("redact", "-q")])
def test_standard_input_is_read(process, arguments):
    done = process(*arguments, stdin=f"one {KEY}\ntwo {KEY}".encode())
    assert done.stdout.decode() == f"one {GONE}\ntwo {GONE}"
    assert (b"2 credentials masked" in done.stderr) is ("-q" not in arguments)


def test_clean_text_is_left_alone_and_nothing_is_nothing(process):
    assert process("redact", stdin=b"nothing to hide").stdout == b"nothing to hide"
    done = process("redact", stdin=b"")
    assert (done.stdout, done.stderr) == (b"", b"no credential found\n")


def test_as_json_positions_count_characters_of_the_original(process):
    text = f"日本 {KEY} \udcff"
    done = process("redact", "--json", stdin=text.encode("utf-8", "surrogateescape"))
    shape = json.loads(done.stdout)
    assert shape == {"text": f"日本 {GONE} \ufffd", "found": [{"rule": "github-token", "start": 3, "end": 3 + len(KEY)}]}


def test_every_row_of_the_table_in_one_batch(limen, tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(json.dumps({"id": row["id"], "text": row["a"] + row["b"]}) for row in ROWS))
    ran = limen("redact", "--batch", str(file))
    assert ran.status == DONE
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [answer["id"] for answer in answers] == [row["id"] for row in ROWS]
    for row, answer in zip(ROWS, answers, strict=True):
        if row["expected"] == "clean":
            assert (answer["text"], answer["found"]) == (row["a"] + row["b"], []), row["id"]
        else:
            secret = row["va"] + row["vb"]
            assert secret[len(secret) // 4 : len(secret) - len(secret) // 4] not in answer["text"], row["id"]
            assert answer["found"], row["id"]


def test_a_line_that_cannot_be_used_costs_itself_alone(limen, tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b'{"text": "a"}\n{"id": 1}\nno json\n{"text": "\xff"}\n{"id": "z", "text": "b"}\n')
    ran = limen("redact", "--batch", str(file))
    first, *bad, last = [json.loads(line) for line in ran.out.splitlines()]
    assert (first, last) == ({"id": None, "text": "a", "found": []}, {"id": "z", "text": "b", "found": []})
    assert [(one["line"], one["error"]["code"]) for one in bad] == [(2, "cli.bad_line"), (3, "cli.bad_line"), (4, "cli.bad_line")]
    assert ran.status == FAILED


def test_more_than_can_be_looked_through_is_refused_before_anything_is_printed(process, tmp_path):
    file = tmp_path / "huge"
    with file.open("wb") as sparse:
        sparse.truncate(MAX_BYTES + 1)
    done = process("redact", str(file))
    assert (done.returncode, done.stdout) == (FAILED, b"")
    assert b"redact.too_large" in done.stderr
    assert b"split -C" in done.stderr


@pytest.mark.parametrize("arguments", [("a", "b"), ("-", "--batch", "-")])
def test_wrong_usage_is_said(limen, arguments):
    assert limen("redact", *arguments).status == USAGE


@pytest.mark.parametrize("arguments", [("/no/such/file",), ("/",), ("--batch", "/no/such/file")])
def test_a_file_that_cannot_be_read_is_named(limen, arguments):
    ran = limen("redact", *arguments)
    assert (ran.status, ran.out) == (FAILED, "")
    assert arguments[-1] in ran.err


@given(st.lists(st.sampled_from([KEY, "text ", "\n", "日", "\x00", "password=Tr0ub4dor-x7", "'", "=", "é"]), max_size=12))
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_positions_rebuild_the_masked_text(limen, tmp_path, pieces):
    text = "".join(pieces)
    file = tmp_path / "text"
    file.write_bytes(text.encode())
    shape = json.loads(limen("redact", "--json", str(file)).out)
    rebuilt, place = "", 0
    for found in shape["found"]:
        rebuilt += text[place : found["start"]] + f"⟦masked {found['rule']}⟧"
        place = found["end"]
    assert rebuilt + text[place:] == shape["text"] == mask(text, SecretTable()).text
