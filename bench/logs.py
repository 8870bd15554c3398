"""How much of what decides is kept of long outputs, how small they become and how long that takes, beside a cut of the same size.

    LIMEN_BENCH_DATA=FOLDER python bench/logs.py [--set treeherder] [--tokens]

FOLDER/logs has `treeherder/NAME.log.gz` with `NAME.logview.json` (`errors[].line` is a labelled line without its stamp),
`loghub/*.log`, and `generated/`: `pytest_NAME_v.txt` with `pytest_NAME.junit.xml`, `unittest_*` and `cargo_*`.

Items are labelled lines, each distinct line once; names of failing tests; and in `loghub`, where there are hundreds of lines of a
kind, distinct shapes of lines with a severity word or an alert's label.

`kept`: a labelled line is kept when its first 80 characters stand in what is delivered, a name when it stands there, be it in two
parts. A shape is kept when a row has a line of that shape and says truly how many there are, which is the first and which the
last; a row may take several shapes together that differ in few words, if it counts all of them. `told`: of all those lines, the
share that is quoted, or lies in a range that the report names for lines of their own weight; rows of a kind (`×N, last M`) are a
range for lines of their shape alone.
`wrong`: rows that are not the stored (masked) line with that number, or whose count or last line is not true. `unsound`: reports
that are too long, differ when they are made again, or show one of the secrets that are planted in a copy of each output.

The floor is the first 1,200 and the last 1,800 characters. Its lines, and a peer's, have no numbers: a shape of which a line
stands there is half kept, since nothing says how often it occurs and where; an output that is left whole is kept whole.

Half of the outputs, chosen by a checksum of their names, are held out: rules are made by looking at the others. Both halves are
printed.
"""

