"""Markdown as it streams, made easy to read on a terminal: wrapped at words, links by their label. Code and tables stay."""

import re

from rich.cells import cell_len

# A link that may still be coming; longer ones are shown as they stand.
_OPENING = re.compile(r"\[[^\[\]\n]{0,300}(?:\](?:\([^()\s]{0,2000})?)?\Z")
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\(((?:[a-z][a-z0-9+.-]*:|[#/.])[^()\s]{0,2000})\)", re.IGNORECASE)
_RUN = re.compile(r"[^\s\[]+")
_BLANKS = re.compile(r"[^\S\n]+")
_FENCES = ("```", "~~~")
_MARKER = re.compile(r"(?:[-*+]|\d{1,3}[.)])\Z")
# Below this a wrapped text is harder to read than a broken one.
_NARROWEST = 20


class Prose:
    """A streaming filter: `feed` gives what can be shown so far, `flush` what is still held back."""

    def __init__(self, columns: int) -> None:
        self._columns = max(columns, _NARROWEST)
        self._held = ""
        self._word = ""
        self._gap = ""
        self._code = False
        self._start_line()

    def feed(self, text: str) -> str:
        """Take more text; what comes back ends with a whole word."""
        self._held += text
        return "".join(self._atoms(final=False))

    def flush(self) -> str:
        """Everything that is left; the text goes on behind something else, or ends."""
        shown = "".join([*self._atoms(final=True), self._placed()])
        self._start_line()
        return shown

    def _start_line(self) -> None:
        self._column = 0
        self._indent = ""
        self._at_start = True
        self._verbatim = False
        self._ticks = 0

    def resize(self, columns: int) -> None:
        """Wrap what comes to another width."""
        self._columns = max(columns, _NARROWEST)

    def break_row(self) -> None:
        """The unfinished row was ended from outside: what comes begins the next one."""
        if self._column:
            self._column, self._gap = 0, ""

    def _atoms(self, *, final: bool) -> list[str]:
        shown: list[str] = []
        position = 0
        while position < len(self._held):
            if self._held[position] == "\n":
                shown += [self._placed(), "\n"]
                self._gap = ""
                position += 1
                self._start_line()
            elif blanks := _BLANKS.match(self._held, position):
                shown.append(self._placed())
                self._gap += blanks[0]
                position = blanks.end()
            elif run := _RUN.match(self._held, position):
                self._word += run[0]
                self._ticks += run[0].count("`")
                position = run.end()
            else:
                after = self._bracket(position, shown, final=final)
                if after == position:
                    break
                position = after
        self._held = self._held[position:]
        return shown

    def _bracket(self, position: int, shown: list[str], *, final: bool) -> int:
        """Take a link, or a bracket that opens none; the same position where only more text can tell."""
        plain = self._code or self._verbatim or self._ticks % 2 == 1
        link = None if plain else _LINK.match(self._held, position)
        if link is not None and ("://" not in link[1] or link[1] == link[2]):
            first, *rest = link[1].split(" ")
            self._word += first
            for word in rest:
                shown.append(self._placed())
                self._gap, self._word = " ", word
            return link.end()
        if not plain and link is None and not final and _OPENING.match(self._held, position):
            return position
        self._word += "["
        return position + 1

    def _placed(self) -> str:
        """The word that has come to its end, with what stands before it: a blank, or a new row where it does not fit."""
        word, self._word = self._word, ""
        if not word:
            return ""
        gap, self._gap = self._gap, ""
        if self._at_start:
            self._see_start(word, gap)
        width = cell_len(word)
        fits = self._code or self._verbatim or self._column + len(gap) + width <= self._columns
        if fits or self._column <= len(self._indent):
            self._column += len(gap) + width
            return gap + word
        self._column = len(self._indent) + width
        return f"\n{self._indent}{word}"

    def _see_start(self, word: str, gap: str) -> None:
        """Learn from a line's first words what its further rows begin with, and whether they are code or a table."""
        if word.startswith(_FENCES):
            self._code = not self._code
            self._verbatim = True  # the fence's own line
        elif word.startswith("|"):
            self._verbatim = True
        self._indent += gap
        if word == ">":
            self._indent += ">"
        elif _MARKER.match(word):
            self._indent += " " * len(word)
        else:
            self._at_start = False
