"""How well and how fast PDFs are read, beside pdftotext in the same run.

    python bench/pdf.py FOLDER...

For each PDF: the F1 of its words, and of its runs of four words, against what pdftotext (poppler) makes of it, whose order
and choice are no truth but a second opinion; pages a second of CPU time of both: pdftotext's has the start of a process in it.
PDFs without a text layer are counted apart, and so are those that fail.
"""

import re
import resource
import statistics
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import pypdfium2

from limen.core.fault import ToolFault
from limen.reading import read

_WORD = re.compile(r"\w+")
_PAGE_MARK = re.compile(r"^\[Page \d+.*\]$", re.MULTILINE)
_ADDRESS = re.compile(r"\]\([^)]*\)")
# Lam and alef in one glyph, which pdftotext turns round: their order does not count.
_LAM_ALEF = re.compile("\u0644([\u0622\u0623\u0625\u0627])")
_FEWEST_WORDS = 5


def words(text: str) -> list[str]:
    return _WORD.findall(_LAM_ALEF.sub("\\1\u0644", unicodedata.normalize("NFKC", text).lower()))


def agreement(ours: list[str], theirs: list[str], size: int) -> float:
    """F1 of the runs of `size` words."""
    left, right = (Counter(zip(*(side[start:] for start in range(size)), strict=False)) for side in (ours, theirs))
    both = (left & right).total()
    return 2 * both / max(left.total() + right.total(), 1)


def cpu_s() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def timed(function, *args):
    start = cpu_s()
    result = function(*args)
    return result, max(cpu_s() - start, 0.0001)


def pdftotext(path: Path) -> list[str]:
    done = subprocess.run(["pdftotext", "-enc", "UTF-8", str(path), "-"], capture_output=True, check=False, timeout=300)
    return words(done.stdout.decode("utf-8", "replace"))


def pages_of(path: Path) -> int:
    with pypdfium2.PdfDocument(path) as document:
        return len(document)


def main() -> None:
    rows, failures, textless = [], [], []
    print(f"{'file':44} {'pages':>6} {'words F1':>9} {'4-gram':>7} {'pages/s':>8} {'pdftotext':>9}")
    for path in sorted(path for folder in sys.argv[1:] for path in Path(folder).rglob("*.pdf")):
        theirs, their_s = timed(pdftotext, path)
        try:
            page, our_s = timed(read, path.read_bytes(), path.as_uri(), "application/pdf", "text")
        except ToolFault as fault:
            (failures if len(theirs) >= _FEWEST_WORDS else textless).append(f"{path.name}: {fault.code}")
            continue
        ours = words(_PAGE_MARK.sub("", _ADDRESS.sub("]", page.text)))
        pages = pages_of(path)
        row = (pages, agreement(ours, theirs, 1), agreement(ours, theirs, 4), our_s, their_s)
        rows.append(row)
        print(f"{path.name:44.44} {pages:6} {row[1]:9.3f} {row[2]:7.3f} {pages / our_s:8.0f} {pages / their_s:9.0f}", flush=True)
    if rows:
        pages = sum(row[0] for row in rows)
        means = [statistics.mean(row[at] for row in rows) for at in (1, 2)]
        rates = [pages / sum(row[at] for row in rows) for at in (3, 4)]
        print(f"{f'mean of {len(rows)}':44} {pages:6} {means[0]:9.3f} {means[1]:7.3f} {rates[0]:8.0f} {rates[1]:9.0f}")
    print(f"without text: {len(textless)}; failed: {len(failures)}", *textless, *failures, sep="\n  ")


if __name__ == "__main__":
    main()
