"""What a start costs: CPU of whole processes, as ratios to the bare interpreter's in the same run.

    python bench/startup.py [--rounds 15]

CPU seconds are user and system time of the child and its children; a row is the median of its rounds, which are interleaved, so
that a busy machine slows all rows alike. Modules are compiled beforehand, as they are after an installation. `ask` is a first
turn in a home of its own: import, construct, read the manual in, answer from it; the row below asks again in the same home.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

LIMEN = (sys.executable, "-m", "limen")
FLOOR = "python -c pass"
ROWS: dict[str, tuple[tuple[str, ...], str]] = {
    FLOOR: ((sys.executable, "-c", "pass"), ""),
    "limen --version": ((*LIMEN, "--version"), "<= 2 x"),
    "limen --help": ((*LIMEN, "--help"), ""),
    "limen extract --help": ((*LIMEN, "extract", "--help"), "<= 8 x"),
    "python -c 'import limen'": ((sys.executable, "-c", "import limen"), ""),
    "limen sessions list": ((*LIMEN, "sessions", "list"), ""),
    "limen ask, first turn": ((*LIMEN, "ask", "What is a gate?"), "<= 0.5 s"),
    "limen ask, again": ((*LIMEN, "ask", "What is a secret?"), ""),
}


def cpu_s(command: Sequence[str], environment: dict[str, str]) -> float:
    """CPU seconds of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(rounds: int) -> dict[str, float]:
    """The median of each row. The first round of all fills caches and does not count."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    taken: dict[str, list[float]] = {name: [] for name in ROWS}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(rounds + 1):
            for name, (command, _) in ROWS.items():
                home = str(Path(folder) / f"home-{turn}")
                spent = cpu_s(command, {**environment, "LIMEN_HOME": home, "NO_COLOR": "1"})
                if turn:
                    taken[name].append(spent)
    return {name: statistics.median(values) for name, values in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    medians = measure(parser.parse_args().rounds)
    print(f"{'':<28}{'CPU ms':>8}{'ratio':>8}  goal")
    for name, (_, goal) in ROWS.items():
        print(f"{name:<28}{medians[name] * 1_000:>8.1f}{medians[name] / medians[FLOOR]:>8.2f}  {goal}")


if __name__ == "__main__":
    main()
