"""How surely and how fast the library finds a text again by some of its words, beside plain FTS5 in the same run.

    python bench/known_items.py --docs /usr/share/doc/git/html /usr/share/doc/postgresql-doc-15/html

Queries are four words of one passage of fifty, drawn with a fixed seed from what a reader of the texts sees. The peer has the
same texts whole, one row each, in an FTS5 table of `unicode61`, and is asked for any of the words by its `rank`. A text is
found where it, or one with the same words, is among the first hits. Times are CPU milliseconds of this process.
"""

import argparse
import random
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio

from limen.core.web import Page, SearchRequest
from limen.kit.ranking import visible
from limen.kit.words import STOP_WORDS
from limen.reading import read
from limen.store.sqlite.database import Database
from limen.store.sqlite.library import SqliteLibraryStore
from limen.web.library.index import DocumentIndex

_WORD = re.compile(r"[^\W\d_]{4,}")
_PASSAGE_WORDS, _QUERY_WORDS = 50, 4
_FIRST = 10


class InlineReader:
    """Parses in this process."""

    async def read(self, data: bytes, *, url: str = "", content_type: str | None = None) -> Page:
        return read(data, url, content_type)


def queries(texts: dict[str, str], count: int, seed: int) -> list[tuple[str, str]]:
    """Origins, each with words of one of its passages."""
    drawn = random.Random(seed)
    long = [origin for origin, text in texts.items() if len(_WORD.findall(text)) >= _PASSAGE_WORDS]
    found: list[tuple[str, str]] = []
    while len(found) < count:
        origin = drawn.choice(long)
        all_words = _WORD.findall(texts[origin])
        start = drawn.randrange(len(all_words) - _PASSAGE_WORDS + 1)
        passage = sorted({word.lower() for word in all_words[start : start + _PASSAGE_WORDS]} - STOP_WORDS)
        if len(passage) >= _QUERY_WORDS:
            found.append((origin, " ".join(drawn.sample(passage, _QUERY_WORDS))))
    return found


def plain(texts: dict[str, str], path: Path) -> Callable[[str], list[str]]:
    """The peer: any of the words, ordered by FTS5's rank."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIRTUAL TABLE plain USING fts5 (origin UNINDEXED, text, tokenize = 'unicode61')")
    with connection:
        connection.executemany("INSERT INTO plain VALUES (?, ?)", texts.items())

    def search(query: str) -> list[str]:
        expression = " OR ".join(f'"{word}"' for word in query.split())
        rows = connection.execute(f"SELECT origin FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT {_FIRST}", (expression,))
        return [origin for (origin,) in rows]

    return search


def row(name: str, places: Sequence[int], taken_s: Sequence[float]) -> str:
    shares = [sum(0 < place <= most for place in places) / len(places) for most in (1, _FIRST)]
    median, slow = statistics.median(taken_s) * 1_000, sorted(taken_s)[int(len(taken_s) * 0.95)] * 1_000
    return f"{name:<24} {shares[0]:>8.3f} {shares[1]:>9.3f} {median:>10.1f} {slow:>8.1f}"


async def measure(folders: Sequence[Path], count: int, seed: int, folder: Path) -> None:
    database = await Database.open(folder / "limen.db")
    try:
        store = SqliteLibraryStore(database)
        index = DocumentIndex(store, InlineReader(), jobs=1)
        await index.add(list(map(str, folders)))
        texts: dict[str, str] = {}
        for document in await index.list():
            found = await store.get("default", document.id)
            if found is not None:
                texts[document.origin] = visible(found[1])
        same: dict[str, str] = {}
        alike = {origin: same.setdefault(" ".join(text.split()), origin) for origin, text in texts.items()}
        asked = queries({origin: text for origin, text in texts.items() if alike[origin] == origin}, count, seed)
        peer = plain(texts, folder / "plain.db")
        numbers = {document.ref: document.origin for document in await index.list()}
        places: dict[str, list[int]] = {"plain FTS5 unicode61": [], "library": []}
        taken: dict[str, list[float]] = {name: [] for name in places}
        for origin, query in asked:
            began = time.process_time()
            theirs = peer(query)
            middle = time.process_time()
            hits = (await index.search(SearchRequest(query, limit=_FIRST))).hits
            ended = time.process_time()
            answers = (theirs, middle - began), ([numbers[hit.ref] for hit in hits], ended - middle)
            for name, (origins, took) in zip(places, answers, strict=True):
                taken[name].append(took)
                places[name].append(next((at for at, one in enumerate(origins, 1) if alike[one] == origin), 0))
        documents, sections = await store.counts("default")
        print(f"{documents:,} documents, {sections:,} sections, {len(asked)} queries")
        print(f"{'':<24} {'recall@1':>8} {'recall@10':>9} {'median ms':>10} {'p95 ms':>8}")
        for name in places:
            print(row(name, places[name], taken[name]))
    finally:
        await database.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docs", type=Path, nargs="+", required=True, help="folders of documents")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    missing = [folder for folder in options.docs if not folder.is_dir()]
    if missing:
        print(f"there is no folder {missing[0]}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(measure, [docs.resolve() for docs in options.docs], options.queries, options.seed, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
