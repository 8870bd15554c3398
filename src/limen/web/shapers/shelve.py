"""Shaper: the whole page is stored; the window gets its outline, its head and tail with the way to the rest."""

import hashlib
from pathlib import Path
from shlex import quote

import anyio.to_thread
import msgspec

from limen.core.ledger import Cut, GateVerdict
from limen.core.tool import open_on, read_on
from limen.core.web import Fetched, Page
from limen.kit.atomic import write_private
from limen.kit.log import failed_open
from limen.kit.text import CutText, Place, cut_middle
from limen.web.cache.pages import host_slug
from limen.web.shapers.outline import headings_of, outlined

# What is stored of one page; of a larger one this is said.
STORE_CHARS = 2_000_000


class Shelve:
    """Stores pages below `pages`, at a path that depends on the address alone, and cuts what is shown.

    `command` is how a person calls Limen to read on.
    """

    def __init__(self, pages: Path, command: str = "limen") -> None:
        self._pages = pages
        self._command = command

    def path(self, page: Page) -> Path:
        """Where a page is stored: under its host and ten digits of its address's hash."""
        named = page.url if page.format == "markdown" else f"{page.url}\n{page.format}"  # or one would overwrite the other
        digits = hashlib.sha256(named.encode("utf-8", "replace")).hexdigest()[:10]
        return self._pages / f"{host_slug(page.url)}-{digits}.md"

    async def __call__(self, entry: Fetched, limit_chars: int, *, for_model: bool = True) -> Fetched:
        """The entry with at most `limit_chars` of content, outline, marker and footer included; a page that fits is not stored.

        The footer names the tool that reads on, or where not `for_model` the command; the outline is a model's. Where the footer
        would take more than half of the room, there is the page's beginning alone: whoever asks for a few characters gets those.
        """
        text = entry.content
        if len(text) <= limit_chars:
            return entry
        path = self.path(entry.page)
        stored = await self._store(path, text[:STORE_CHARS])
        notes = _Notes(text, path if stored else None, entry.page.url, None if for_model else self._command)
        told = notes.most_chars * 2 <= limit_chars
        before = outline_before(entry.page, limit_chars, path) if told and stored and for_model else ""
        room = limit_chars - notes.most_chars - len(before)
        cut = cut_middle(text, room) if told else cut_middle(text, max(limit_chars, 0), 1.0)
        if cut is None:
            raise AssertionError("a text over its limit is cut")
        treatment = entry.treatment.judged(
            GateVerdict("shelve", "changed", "shelve.cut"),
            chars_in=len(text),
            cut=Cut(len(cut.head), len(cut.tail)),
            stored_path=str(path) if stored else None,
        )
        return msgspec.structs.replace(
            entry,
            content=before + notes.around(cut) if told else cut.head,
            chars_shown=len(cut.head) + len(cut.tail),
            next_line=cut.gap_start.line,
            next_char=cut.gap_start.char if cut.gap_start.char > 1 else None,
            stored_path=str(path) if stored else None,
            notices=(*entry.notices, *_of_the_store(text, stored)),
            treatment=treatment,
        )

    async def _store(self, path: Path, text: str) -> bool:
        try:
            await anyio.to_thread.run_sync(lambda: write_private(path, text))
        except OSError as error:
            failed_open("shelve.store_failed", error)  # the cut page is still worth having
            return False
        return True


def outline_before(page: Page, limit_chars: int, path: Path) -> str:
    """What a model is shown before a page that is stored at `path` and of which it is given `limit_chars`."""
    headings = headings_of(page)
    return outlined(headings, limit_chars, read_on(str(path), headings[-1].line)) if headings else ""


def _of_the_store(text: str, stored: bool) -> tuple[str, ...]:
    if not stored or len(text) <= STORE_CHARS:
        return ()
    return (f"Of the page's {len(text):,} characters the first {STORE_CHARS:,} are stored.",)


class _Notes:
    """What a cut page says of its gap: a marker of one line where it is, a footer of one line at the end. It names the tool that
    reads on, or where there is a `command` of a person's, that one."""

    def __init__(self, text: str, path: Path | None, url: str, command: str | None) -> None:
        self._text = text
        self._path = path
        self._url = url
        self._command = command

    @property
    def most_chars(self) -> int:
        """No marker and footer of this text are longer together."""
        far = Place(len(self._text), len(self._text))
        gap = _gap(far, far, ends_line=False)
        return len(f"\n{_marker(gap)}\n{self._footer(gap, len(self._text), len(self._text), far)}")

    def around(self, cut: CutText) -> str:
        """What is left of the text with both notes, each on a line of its own, also inside a line of the page."""
        head, tail = cut.head, cut.tail
        last = len(self._text) - len(tail) - 1
        gap = _gap(cut.gap_start, cut.gap_end, ends_line=not tail or self._text[last] == "\n")
        shown = len(head) + len(tail)
        footer = self._footer(gap, shown, len(self._text) - shown, cut.gap_start)
        return f"{head}{_line_end(head)}{_marker(gap)}{tail}{_line_end(tail)}{footer}"

    def _footer(self, gap: str, shown: int, left_out: int, start: Place) -> str:
        total = len(self._text)
        return f"[{shown:,} of {total:,} characters are shown; {left_out:,} are left out, {gap}. {self._way_on(start)}]"

    def _way_on(self, start: Place) -> str:
        if self._command is None:
            return f"Read on: {read_on(str(self._path), *start)}" if self._path else "The whole could not be stored."
        if self._path is None:
            more = f"{self._command} extract --char-limit {len(self._text)} {quote(self._url)}"
            return f"The whole could not be stored; for more: {more}"
        return f"Read on: {open_on(str(self._path), *start, self._command)}"


def _marker(gap: str) -> str:
    return f"[… left out: {gap} …]\n"


def _gap(start: Place, end: Place, *, ends_line: bool) -> str:
    first = f"line {start.line}" if start.char == 1 else _inside(start)
    return f"from {first} to {f'line {end.line}' if ends_line else _inside(end)}"


def _inside(place: Place) -> str:
    return f"character {place.char} of line {place.line}"


def _line_end(text: str) -> str:
    return "" if text.endswith("\n") else "\n"
