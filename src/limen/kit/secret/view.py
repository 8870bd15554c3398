"""The forms in which a text may hide a credential from a rule, with the way back to the text's own positions."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

from limen.kit.spans import Found

# Terminal escapes, characters that no reader sees, and a shell's line continuation: none of them is part of a key.
_ESCAPE = r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\))"
_INVISIBLE = r"[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]+"
_HIDING = re.compile(rf"{_ESCAPE}|{_INVISIBLE}|\\\r?\n[ \t]*")
_MAY_HIDE = re.compile(r"[\x1b\u00ad\u180e\u200b-\u206f\ufe00-\ufeff\U000e0000-\U000e007f]|\\\r?\n")
_CONTROL = re.compile(_ESCAPE)
# A line's end or a sign as JSON and source code write it: its last letter would otherwise seem to begin the key behind it.
_WRITTEN = re.compile(r"\\(?:[nrtbf]|u[0-9a-fA-F]{4})")
# Marks that a form's or a page's encoding has replaced, and any character that it has.
_MAY_BE_ENCODED = re.compile(r"(?i)%(?:3[ad]|22|20)|&(?:quot|apos|#3[49]|#58|#61|#x2[27]|#x3[ad]);")
_ENCODED = re.compile(r"(?i)%(?:0[ad]|[2-7][0-9a-f])|&(?:quot|apos|amp|lt|gt|#[1-9][0-9]|#x[2-7][0-9a-f]);")
_NAMED = {"quot": '"', "apos": "'", "amp": "&", "lt": "<", "gt": ">"}
# Letters and digits of double width, as East Asian input writes them, stand at one distance from the plain ones.
_WIDE = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
_TO_PLAIN = {0xFEE0 + code: code for code in range(0x21, 0x7F)}


class View:
    """A text as a rule may look at it. `cuts` are places in it, each with how many characters of the original are left out there.

    `located` gives a finding's place in the original. Where `joined`, what is left out belongs to the character before it.
    """

    def __init__(self, text: str, cuts: list[tuple[int, int]], *, joined: bool = False) -> None:
        self.text = text
        self._joined = joined
        self._kept_before = [start for start, _ in cuts]
        self._skipped: list[int] = []
        total = 0
        for _, width in cuts:
            total += width
            self._skipped.append(total)

    def located(self, found: Found) -> Found:
        """The finding with the original's positions; hidden characters inside it belong to it."""
        end = self._original(found.end) if self._joined else self._original(found.end - 1) + 1
        return Found(found.rule, self._original(found.start), end)

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
    yield _replaced(text, _HIDING, lambda _: "")


def decoded_views(text: str) -> Iterator[View]:
    """The text as it was before a form's or a page's encoding, and in plain letters, where it may have been otherwise."""
    if _MAY_BE_ENCODED.search(text) is not None:
        yield _replaced(text, _ENCODED, _decoded)
    if not text.isascii() and _WIDE.search(text) is not None:
        yield View(text.translate(_TO_PLAIN), [])


def _decoded(match: re.Match[str]) -> str:
    mark = match.group().lower()
    if mark.startswith("%"):
        return chr(int(mark[1:], 16))
    name = mark[1:-1]
    if not name.startswith("#"):
        return _NAMED[name]
    return chr(int(name[2:], 16) if name.startswith("#x") else int(name[1:]))


def _replaced(text: str, pattern: re.Pattern[str], by: Callable[[re.Match[str]], str]) -> View:
    """A view with each match replaced by at most one character."""
    pieces: list[str] = []
    cuts: list[tuple[int, int]] = []
    position = kept = 0
    joined = False
    for match in pattern.finditer(text):
        instead = by(match)
        joined = bool(instead)
        pieces += [text[position : match.start()], instead]
        kept += match.start() - position + len(instead)
        cuts.append((kept, len(match.group()) - len(instead)))
        position = match.end()
    return View("".join([*pieces, text[position:]]), cuts, joined=joined)
