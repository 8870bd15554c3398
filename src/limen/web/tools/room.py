"""How the pages of one call share what its result may take: before anything is cut, so that nothing is cut afterwards."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from limen.core.untrusted import fence
from limen.core.web import Entry, Fetched, Page, Unread, published_entry
from limen.kit.shares import shares
from limen.kit.text import clip
from limen.web.shapers.shelve import outline_before

# What a page's own frame and the notes of a cut page need, and a little text; a call of more pages than fit so is refused.
LEAST_PAGE_CHARS = 1_500
# Masks may be longer than the secrets they stand for; this part of the room is left to them.
_FOR_MASKS = 50
# Punctuation between the entries, and the document's own.
_JOINTS_CHARS = 32
# What the notes of a cut page, and a notice about its store, escape and count.
_NOTES_CHARS = 160
_NONCE = "0" * 16
_FAR = 9_999_999


class Document:
    """The JSON of one call's entries within `room_chars`. `pages_at` says where a page is stored once it is cut."""

    def __init__(self, room_chars: int, entries: int, pages_at: Callable[[Page], Path]) -> None:
        self._room_chars = room_chars - room_chars // _FOR_MASKS
        # Addresses and reasons of strangers are echoed, but not at any length.
        self._text_chars = max(100, min(1_000, room_chars // (16 * max(entries, 1))))
        self._pages_at = pages_at

    def entry(self, entry: Entry) -> str:
        """One entry's JSON."""
        shape = published_entry(entry)
        content = shape.pop("content")
        shortened = _shortened(shape, self._text_chars)
        return json_of({**shortened, "content": content})

    def share(self, entries: Sequence[Entry], limit_chars: int, beside: int = 0) -> list[int]:
        """How many characters of content each entry may have; `beside` are those that the document spends otherwise."""
        frames = sum(self._frame_chars(entry) for entry in entries)
        left = max(self._room_chars - frames - beside - _JOINTS_CHARS, 0)
        texts = [entry.content if isinstance(entry, Fetched) else "" for entry in entries]
        outlines = [self._outline_chars(entry, limit_chars) for entry in entries]
        wanted = [
            _escaped_chars(text, limit_chars) + (more if len(text) > limit_chars else 0)
            for text, more in zip(texts, outlines, strict=True)
        ]
        rooms = shares(wanted, left)
        return [
            limit_chars if room >= wish else _fitting(text, limit_chars, room - more)
            for text, wish, room, more in zip(texts, wanted, rooms, outlines, strict=True)
        ]

    def _outline_chars(self, entry: Entry, limit_chars: int) -> int:
        """What the outline of a page that is cut takes as JSON beyond its characters, at most."""
        if not isinstance(entry, Fetched):
            return 0
        before = outline_before(entry.page, limit_chars, self._pages_at(entry.page))
        return len(json_of(before)) - 2 - len(before)

    def _frame_chars(self, entry: Entry) -> int:
        """What an entry takes beside its content, were it cut."""
        if isinstance(entry, Unread):
            return len(self.entry(entry)) + 1
        cut = msgspec.structs.replace(
            entry, content="", stored_path=str(self._pages_at(entry.page)), next_line=_FAR, next_char=_FAR, n=_FAR
        )
        return len(self.entry(cut)) + len(json_of(fence("", _NONCE, entry.page.url))) + _NOTES_CHARS


def json_of(value: Any) -> str:
    """A value as compact JSON."""
    return msgspec.json.encode(value).decode()


def _shortened(value: Any, limit_chars: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= limit_chars else clip(value, limit_chars)
    if isinstance(value, dict):
        return {name: _shortened(inner, limit_chars) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_shortened(inner, limit_chars) for inner in value]
    return value


def _escaped_chars(text: str, limit_chars: int) -> int:
    """The most that a cut of `text` to `limit_chars` can take as JSON: of a cut text any of its characters may be kept."""
    if len(text) <= limit_chars:
        return len(json_of(text)) - 2
    head = int(limit_chars * 0.75) + 1
    return len(json_of(text[:head])) + len(json_of(text[len(text) - (limit_chars - head) - 1 :]))


def _fitting(text: str, limit_chars: int, room_chars: int) -> int:
    """The most characters that `text` can be cut to so that it takes no more than `room_chars` as JSON."""
    fits, too_many = 0, min(limit_chars, room_chars, len(text)) + 1
    while fits + 1 < too_many:
        middle = (fits + too_many) // 2
        if _escaped_chars(text, middle) <= room_chars:
            fits = middle
        else:
            too_many = middle
    return fits
