"""How much of what decides is kept of long outputs, how small they become and how long that takes, beside a cut of the same size.

    LIMEN_BENCH_DATA=FOLDER python bench/logs.py [--set treeherder] [--tokens]

FOLDER/logs has `treeherder/NAME.log.gz` with `NAME.logview.json` (`errors[].line` is a labelled line without its stamp),
`loghub/*.log`, and `generated/`: `pytest_NAME_v.txt` with `pytest_NAME.junit.xml`, `unittest_*` and `cargo_*`.

An item is kept when its first 80 characters stand in the text that is delivered. Items are labelled lines, each distinct line
once;
names of failing tests; and in `loghub`, where there are hundreds of lines of a kind, distinct shapes of lines with a severity
word
or an alert's label: those are kept when a line of that shape is quoted. `told` is the share of those lines, all of them, that are
quoted or lie in a range which the report names. A wrong line is one that is quoted and is not the line with that number. The
floor
is the first 1,200 and the last 1,800 characters.
"""

import argparse
import gzip
import json
import os
import re
import statistics
import subprocess
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import msgspec

from limen.evidence.compact import Compactor
from limen.evidence.report import Report
from limen.evidence.terminal_text import resolved_lines
from limen.kit.redact import SecretTable, mask
from limen.kit.tokens import TokenCounter
from limen.wiring.compacting import compactor_of

FLOOR_HEAD, FLOOR_TAIL = 1_200, 1_800
PEER = Path(__file__).parent / "peers" / "compactor.py"
ITEM_CHARS = 80
SEVERE = re.compile(r"error|fail|fatal|exception|panic|critical|severe|warn|denied| [EF] [A-Z]", re.IGNORECASE)
VALUE = re.compile(
    r"[^\s\[\](){}=,;|\"']*\d[^\s\[\](){}=,;|\"']*|(?<==)\S+|[\w-]+(?:\.[\w-]+){2,}|(?<=user )\S+"
    r"|(?<=for )\S+(?= from)|\b(?:Jan|Feb|Mar"
    r"|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b"
)
NUMBERED = re.compile(r" *(\d+)(?: \(×(\d+), last (\d+)\))?: (.*)")


class Case(msgspec.Struct):
    """An output and what of it must not be lost."""

    name: str
    text: str
    command: str
    exit_code: int | None
    items: list[str]
    by_shape: bool = False


class Row(msgspec.Struct):
    """What became of a case."""

    name: str
    chars: int
    out: int
    items: int
    kept: float
    told: float
    floor: float
    wrong: int
    ms_per_mb: float
    masking: float
    peer: tuple[float, float, float] | None
    tokens: float | None


def treeherder(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.glob("*.log.gz")):
        labels = json.loads(path.with_name(path.name.replace(".log.gz", ".logview.json")).read_bytes())["errors"]
        text = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
        yield Case(f"treeherder/{path.name[:-7]}", text, "mach test", 1, list(dict.fromkeys(label["line"] for label in labels)))


def loghub(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.glob("*.log")):
        text = path.read_bytes().decode("utf-8", "replace")
        alerts = path.name.startswith("BGL")
        items = [line for line in lines_of(text) if (line[:1] != "-" if alerts else SEVERE.search(line))]
        yield Case(f"loghub/{path.stem}", text, f"cat {path.name} | tail -2000", 0, items, by_shape=True)


def generated(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.glob("*.txt")):
        text = path.read_bytes().decode("utf-8", "replace")
        junit = path.with_name(path.name.replace("_v.txt", ".junit.xml"))
        if path.stem.startswith("pytest"):
            cases = ET.fromstring(junit.read_text()).iter("testcase")
            items = [case.get("name", "") for case in cases if case.find("failure") is not None or case.find("error") is not None]
            yield Case(f"generated/{path.stem}", text, "pytest -v", 1, items)
        elif path.stem.startswith("unittest"):
            items = [f"{found[1]}" for found in re.finditer(r"^(?:FAIL|ERROR): (.*)", text, re.MULTILINE)]
            yield Case(f"generated/{path.stem}", text, "python -m unittest -v", 1, list(dict.fromkeys(items)))
        elif path.stem.startswith("cargo"):
            items = [found[1] for found in re.finditer(r"^test (.*) \.\.\. FAILED", text, re.MULTILINE)]
            yield Case(f"generated/{path.stem}", text, "cargo test", 101, items)
        else:
            yield Case(f"generated/{path.stem}", text, path.stem, 0, [])


SETS = {"treeherder": treeherder, "loghub": loghub, "generated": generated}


def lines_of(text: str) -> list[str]:
    return list(resolved_lines((text,)))


def asked_of_peer(peer: "subprocess.Popen[str] | None", case: Case, items: Iterable[str]) -> tuple[float, float, float] | None:
    """What a peer keeps of the items, how much smaller it makes the output, and its milliseconds a MB."""
    if peer is None or peer.stdin is None or peer.stdout is None:
        return None
    peer.stdin.write(json.dumps({"text": case.text, "command": case.command, "exit_code": case.exit_code}) + "\n")
    peer.stdin.flush()
    made = json.loads(peer.stdout.readline())
    wanted = list(items)
    kept = share(sum(holds(made["text"], item, shaped=case.by_shape) for item in wanted), len(wanted))
    return kept, 1 - len(made["text"]) / len(case.text), made["ms"] * 1e6 / len(case.text)


