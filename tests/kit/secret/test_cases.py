"""Every row of the table of credentials and of texts that are none."""

import json
from pathlib import Path

import pytest

from limen.kit.redact import SecretTable, mask

ROWS = [json.loads(line) for line in Path(__file__).with_name("secrets.jsonl").read_text().splitlines()]
TABLE = SecretTable()


def of(expected):
    return [pytest.param(row, id=row["id"]) for row in ROWS if row["expected"] == expected]


@pytest.mark.parametrize("row", of("secret"))
def test_a_secret_is_gone(row):
    secret = row["va"] + row["vb"]
    masked = mask(row["a"] + row["b"], TABLE)
    assert masked.masked
    assert secret[len(secret) // 4 : len(secret) - len(secret) // 4] not in masked.text


@pytest.mark.parametrize("row", of("clean"))
def test_clean_text_stays(row):
    text = row["a"] + row["b"]
    assert mask(text, TABLE) == (text, 0)
