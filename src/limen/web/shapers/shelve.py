"""Shaper: the whole page is stored; the window gets its head and tail with the way to the rest."""

import hashlib
import re
from pathlib import Path

import anyio.to_thread
import msgspec

from limen.core.ledger import Cut, GateVerdict
from limen.core.web import Fetched
from limen.kit.atomic import write_private
from limen.kit.log import failed_open
from limen.kit.text import CutText, cut_middle

# What is stored of one page; a larger one is noted as cut.
STORE_CHARS = 2_000_000
_FOOTER_CHARS = 320


class Shelve:
    """Stores pages below `pages`, at a path that depends on the address alone, and cuts what is shown."""

    def __init__(self, pages: Path) -> None:
        self._pages = pages

    async def __call__(self, entry: Fetched, limit_chars: int) -> Fetched:
        """The entry with at most `limit_chars` of content, footer included; a page that fits is not stored."""
        text = entry.content
        if len(text) <= limit_chars:
            return entry
        path = page_path(self._pages, entry.page.url)
        stored = await self._store(path, text[:STORE_CHARS])
        footer = limit_chars > 2 * _FOOTER_CHARS  # a person who asks for a few characters gets those, not a footer
        cut = cut_middle(text, limit_chars - _FOOTER_CHARS if footer else limit_chars, 0.75 if footer else 1.0)
        if cut is None:
            raise AssertionError("a text over its limit is cut")
        content = cut.head + (_footer(text, cut, path if stored else None) if footer else "") + cut.tail
        treatment = msgspec.structs.replace(
            entry.treatment,
            chars_in=len(text),
            cut=Cut(len(cut.head), len(cut.tail)),
            stored_path=str(path) if stored else None,
            gates=(*entry.treatment.gates, GateVerdict("shelve", "changed", "shelve.cut")),
        )
        return msgspec.structs.replace(
            entry,
            content=content,
            chars_shown=len(cut.head) + len(cut.tail),
            next_line=cut.gap_start_line,
            stored_path=str(path) if stored else None,
            treatment=treatment,
        )

    async def _store(self, path: Path, text: str) -> bool:
        try:
            await anyio.to_thread.run_sync(lambda: write_private(path, text))
        except OSError as error:
            failed_open("shelve.store_failed", error)  # the cut page is still worth having
            return False
        return True


def page_path(pages: Path, url: str) -> Path:
    """Where a page of that address is stored: a readable name and sixteen digits of the address's hash."""
    slug = re.sub(r"[^a-z0-9]+", "-", url.partition("://")[2].lower()).strip("-")[:60]
    return pages / f"{slug or 'page'}-{hashlib.sha256(url.encode()).hexdigest()[:16]}.md"


def _footer(text: str, cut: CutText, path: Path | None) -> str:
    left_out = len(text) - len(cut.head) - len(cut.tail)
    lines = f"lines {cut.gap_start_line} to {cut.gap_end_line}"
    what = f"[{left_out:,} of {len(text):,} characters are left out here ({lines})."
    where = (
        f' Read on: read_file {{"path": "{path}", "start_line": {cut.gap_start_line}}}]'
        if path
        else " They could not be stored.]"
    )
    return f"\n{what}{where}\n"