def measured(
    case: Case, compactor: Compactor, table: SecretTable, count: TokenCounter | None, peer: "subprocess.Popen[str] | None"
) -> Row:
    before = time.process_time()
    text = mask(case.text, table).text
    masked_s = time.process_time() - before
    report = compactor.compact(text, case.command, case.exit_code)
    took_s = time.process_time() - before
    floor = case.text[:FLOOR_HEAD] + case.text[-FLOOR_TAIL:]
    lines = lines_of(text)
    items = shapes(case.items) if case.by_shape else dict.fromkeys(item[:ITEM_CHARS] for item in case.items)
    kept = [item for item in items if holds(report.text, item, shaped=case.by_shape)]
    return Row(
        case.name, len(case.text), len(report.text), len(items), share(len(kept), len(items)), told(report, case, lines),
        share(sum(holds(floor, item, shaped=case.by_shape) for item in items), len(items)),
        wrong_lines(report, lines), took_s * 1e9 / len(case.text), masked_s * 1e9 / len(case.text),
        asked_of_peer(peer, case, items), count and count(report.text) / count(case.text),
    )  # fmt: skip


def shape(line: str) -> str:
    return " ".join(VALUE.sub("*", line).split())


def shapes(lines: list[str]) -> dict[str, None]:
    return dict.fromkeys(map(shape, lines))


def holds(text: str, item: str, *, shaped: bool) -> bool:
    if not shaped:
        return item in text
    said = [found[4] for line in text.split("\n") if (found := NUMBERED.match(line))] or text.split("\n")
    return any(quoted(line, item) for line in said)


def quoted(line: str, item: str) -> bool:
    """Whether a line as it is shown, with gaps, is of a shape. A word that a gap cuts is no word."""
    parts = [shape(part).split() for part in line.split("…")]
    for before, after in pairwise(parts):
        del before[-1:], after[:1]
    words = [" ".join(part) for part in parts if part]
    return sum(map(len, words)) >= min(12, len(item)) and all(part in item for part in words)


def told(report: Report, case: Case, lines: list[str]) -> float:
    """Share of labelled lines that are quoted or lie between the numbers of a range that the report names."""
    wanted = set(case.items)
    numbers = [number for number, line in enumerate(lines, 1) if line in wanted or line.partition("] ")[2] in wanted]
    ranges = [
        (int(first.replace(",", "")), int(last.replace(",", "")))
        for first, last in re.findall(r"lines? ([\d,]+)-([\d,]+)", report.text)
    ]
    known = set(report.kept_lines)
    return share(sum(number in known or any(a <= number <= b for a, b in ranges) for number in numbers), len(numbers))


def wrong_lines(report: Report, lines: list[str]) -> int:
    """Lines of the report that are not the line that has their number, as far as they are shown."""
    wrong = 0
    for row in report.text.split("\n") if not report.left else ():
        found = NUMBERED.fullmatch(row)
        if found is not None:
            line = lines[int(found[1]) - 1]
            wrong += not all(part in line for part in found[4].split("…"))
    return wrong


def share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("LIMEN_BENCH_DATA"))
    parser.add_argument("--set", choices=SETS, action="append")
    parser.add_argument("--peer", type=Path, metavar="PYTHON", help="a Python that has noisegate-hermes, for the same outputs")
    parser.add_argument("--tokens", action="store_true", help="count tokens as well, which takes longer")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("say where the outputs are: --data FOLDER, or LIMEN_BENCH_DATA=FOLDER")
    table, compactor, count = SecretTable(), compactor_of(), TokenCounter() if arguments.tokens else None
    mask("", table)
    peer = None
    if arguments.peer is not None:
        peer = subprocess.Popen([arguments.peer, PEER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    print(
        "| output | MB | items | kept | told | head and tail | smaller by | tokens | wrong lines | ms a MB | of it masking |"
        " peer: kept | smaller by | ms a MB |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for name in arguments.set or SETS:
        rows = [measured(case, compactor, table, count, peer) for case in SETS[name](Path(arguments.data) / "logs" / name)]
        for row in rows:
            print(line_of(row), flush=True)
        labelled = [row for row in rows if row.items]
        print(line_of(total(name, rows, labelled)), flush=True)


def total(name: str, rows: list[Row], labelled: list[Row]) -> Row:
    chars = sum(row.chars for row in rows)
    items = sum(row.items for row in labelled)
    tokens = None if rows[0].tokens is None else statistics.fmean(row.tokens or 0.0 for row in rows)
    return Row(
        f"**{name}**", chars, sum(row.out for row in rows), items,
        sum(row.kept * row.items for row in labelled) / items, statistics.fmean(row.told for row in labelled),
        sum(row.floor * row.items for row in labelled) / items, sum(row.wrong for row in rows),
        sum(row.ms_per_mb * row.chars for row in rows) / chars, sum(row.masking * row.chars for row in rows) / chars,
        peers_total(rows, chars), tokens,
    )  # fmt: skip


def peers_total(rows: list[Row], chars: int) -> tuple[float, float, float] | None:
    told = [(row, row.peer) for row in rows if row.peer is not None]
    if not told:
        return None
    items = sum(row.items for row, _ in told) or 1
    kept = sum(row.items * peer[0] for row, peer in told) / items
    return kept, sum(row.chars * peer[1] for row, peer in told) / chars, sum(row.chars * peer[2] for row, peer in told) / chars


def peers_cells(peer: tuple[float, float, float] | None) -> tuple[str, str, str]:
    return ("", "", "") if peer is None else (f"{peer[0]:.1%}", f"{peer[1]:.1%}", f"{peer[2]:.0f}")


def line_of(row: Row) -> str:
    cells = (
        row.name, f"{row.chars / 1e6:.2f}", str(row.items), f"{row.kept:.1%}", f"{row.told:.0%}", f"{row.floor:.1%}",
        f"{1 - row.out / row.chars:.1%}",
        "" if row.tokens is None else f"{1 - row.tokens:.1%}", str(row.wrong), f"{row.ms_per_mb:.0f}",
        f"{row.masking:.0f}", *peers_cells(row.peer),
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
