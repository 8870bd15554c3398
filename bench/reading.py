"""How fast pages are read, beside the floor of the same run: parsing and converting the whole page without any choice.

    python bench/reading.py [FOLDER]...

Folders default to the documentation packages that are installed. Prints, for each: pages, kilobytes a page, CPU
milliseconds a page (median and 95th percentile) of Limen and of the floor, the ratio of the sums, and which share of the
page's words stands in the Markdown.
"""

import re
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

import turbohtml

from limen.reading import read

FOLDERS = ("/usr/share/doc/python3.11/html", "/usr/share/doc/postgresql-doc-15/html", "/usr/share/doc/git/html")
_WORD = re.compile(r"\w+")
_ADDRESS = re.compile(r"\]\([^)]*\)")


def floor(data: bytes) -> str:
    return turbohtml.parse(data).to_markdown()


def timed(function, *args):
    start = time.process_time()
    result = function(*args)
    return result, (time.process_time() - start) * 1_000


def share_of_words(data: bytes, markdown: str) -> float:
    """Which share of the words of a page's body stands in its Markdown; navigation counts as lost."""
    document = turbohtml.parse(data)
    for element in document.select("script,style"):
        element.extract()
    body = document.select_one("body")
    there = Counter(_WORD.findall(" ".join(body.strings))) if body is not None else Counter()
    kept = Counter(_WORD.findall(_ADDRESS.sub(" ", markdown).replace("\\", "")))
    return (there & kept).total() / max(there.total(), 1)


def measure(folder: Path) -> str:
    ours, floors, shares, sizes = [], [], [], []
    for path in sorted(folder.rglob("*.html")):
        data = path.read_bytes()
        page, spent = timed(read, data, path.as_uri(), "text/html")
        ours.append(spent)
        floors.append(timed(floor, data)[1])
        shares.append(share_of_words(data, page.text))
        sizes.append(len(data) / 1_000)
    if not ours:
        return f"{folder}: no pages"
    high = sorted(ours)[int(len(ours) * 0.95)]
    return (
        f"{folder!s:44} {len(ours):6} {statistics.mean(sizes):8.1f} {statistics.median(ours):9.2f} {high:8.2f} "
        f"{statistics.median(floors):9.2f} {sum(ours) / sum(floors):7.1f} {statistics.mean(shares):7.1%}"
    )


def main() -> None:
    print(f"{'folder':44} {'pages':>6} {'kB/page':>8} {'ms median':>9} {'ms p95':>8} {'floor ms':>9} {'ratio':>7} {'words':>7}")
    for folder in sys.argv[1:] or FOLDERS:
        print(measure(Path(folder)), flush=True)


if __name__ == "__main__":
    main()
