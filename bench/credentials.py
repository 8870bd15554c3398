"""What looking for credentials costs, beside one plain search for the same keywords in the same run.

Run: python bench/credentials.py
"""

import json
import statistics
import time
from pathlib import Path

import re2

from limen.kit.redact import SecretTable, mask, vendored_rules
from limen.kit.secret.named import NAMED
from limen.kit.secret.shapes import FORMATS
from limen.web.gates.secrets import SecretRules, SecretsGate

CASES = Path(__file__).parents[1] / "tests/kit/secret/secrets.jsonl"
URL = "https://example.com/some/path/to/a/page.html?query=hello+world&lang=en&p=2#s"
README = Path(__file__).parents[1] / "README.md"


def microseconds(act, rounds=9):
    """The median of several runs, in microseconds of processor time a call."""
    took = []
    for _ in range(rounds):
        count, started = 0, time.process_time()
        while time.process_time() - started < 0.05:
            act()
            count += 1
        took.append((time.process_time() - started) / count * 1e6)
    return statistics.median(took)


def main() -> None:
    table = SecretTable()
    gate = SecretsGate(table, SecretRules)
    words = "|".join(re2.escape(word) for rule in (*FORMATS, *NAMED, *vendored_rules()) for word in rule.keywords)
    floor = re2.compile(f"(?i){words}")
    prose = README.read_text()
    texts = {
        "76-character address": URL,
        "2,000-character address": URL + "&q=" + "hello+world+" * 160,
        "1 MB of prose": (prose * (1_000_000 // len(prose) + 1))[:1_000_000],
        "5 MB of base64": "QUJD" * 1_250_000,
        "5 MB of A_": "A_" * 2_500_000,
    }
    print(f"{'text':26}{'gate us':>12}{'formats us':>12}{'all rules us':>14}{'keywords us':>13}{'all / keywords':>16}")
    for name, text in texts.items():
        judged = microseconds(lambda text=text: gate.judge_url(text)) if text.startswith("http") else float("nan")
        formats = microseconds(lambda text=text: table.in_value(text))
        everything = microseconds(lambda text=text: table.in_text(text))
        least = microseconds(lambda text=text: list(floor.finditer(text)))
        print(f"{name:26}{judged:12.1f}{formats:12.1f}{everything:14.1f}{least:13.1f}{everything / least:16.1f}")
    rows = [json.loads(line) for line in CASES.read_text().splitlines()]
    for expected in ("secret", "clean"):
        of_kind = [row for row in rows if row["expected"] == expected]
        touched = sum(mask(row["a"] + row["b"], table).masked > 0 for row in of_kind)
        print(f"{expected}: {touched} of {len(of_kind)} rows masked")


if __name__ == "__main__":
    main()
