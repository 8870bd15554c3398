"""The shapers in their order, over all pages of one call: pictures go, what is too long is cut and stored, the rest is fenced."""

from collections.abc import Callable, Sequence
from pathlib import Path

import anyio.to_thread
import msgspec

from limen.core.untrusted import Nonce
from limen.core.web import Entry, Fetched, Page
from limen.kit.text import clip, writable
from limen.web.shapers.images import without_inline_images
from limen.web.shapers.shelve import Shelve
from limen.web.shapers.wrap import without_told_text, wrap_page

# How many characters of content each entry may have, given all entries of a call with their whole texts.
Share = Callable[[Sequence[Entry]], Sequence[int]]

# Cleaning a text of this size can take 50 ms, during which the event loop would stand still.
_IN_THREAD_CHARS = 200_000
_TITLE_CHARS = 300


class Shapers:
    """Shapes a call's entries. `pages` is where whole pages are stored, `command` how a person calls Limen."""

    def __init__(self, pages: Path, nonce: Nonce, command: str = "limen") -> None:
        self._shelve = Shelve(pages, command)
        self._nonce = nonce

    def stored_at(self, page: Page) -> Path:
        """Where that page is stored once it is cut."""
        return self._shelve.path(page)

    async def __call__(
        self, entries: Sequence[Entry], limit_chars: int, *, fenced: bool, share: Share | None = None
    ) -> list[Entry]:
        """The entries in their order; one that stands there twice is shaped once. `share` goes before `limit_chars`."""
        clean = {entry.requested: await _cleaned(entry) for entry in entries}
        whole = [clean[entry.requested] for entry in entries]
        limits: dict[str, int] = {}
        for entry, limit in zip(whole, share(whole) if share is not None else [limit_chars] * len(whole), strict=True):
            limits[entry.requested] = min(limit, limits.get(entry.requested, limit))
        shaped = {name: await self._shaped(entry, limits[name], fenced) for name, entry in clean.items()}
        return [shaped[entry.requested] for entry in entries]

    async def _shaped(self, entry: Entry, limit_chars: int, fenced: bool) -> Entry:
        if not isinstance(entry, Fetched):
            return without_told_text(entry) if fenced else entry
        entry = await self._shelve(entry, limit_chars, for_model=fenced)
        return wrap_page(entry, self._nonce) if fenced else entry


async def _cleaned(entry: Entry) -> Entry:
    if not isinstance(entry, Fetched):
        return entry
    in_thread = len(entry.content) > _IN_THREAD_CHARS
    text = await anyio.to_thread.run_sync(_clean, entry.content) if in_thread else _clean(entry.content)
    whole = entry.page
    # A picture's data may have run over lines; then the outline's numbers are no longer those of the text.
    outline = whole.outline if text.count("\n") == whole.text.count("\n") else ()
    said = {name: clip(writable(getattr(whole, name)), _TITLE_CHARS) for name in ("title", "author", "published")}
    page = msgspec.structs.replace(whole, text=text, outline=outline, **said)
    return msgspec.structs.replace(entry, page=page, content=text, chars_total=len(text), chars_shown=len(text))


def _clean(text: str) -> str:
    return without_inline_images(writable(text))[0]
