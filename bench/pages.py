"""Readers of web pages side by side, on labelled pages.

    python bench/pages.py --data FOLDER --peer PEER/bin/python [--limit N]

The folder (else `LIMEN_BENCH_DATA`) holds `score.py` and its pages; `--peer` (else `LIMEN_BENCH_PEER`) is the interpreter of an
environment of its own: python -m venv PEER && PEER/bin/pip install trafilatura==2.3.1 readability-lxml markitdown lxml.
Each reader has a process of its own, one after the other; structure is judged where lxml stands beside it. Limen's row has
the weights that ship, which were fitted on these very pages: it shows speed and structure, while `bench/region cv` shows how it
chooses on hosts it has not seen.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

READERS = ("trafilatura", "readability", "markitdown")
PEERS = Path(__file__).parent / "peers"
KINDS = ("code", "heading", "item", "link", "row")


def measured(python: str, reader: str, data: Path, limit: int | None) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [python, "-W", "ignore", str(data / "score.py"), "--reader", f"readers:{reader}", "--data", str(data)]
        limited = ["--limit", str(limit)] if limit else []
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PEERS), os.environ.get("PYTHONPATH", "")])}
        subprocess.run([*command, "--json", str(report), *limited], check=True, stdout=subprocess.DEVNULL, env=environment)
        return json.loads(report.read_text())


def row(reader: str, report: dict, floor_ms: float) -> str:
    mixed, articles = report["mixed"], report["articles"]
    structure = []
    for kind in KINDS:
        good, whole = map(int, mixed["structure"].get(kind, "0/0").split("/"))
        structure.append(f"{100 * good / whole:.0f}" if whole else "–")
    types = " ".join(f"{mixed['types'][kind]['f1']:.2f}" for kind in sorted(mixed["types"]))
    cpu = mixed["cpu_ms"]
    article = f"{articles['f1']:.3f} ({articles['precision']:.3f})"
    return (
        f"| {reader} | {mixed['f1']:.3f} / {mixed['f1_macro']:.3f} | {types} | {article} | {100 * mixed['junk']:.0f} % "
        f"| {' / '.join(structure)} | {cpu['median']:.1f} ({cpu['p95']:.0f}) | {cpu['median'] / floor_ms:.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("LIMEN_BENCH_DATA"))
    parser.add_argument("--peer", default=os.environ.get("LIMEN_BENCH_PEER"))
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    if not options.data:
        print("no labelled pages: name their folder by --data or LIMEN_BENCH_DATA")
        return
    data = Path(options.data)
    ours = measured(sys.executable, "limen", data, options.limit)
    floor_ms = ours["mixed"]["cpu_ms"]["median"]
    types, kinds = " ".join(sorted(ours["mixed"]["types"])), " / ".join(KINDS)
    print(f"| reader | mixed F1 / macro | {types} | articles F1 (P) | unwanted | {kinds} % | CPU ms (p95) | times Limen |")
    print("|---|---|---|---|---|---|---|---|")
    print(row("limen, shipped weights", ours, floor_ms), flush=True)
    for reader in READERS if options.peer else ():
        print(row(reader, measured(options.peer, reader, data, options.limit), floor_ms), flush=True)


if __name__ == "__main__":
    main()
