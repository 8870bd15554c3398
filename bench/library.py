"""How fast the library reads and answers, beside a floor from the same run, and how often it answers from the right page.

    python bench/library.py --docs /usr/share/doc/python3.11/html [--questions bench/answers/questions.jsonl --set python]

Several folders become one library; without `--set` the questions of all sets are asked of it.

The floor of reading is what any index must do: read the files and put their raw text into one FTS5 table. The floor of a
query is the same words asked of that table. Times are CPU seconds of this process, which does everything on one core.
Questions are lines of JSON with `set`, `question` and `pages` (ends of the paths that answer it).
"""

import argparse
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import anyio

from limen.core.web import Page, SearchRequest
from limen.reading import read
from limen.store.sqlite.database import Database
from limen.store.sqlite.library import SqliteLibraryStore
from limen.web.library.index import DocumentIndex
from limen.web.library.query import parse
from limen.web.library.walk import walk

# Plain questions that any documentation of software gives candidates for; used where none are given.
QUESTIONS = (
    "How do I cancel a running task?", "what is the default timeout", "read a file line by line", "create an index",
    "How can I list all tables?", "convert text to a date", "undo the last change", "copy a directory recursively",
    "What does the option --force do?", "password authentication methods", "run several jobs at the same time",
    "compare two versions of a file", "log to a file and the console", "sort by several keys", "rename a branch",
)  # fmt: skip
ROUNDS = 3


class InlineReader:
    """Parses in this process, so that its time is this process's."""

    def __init__(self) -> None:
        self.cpu_s = 0.0

    async def read(self, data: bytes, *, url: str = "", content_type: str | None = None) -> Page:
        before = time.process_time()
        try:
            return read(data, url, content_type)
        finally:
            self.cpu_s += time.process_time() - before


def floor(folders: list[Path], path: Path) -> tuple[float, sqlite3.Connection]:
    """Read the same files and index their bytes as they are; CPU seconds, and the table."""
    before = time.process_time()
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIRTUAL TABLE raw USING fts5 (text, tokenize = 'porter unicode61')")
    with connection:
        for file in (file for docs in folders for file in walk(docs).files):
            text = Path(file.path).read_text(encoding="utf-8", errors="replace")
            connection.execute("INSERT INTO raw VALUES (?)", (text,))
    return time.process_time() - before, connection


def floor_query_s(connection: sqlite3.Connection, questions: list[str]) -> list[float]:
    """Best of three seconds for each question's words, OR-ed, ranked, five rows."""
    query = "SELECT rowid, snippet(raw, 0, '', '', '…', 30) FROM raw WHERE raw MATCH ? ORDER BY rank LIMIT 5"
    taken = []
    for question in questions:
        words = " OR ".join('"' + word.text.replace('"', " ") + '"' for word in parse(question).words)
        taken.append(min(timed(lambda words=words: connection.execute(query, (words,)).fetchall()) for _ in range(ROUNDS)))
    return taken


def timed(work) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


async def query_s(index: DocumentIndex, questions: list[str], rounds: int = ROUNDS) -> list[float]:
    """Best seconds for each question."""
    taken = []
    for question in questions:
        best = float("inf")
        for _ in range(rounds):
            before = time.process_time()
            await index.search(SearchRequest(question))
            best = min(best, time.process_time() - before)
        taken.append(best)
    return taken


async def right_pages(index: DocumentIndex, asked: list[tuple[str, list[str]]]) -> list[int]:
    """For each question, the place of the first hit from a right page; 0 where there is none among ten."""
    places = []
    for question, pages in asked:
        hits = (await index.search(SearchRequest(question, limit=10))).hits
        places.append(next((hit.position for hit in hits if any(page in hit.url for page in pages)), 0))
    return places


def rows(docs_count: int, sections: int, floor_s: float, index_s: float, reader_s: float) -> Iterator[tuple[str, str, str]]:
    yield "documents, sections", f"{docs_count:,}, {sections:,}", ""
    yield "floor: read + raw FTS5", f"{docs_count / floor_s:,.0f} documents/s", "1.00"
    yield "library add, one core", f"{docs_count / index_s:,.0f} documents/s", f"{index_s / floor_s:.2f}"
    yield "  of which parsing", f"{reader_s:.2f} s of {index_s:.2f} s", f"{reader_s / floor_s:.2f}"


async def measure(folders: list[Path], asked: list[tuple[str, list[str]]], folder: Path) -> None:
    questions = [question for question, _ in asked] or list(QUESTIONS)
    floor_s, raw = floor(folders, folder / "raw.db")
    database = await Database.open(folder / "limen.db")
    try:
        reader = InlineReader()
        store = SqliteLibraryStore(database)
        index = DocumentIndex(store, reader, jobs=1)
        before = time.process_time()
        report = await index.add(list(map(str, folders)))
        index_s = time.process_time() - before
        before = time.process_time()
        await index.refresh()
        refresh_s = time.process_time() - before
        documents, sections = await store.counts("default")
        table = list(rows(documents, sections, floor_s, index_s, reader.cpu_s))
        table.append(("refresh, nothing changed", f"{refresh_s * 1_000:,.0f} ms", f"{refresh_s / floor_s:.3f}"))
        sizes = [(folder / name).stat().st_size for name in ("limen.db", "raw.db")]
        table.append(("bytes on disk", f"{sizes[0] / 1e6:,.1f} MB", f"{sizes[0] / sizes[1]:.2f}"))
        base = floor_query_s(raw, questions)
        first = await query_s(DocumentIndex(store, reader), questions, rounds=1)
        mine = await query_s(index, questions)
        for name, taken in (("floor: raw query", base), ("library query, first time", first), ("library query", mine)):
            median, slow = statistics.median(taken), sorted(taken)[int(len(taken) * 0.95)]
            ratio = median / statistics.median(base)
            table.append((name, f"median {median * 1_000:.1f} ms, p95 {slow * 1_000:.1f} ms", f"{ratio:.2f}"))
        if asked:
            places = await right_pages(index, asked)
            for most in (1, 3, 5, 10):
                table.append((f"right page among {most}", f"{sum(0 < place <= most for place in places)} of {len(places)}", ""))
        show(table)
        print(f"left out: {report.skipped or 'nothing'}; failed: {report.failed}")
    finally:
        raw.close()
        await database.close()


def show(table: list[tuple[str, str, str]]) -> None:
    print(f"{'':<28} {'':<36} × floor")
    for name, value, ratio in table:
        print(f"{name:<28} {value:<36} {ratio}")


def asked_of(path: Path | None, name: str | None) -> list[tuple[str, list[str]]]:
    if path is None:
        return []
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [(entry["question"], entry["pages"]) for entry in entries if name in (None, entry["set"])]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docs", type=Path, nargs="+", required=True, help="folders of documentation")
    parser.add_argument("--questions", type=Path, help="questions with their right pages")
    parser.add_argument("--set", help="which of them")
    options = parser.parse_args()
    folders = [docs.resolve() for docs in options.docs]
    for docs in folders:
        if not docs.is_dir():
            print(f"there is no folder {docs}", file=sys.stderr)
            return 1
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(measure, folders, asked_of(options.questions, options.set), Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
