"""The forms in which a text may hide a credential from a rule, with the way back to the text's own positions."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from limen.kit.spans import Found

# Terminal escapes, characters that no reader sees, and a shell's line continuation: none of them is part of a key.
_ESCAPE = r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\))"
_INVISIBLE = r"[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]+"
_HIDING = re.compile(rf"{_ESCAPE}|{_INVISIBLE}|\\\r?\n[ \t]*")
_MAY_HIDE = re.compile(r"[\x1b\u00ad\u180e\u200b-\u206f\ufe00-\ufeff\U000e0000-\U000e007f]|\\\r?\n")
_CONTROL = re.compile(_ESCAPE)
# A line's end or a sign as JSON and source code write it: its last letter would otherwise seem to begin the key behind it.
_WRITTEN = re.compile(r"\\(?:[nrtbf]|u[0-9a-fA-F]{4})")


class View:
    """A text as a rule may look at it. `located` gives a finding's place in the original."""

    def __init__(self, text: str, cuts: list[tuple[int, int]]) -> None:
        self.text = text
        self._kept_before = [start for start, _ in cuts]
        self._skipped: list[int] = []
        total = 0
        for _, width in cuts:
            total += width
            self._skipped.append(total)

    def located(self, found: Found) -> Found:
        """The finding with the original's positions; hidden characters inside it belong to it."""
        return Found(found.rule, self._original(found.start), self._original(found.end - 1) + 1)

    def _original(self, position: int) -> int:
        index = bisect_right(self._kept_before, position)
        return position + (self._skipped[index - 1] if index else 0)


def views(text: str) -> Iterator[View]:
    """The text itself; with written escapes (`\\n`) as blanks where it has some; where something may hide in it, also with a
    terminal's escapes as blanks and with all that is hidden taken out."""
    yield View(text, [])
    if "\\" in text and _WRITTEN.search(text) is not None:
        yield View(_WRITTEN.sub(lambda match: " " * len(match.group()), text), [])
    if _MAY_HIDE.search(text) is None:
        return
    if "\x1b" in text:
        yield View(_CONTROL.sub(lambda match: " " * len(match.group()), text), [])
    yield _without_hiding(text)


def _without_hiding(text: str) -> View:
    pieces: list[str] = []
    cuts: list[tuple[int, int]] = []
    position = kept = 0
    for match in _HIDING.finditer(text):
        pieces.append(text[position : match.start()])
        kept += match.start() - position
        cuts.append((kept, match.end() - match.start()))
        position = match.end()
    return View("".join([*pieces, text[position:]]), cuts)