import argparse
import gzip
import json
import os
import re
import subprocess
import time
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Iterator
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
RANGE = re.compile(
    r"left out: lines? ([\d,]+)(?:-([\d,]+))?: [\d,]+ (?:other )?(failures|errors|warnings|notes|details|summary lines)"
)
GRAVE = re.compile(r"\b(?:ERROR|FATAL|SEVERE|CRITICAL)\b|TEST-UNEXPECTED|PROCESS-CRASH| [EF] [A-Z]")
WARNING = re.compile(r"\bWARN(?:ING)?\b")
ALIKE = 0.7
MOST_CHARS, MOST_SHARE, USUAL_CHARS = 12_000, 0.2, 3_000
# No one's: split, so that no scanner takes this file for a leak.
SECRETS = (
    "AKIA" + "Q7ZV3LXN5BTC2WDM",
    "ghp_" + "a9Kf3mZq7Rt2Wx8Yb4Nc6Vd1Ls5Hp0Jg3Te9",
    "xoxb-" + "729301846512-918273645018-qWeRtYuIoPaSdFgHjKlZxCvB",
    "hunter2" + "-correct-horse-9f31",
)
PLANTED = (
    "ERROR cannot sign with {}",
    "token={} was refused",
    "error: slack said no to {}",
    "fatal: postgres://app:{}@db/x is down",
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
    are_names: bool = False


class Row(msgspec.Struct):
    """What became of a case, or of several."""

    name: str
    chars: int
    out: int
    items: int
    kept: float
    lines: int
    told: float
    floor: float
    wrong: int
    unsound: int
    ms_per_mb: float
    masking: float
    peer: tuple[float, float, float] | None
    tokens: tuple[int, int] | None


class Kind(msgspec.Struct):
    """Lines of one shape: how many, the first and the last."""

    count: int
    first: int
    last: int


class Shown(msgspec.Struct):
    """A row of a report."""

    line: int
    count: int
    last: int
    said: str


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
            yield Case(f"generated/{path.stem}", text, "pytest -v", 1, items, are_names=True)
        elif path.stem.startswith("unittest"):
            items = [f"{found[1]}" for found in re.finditer(r"^(?:FAIL|ERROR): (.*)", text, re.MULTILINE)]
            yield Case(f"generated/{path.stem}", text, "python -m unittest -v", 1, list(dict.fromkeys(items)), are_names=True)
        elif path.stem.startswith("cargo"):
            items = [found[1] for found in re.finditer(r"^test (.*) \.\.\. FAILED", text, re.MULTILINE)]
            yield Case(f"generated/{path.stem}", text, "cargo test", 101, items, are_names=True)
        else:
            yield Case(f"generated/{path.stem}", text, path.stem, 0, [])


SETS = {"treeherder": treeherder, "loghub": loghub, "generated": generated}


def lines_of(text: str) -> list[str]:
    return list(resolved_lines((text,)))


def asked_of_peer(peer: "subprocess.Popen[str] | None", case: Case, lines: list[str]) -> tuple[float, float, float] | None:
    """What a peer keeps of the items, how much smaller it makes the output, and its milliseconds a MB."""
    if peer is None or peer.stdin is None or peer.stdout is None:
        return None
    peer.stdin.write(json.dumps({"text": case.text, "command": case.command, "exit_code": case.exit_code}) + "\n")
    peer.stdin.flush()
    made = json.loads(peer.stdout.readline())
    kept = plainly_kept(case, made["text"], lines)
    return kept, 1 - len(made["text"]) / len(case.text), made["ms"] * 1e6 / len(case.text)


def measured(
    case: Case, compactor: Compactor, table: SecretTable, count: TokenCounter | None, peer: "subprocess.Popen[str] | None"
) -> Row:
    before = time.process_time()
    text = mask(case.text, table).text
    masked_s = time.process_time() - before
    report = compactor.compact(text, case.command, case.exit_code)
    took_s = time.process_time() - before
    lines = lines_of(text)
    rows = rows_of(report)
    shapes = Shapes(lines)
    shorter = shape if case.by_shape else str if case.are_names else beginning
    items = list(dict.fromkeys(map(shorter, case.items)))
    whole = bool(report.left)
    if case.by_shape:
        kept = [item for item in items if whole or shapes.is_told(item, rows)]
    elif case.are_names:
        names = names_in(report.text)
        kept = [item for item in items if whole or any(is_name(item, name) for name in names)]
    else:
        kept = [item for item in items if item in report.text]
    wanted = set() if case.are_names else set(case.items)
    numbers = [number for number, line in enumerate(lines, 1) if line in wanted or line.partition("] ")[2] in wanted]
    reached = len(numbers) if whole else sum(is_reached(number, lines, rows, ranges_of(report)) for number in numbers)
    return Row(
        case.name, len(case.text), len(report.text), len(items), share(len(kept), len(items)),
        len(numbers), share(reached, len(numbers)),
        plainly_kept(case, case.text[:FLOOR_HEAD] + "\n" + case.text[-FLOOR_TAIL:], lines),
        0 if whole else sum(not shapes.is_true(row) for row in rows),
        unsound(case, text, report, compactor, table), took_s * 1e9 / len(case.text), masked_s * 1e9 / len(case.text),
        asked_of_peer(peer, case, lines), count and (count(case.text), count(report.text)),
    )  # fmt: skip


def shape(line: str) -> str:
    return " ".join(VALUE.sub("*", line).split())


def beginning(line: str) -> str:
    return line[:ITEM_CHARS]


def names_in(text: str) -> list[str]:
    """The names that a report lists: those of one parent stand below it, further in."""
    found, parent = [], ""
    for row in text.partition("failing tests, ")[2].split("\n")[1:]:
        if not row.startswith("  ") or NUMBERED.match(row):
            break
        if row.startswith("    "):
            found.append(parent + row.strip())
        else:
            parent = row.strip()
            found.append(parent)
    return found


def is_name(item: str, name: str) -> bool:
    """Whether a name is the one of an item: `leaf`, `path::leaf`, or as unittest writes it, `leaf (path)`."""
    leaf, _, path = item.partition(" (")
    path = path.partition(")")[0]
    dotted = path if path.endswith(leaf) else f"{path}.{leaf}" if path else leaf
    return name == dotted or name.endswith("::" + item)


def alike(one: str, other: str) -> bool:
    """Whether two shapes may be of one kind: as many words, most of them the same."""
    first, second = one.split(), other.split()
    same = sum(a == b for a, b in zip(first, second, strict=False))
    return len(first) == len(second) and same >= ALIKE * len(first)


class Shapes:
    """The truth about an output: the lines of each shape."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.of = [shape(line) for line in lines]
        self.kinds: dict[str, Kind] = {}
        for number, one in enumerate(self.of, 1):
            kind = self.kinds.setdefault(one, Kind(0, number, number))
            kind.count += 1
            kind.last = number

    def is_told(self, item: str, rows: list[Shown]) -> bool:
        """Whether rows say of a shape how many lines it has, the first and the last: one row, or a row for each line."""
        kind = self.kinds.get(item)
        if kind is None:
            return False
        own = [row for row in rows if self.of[row.line - 1] == item]
        if any((row.count, row.line, row.last) == (kind.count, kind.first, kind.last) for row in own):
            return True
        if len({row.line for row in own}) >= kind.count:
            return True
        return any(
            row.count > kind.count
            and row.line <= kind.first
            and kind.last <= row.last
            and alike(item, self.of[row.line - 1])
            and self.is_true(row)
            for row in rows
        )

    def is_true(self, row: Shown) -> bool:
        """Whether a row shows parts of its line, in their order, and counts lines that are there, from its first to its
        last: whole shapes that are alike, or all that have the words which those two share."""
        if not 1 <= row.line <= row.last <= len(self.lines):
            return False
        at = 0
        for part in row.said.split("…"):
            at = self.lines[row.line - 1].find(part, at)
            if at < 0:
                return False
            at += len(part)
        if row.count == 1:
            return row.line == row.last
        like = self.of[row.line - 1]
        near = [
            kind.count
            for one, kind in self.kinds.items()
            if alike(one, like) and row.line <= kind.first and kind.last <= row.last
        ]
        return row.count == self.sharing(row) or (alike(self.of[row.last - 1], like) and row.count in sums(near, row.count))

    def sharing(self, row: Shown) -> int:
        """How many lines from a row's first to its last have all words that these two share."""
        words = set(self.lines[row.line - 1].split()) & set(self.lines[row.last - 1].split())
        return sum(words <= set(line.split()) for line in self.lines[row.line - 1 : row.last])


def sums(counts: list[int], most: int) -> set[int]:
    """The sums of any of the counts, as far as `most`."""
    found = {0}
    for count in counts:
        found |= {one + count for one in found if one + count <= most}
    return found


def rows_of(report: Report) -> list[Shown]:
    """The numbered rows of a report."""
    found = filter(None, map(NUMBERED.fullmatch, report.text.split("\n") if not report.left else ()))
    return [Shown(int(row[1]), int(row[2] or 1), int(row[3] or row[1]), row[4]) for row in found]


def ranges_of(report: Report) -> list[tuple[int, int, str]]:
    """The ranges that a report names, and for what."""
    found = filter(None, map(RANGE.match, report.text.split("\n")))
    return [(int(row[1].replace(",", "")), int((row[2] or row[1]).replace(",", "")), row[3]) for row in found]


def is_reached(number: int, lines: list[str], rows: list[Shown], ranges: list[tuple[int, int, str]]) -> bool:
    """Whether a line is quoted, or is in a range that is named for its kind or its weight."""
    line = lines[number - 1]
    names = {"failures", "errors"} if GRAVE.search(line) else {"failures", "errors", "warnings"}
    if not GRAVE.search(line) and not WARNING.search(line):
        names.add("notes")
    if any(first <= number <= last and name in names for first, last, name in ranges):
        return True
    own = shape(line)
    return any(row.line == number or (row.line < number <= row.last and alike(shape(lines[row.line - 1]), own)) for row in rows)


def plainly_kept(case: Case, text: str, lines: list[str]) -> float:
    """What of the items is kept in a text without numbers."""
    items = dict.fromkeys(case.items)
    if not case.by_shape:
        short = dict.fromkeys(item[:ITEM_CHARS] for item in items)
        return share(sum(item in text for item in short), len(short))
    if len(text) >= len(case.text):
        return 1.0
    wanted, there = {shape(item) for item in items}, {shape(line) for line in text.split("\n")}
    return len(wanted & there) / 2 / len(wanted) if wanted else 1.0


def unsound(case: Case, text: str, report: Report, compactor: Compactor, table: SecretTable) -> int:
    """How many rules a report breaks: its size, the same again, no secret."""
    names = bool(report.names) or "TEST-" in report.text
    limit = max(USUAL_CHARS, min(MOST_CHARS, int(MOST_SHARE * len(text)))) if names else USUAL_CHARS
    broken = not report.left and len(report.kept_as("ev_0123456789ab").text) > limit
    again = compactor.compact(text, case.command, case.exit_code) != report
    lines = case.text.split("\n")
    for place, (said, secret) in enumerate(zip(PLANTED, SECRETS, strict=True), 1):
        lines.insert(place * len(lines) // (len(SECRETS) + 1), said.format(secret))
    planted = mask("\n".join(lines), table).text
    shown = planted + compactor.compact(planted, case.command, case.exit_code).text
    return broken + again + sum(secret in shown for secret in SECRETS)


def is_held_out(name: str) -> bool:
    return zlib.crc32(name.encode()) >> 4 & 1 == 1


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
        "| output | MB | items | kept | told | head and tail | smaller by | in tokens | wrong | unsound | ms a MB |"
        " of it masking | peer: kept | smaller by | ms a MB |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    every: list[Row] = []
    for name in arguments.set or SETS:
        rows = [measured(case, compactor, table, count, peer) for case in SETS[name](Path(arguments.data) / "logs" / name)]
        for row in rows:
            print(line_of(row), flush=True)
        print(line_of(total(name, rows)), flush=True)
        every += rows
    print(line_of(total("all", every)))
    for name, held in (("looked at", False), ("held out", True)):
        print(line_of(total(name, [row for row in every if is_held_out(row.name) is held])))


def total(name: str, rows: list[Row]) -> Row:
    chars = sum(row.chars for row in rows) or 1
    items, lines = sum(row.items for row in rows) or 1, sum(row.lines for row in rows)
    counted = [row.tokens for row in rows if row.tokens is not None]
    return Row(
        f"**{name}**", chars, sum(row.out for row in rows), items, sum(row.kept * row.items for row in rows) / items,
        lines, sum(row.told * row.lines for row in rows) / (lines or 1),
        sum(row.floor * row.items for row in rows) / items, sum(row.wrong for row in rows), sum(row.unsound for row in rows),
        sum(row.ms_per_mb * row.chars for row in rows) / chars, sum(row.masking * row.chars for row in rows) / chars,
        peers_total(rows, chars), (sum(one[0] for one in counted), sum(one[1] for one in counted)) if counted else None,
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
        row.name, f"{row.chars / 1e6:.2f}", str(row.items), f"{row.kept:.1%}",
        f"{row.told:.1%}" if row.lines else "", f"{row.floor:.1%}",
        f"{1 - row.out / row.chars:.1%}", "" if row.tokens is None else f"{1 - row.tokens[1] / row.tokens[0]:.1%}",
        str(row.wrong), str(row.unsound), f"{row.ms_per_mb:.0f}", f"{row.masking:.0f}", *peers_cells(row.peer),
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
