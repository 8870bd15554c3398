"""Stack traces of Python, Java, Go, Node, Rust and C#: which lines are frames, and of what."""

import re
from typing import Literal, NamedTuple

Part = Literal["head", "frame", "end", "cause"]
"""What a line is to a stack trace: it begins one, is a frame or a frame's source, ends one by naming what was thrown, or names
what
was thrown in a trace that is written from there on."""

_HEAD = "Traceback (most recent call last):"
# `   at pkg.Class.method(File.java:12)`, `    at fn (file.js:3:5)`, `   at Ns.Type.Method() in F.cs:line 4`, `... 23 more`
_AT = re.compile(r"[|\-:]?\s+at \S|^\s*\.\.\. \d+ (?:more|common frames)")
_CAUSE = re.compile(r"(?:^|\s)(?:Caused by: |Suppressed: |---> |Wrapped by: )")
_GO = re.compile(r"^goroutine \d+ \[|^\t\S+\.go:\d+|^\S+\(.*\)$|^created by ")
_RUST = re.compile(r"^\s+\d+: \S|^\s+at \S+:\d+|^stack backtrace:")
# A trace that does not end by itself ends here: what follows is somebody else's text.
_LONGEST = 400


class Place(NamedTuple):
    """A line's part in a trace, and how deep: 0 for the first frame."""

    part: Part
    depth: int


class Stacks:
    """Follows the traces of one output. Whoever writes them may put a stamp before each line; the stamps are as long as the
    first."""

    def __init__(self) -> None:
        self._margin = -1
        self._length = 0
        self._depth = 0
        self._go = False

    @property
    def goes_on(self) -> bool:
        """Whether the next line may be a part of a trace whatever it says."""
        return self._margin >= 0 or self._go

    def place(self, text: str) -> Place | None:
        """What a line is to a trace; None where it is no part of one."""
        if self._margin >= 0:
            return self._python(text)
        if _HEAD in text:
            self._margin, self._length, self._depth = text.index(_HEAD), 0, 0
            return Place("head", 0)
        if self._go or text.startswith("goroutine "):
            self._go = _GO.match(text) is not None
            return self._frame() if self._go else None
        if " at " in text or "\tat " in text or "... " in text:
            if _AT.search(text) is not None and text.lstrip().startswith(("at ", "... ")):
                return self._frame()
        elif _CAUSE.search(text) is not None:
            self._depth = 0
            return Place("cause", 0)
        self._depth = 0
        return None

    def _frame(self) -> Place:
        self._depth += 1
        return Place("frame", self._depth - 1)

    def _python(self, text: str) -> Place | None:
        self._length += 1
        said = text[self._margin :]
        if said[:1] in (" ", "\t") and self._length <= _LONGEST:
            return self._frame()
        self._margin, self._depth = -1, 0
        return Place("end", 0) if said.strip() else None
