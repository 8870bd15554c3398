"""What providers do wrong, what is done about it and what a person sees: each row from a real run over loopback.

    python bench/faults.py [--write docs/faults.md]

Every fault of `limen.testing.faults` is played over all three wires, behind all model gates: once alone, once with another route
behind it. Pauses between attempts are not waited out. A row stands for all wires where they do the same.
"""

import argparse
import time
from pathlib import Path

import anyio

from limen.testing.fault_run import markdown, table

_HEAD = """| fault | class | what is done | hits | what you see |
|---|---|---|---|---|
"""
_BEGIN, _END = "<!-- run: bench/faults.py -->\n", "<!-- /run -->"


def main() -> None:
    """Run, and print or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    page = parser.parse_args().write
    began = time.monotonic()
    found = anyio.run(table)
    text = _HEAD + markdown(found)
    print(text)
    print(f"{len(found)} runs in {time.monotonic() - began:.1f} s")
    if page is not None:
        before, _, rest = page.read_text().partition(_BEGIN)
        page.write_text(before + _BEGIN + text + _END + rest.partition(_END)[2])


if __name__ == "__main__":
    main()
