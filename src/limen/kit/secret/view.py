"""The forms in which a text may hide a credential from a rule, with the way back to the text's own positions."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

from limen.kit.spans import Found

# Terminal escapes, characters that no reader sees, and a shell's line continuation: none of them is part of a key.
_ESCAPE = r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\))"
_INVISIBLE = r"[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]+"
_HIDING = re.compile(rf"{_ESCAPE}|{_INVISIBLE}|\\\r?\n[ \t]*")
_MAY_HIDE = re.compile(_INVISIBLE)
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


class Ways:
    """The ways to look at parts of one text: as they stand, and in each other form that shows something else there.

    A written escape (`\\n`) becomes a blank; so does a terminal's escape, and in another form all that is hidden is taken out.
    Where `decoded`, also what a form's or a page's encoding stands for, and letters of double width as plain ones.
    """

    def __init__(self, text: str, *, decoded: bool = True) -> None:
        encoded = decoded and ("%" in text or "&" in text) and _MAY_BE_ENCODED.search(text) is not None
        self._encoded = encoded
        self._wide = decoded and not text.isascii() and _WIDE.search(text) is not None

    def of(self, part: str) -> Iterator[View]:
        """Each form of a part of the text. The first is the part itself."""
        yield View(part, [])
        if "\\" in part and _WRITTEN.search(part) is not None:
            yield View(_WRITTEN.sub(_blank, part), [])
        if _may_hide(part):
            if "\x1b" in part:
                yield View(_CONTROL.sub(_blank, part), [])
            yield _replaced(part, _HIDING, lambda _: "")
        if self._encoded and _ENCODED.search(part) is not None:
            yield _replaced(part, _ENCODED, _decoded)
        if self._wide and not part.isascii():
            yield View(part.translate(_TO_PLAIN), [])


def _may_hide(part: str) -> bool:
    if "\x1b" in part or "\\\n" in part or "\\\r\n" in part:
        return True
    return not part.isascii() and _MAY_HIDE.search(part) is not None


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


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
