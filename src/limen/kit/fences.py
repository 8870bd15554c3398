"""Fenced code in Markdown: which lines and which stretches of a text belong to it."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"[ \t]*(?:>[ \t]*)*(```+|~~~+)")
_FENCE_SIGN = re.compile(r"```|~~~")


class Fences:
    """Tells, line by line, whether a Markdown line belongs to a fenced code block (its fences included)."""

    def __init__(self) -> None:
        self._open = ""

    @property
    def is_open(self) -> bool:
        """Whether a line without any fence would belong to a code block."""
        return bool(self._open)

    def holds(self, line: str) -> bool:
        """Whether this line, the next of the text, belongs to a code block."""
        if "```" not in line and "~~~" not in line:
            return bool(self._open)
        found = _FENCE.match(line)
        if not self._open:
            self._open = found[1] if found else ""
            return bool(found)
        if found and found[1].startswith(self._open) and not line[found.end() :].strip():
            self._open = ""
        return True


def parts(markdown: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, at borders of lines, and whether each is code. Only lines with a fence's signs are looked at."""
    if "```" not in markdown and "~~~" not in markdown:
        yield markdown, False
        return
    fences = Fences()
    start = 0
    for sign in _FENCE_SIGN.finditer(markdown):
        if sign.start() < start:  # a second sign in the same line
            continue
        line = markdown.rfind("\n", start, sign.start()) + 1 or start
        newline = markdown.find("\n", sign.end())
        end = len(markdown) if newline < 0 else newline
        yield markdown[start:line], fences.is_open
        yield markdown[line:end], fences.holds(markdown[line:end])
        start = end
    yield markdown[start:], fences.is_open
