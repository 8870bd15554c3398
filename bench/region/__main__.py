"""Which part of a page is the page: judge the choice on labelled pages, and fit the weights that ship.

    python bench/region cv  [--data FOLDER] [--folds 5]
    python bench/region fit [--data FOLDER]

Needs numpy. The folder (else `LIMEN_BENCH_DATA`) holds `mixed.jsonl.gz`, `articles.jsonl.gz`, `html/` and `score.py`, whose
functions score. `cv` reads each page with weights that saw no page of its host, fitted in the other folds from the choice of
names on, and prints scores over the Markdown, the confusion of page types and CPU time. `fit` writes the weights of all pages.
"""

import argparse
import importlib.util
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import msgspec
from judged import judge
from regression import fitted_weights
from samples import load_samples

from limen.reading.region import weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["cv", "fit"])
    parser.add_argument("--data", type=Path, default=os.environ.get("LIMEN_BENCH_DATA"))
    parser.add_argument("--folds", type=int, default=5)
    options = parser.parse_args()
    if options.data is None:
        parser.error("say where the labelled pages are: --data or LIMEN_BENCH_DATA")
    spec = importlib.util.spec_from_file_location("score", Path(options.data) / "score.py")
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    samples = load_samples(Path(options.data))
    if options.command == "cv":
        judge(samples, options.folds, score)
    else:
        path = Path(weights.__file__).with_name("weights.json")
        path.write_bytes(msgspec.json.format(msgspec.json.encode(fitted_weights(samples)), indent=0) + b"\n")
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
