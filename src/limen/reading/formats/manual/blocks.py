"""The blocks of a manual page as HTML: paragraphs, lists and listings, set within one another."""

import re

from limen.reading.formats.blocks import text_html

_DEEPEST = 12
_LISTS = {"dd": "dl", "li": "ul", "ol": "ol"}
_CLOSINGS = {"dd": "</dd>", "li": "</li>", "ol": "</li>"}
# A paragraph that is a term rather than a sentence.
_TERM_CHARS = 300
# Lines that are set in by so much are laid out on purpose, if none is longer than a terminal is wide.
_LISTING_INDENT = 2
_LISTING_CHARS = 120
_FONT_TAG = re.compile(r"</?(?:b|i|code)>")
_SENTENCE_ENDS = (".", ":", ",", "!", "?")


class Blocks:
    """Writes HTML. What is open is a path of `dd`, `li`, `ol` (an item of a numbered list) and `rs`, a part that is set in."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._paragraph: list[str] = []
        self._listing: list[str] | None = None
        self._path: list[str] = []
        self._joins = False
        self._indents: dict[int, int] = {}

    @property
    def html(self) -> str:
        """All that was written; what is open is closed."""
        self.close_all()
        return "".join(self._pieces)

    @property
    def in_listing(self) -> bool:
        """Whether lines are kept as they are."""
        return self._listing is not None

    @property
    def goes_on(self) -> bool:
        """Whether the next text belongs to the last word."""
        return self._joins

    @property
    def in_item(self) -> bool:
        """Whether the innermost part is an item of a list."""
        return bool(self._path) and self._path[-1] != "rs"

    def say(self, html: str, *, joins: bool = False) -> None:
        """Add a line to the paragraph. `joins`: the next one goes on without a blank."""
        if not html:
            return
        if self._paragraph and not self._joins and not self._paragraph[-1].endswith("<br>"):
            self._paragraph.append(" ")
        self._paragraph.append(html)
        self._joins = joins

    def say_line(self, text: str) -> None:
        """Add a line to the listing."""
        if self._listing is not None:
            if self._joins and self._listing:
                self._listing[-1] += text
            else:
                self._listing.append(text)

    def join_next(self, *, joins: bool) -> None:
        """Whether the next line of the listing goes on with this one."""
        self._joins = joins

    def break_line(self, indent: int = 0) -> None:
        """End the line, not the paragraph; the next one is set in by so many blanks."""
        if self._paragraph and self._paragraph[-1] != "<br>":
            self._paragraph.append("<br>")
        if indent:
            self._indents[len(self._paragraph)] = indent

    def end_paragraph(self) -> None:
        """Write the paragraph that is open."""
        while self._paragraph and self._paragraph[-1] in {"<br>", " "}:
            self._paragraph.pop()
        if self._paragraph:
            self._pieces.append(self._laid_out() or f"<p>{''.join(self._paragraph)}</p>")
            self._paragraph = []
        self._indents.clear()
        self._joins = False

    def _laid_out(self) -> str:
        """The paragraph as a listing, where its lines are short and some are set in: commands that go on, trees of files."""
        if max(self._indents.values(), default=0) < _LISTING_INDENT or "<br>" not in self._paragraph:
            return ""
        lines = [""]
        for number, piece in enumerate(self._paragraph):
            if piece == "<br>":
                lines.append("")
            else:
                lines[-1] += " " * self._indents.get(number, 0) + piece
        if any("<a " in line or len(line) > _LISTING_CHARS for line in lines):
            return ""
        return "<pre>" + "\n".join(_FONT_TAG.sub("", line) for line in lines) + "</pre>"

    def take_paragraph(self) -> str:
        """The paragraph that is open, not written but given away."""
        self._indents.clear()
        held, self._paragraph = "".join(self._paragraph), []
        return held

    def open_listing(self) -> None:
        """Keep lines as they are from here."""
        self.end_paragraph()
        if self._listing is None:
            self._listing = []

    def close_listing(self) -> None:
        """Write the listing that is open."""
        if self._listing is None:
            return
        text = "\n".join(line.rstrip() for line in self._listing).strip("\n")
        self._listing = None
        self._joins = False
        if text.strip():
            self._pieces.append(f"<pre>{text_html(text)}</pre>")

    def heading(self, level: int, html: str) -> None:
        """A heading; nothing stays open above it."""
        self.close_all()
        self._pieces.append(f"<h{level}>{html}</h{level}>")

    def raw(self, html: str) -> None:
        """A finished block, as a table is one."""
        self.close_listing()
        self.end_paragraph()
        self._pieces.append(html)

    def item(self, kind: str, term: str = "", start: int = 0) -> None:
        """Begin an item: `dd` with its term, `li`, or `ol` with its number. It goes on with the list that is open, if it can."""
        self.close_listing()
        self.end_paragraph()
        if self._path and self._path[-1] == kind:
            self._pieces.append(_CLOSINGS[kind])
        else:
            self.leave_items()
            if not self._reopened(kind):
                number = f' start="{start}"' if kind == "ol" and start != 1 else ""
                self._pieces.append(f"<{_LISTS[kind]}{number}>")
            self._path.append(kind)
        self._pieces += [f"<dt>{term}</dt>", "<dd>"] if kind == "dd" else ["<li>"]

    def another_term(self, term: str) -> None:
        """One more term for an item of which nothing has been said."""
        if self._pieces and self._pieces[-1] == "<dd>":
            self._pieces[-1:] = [f"<dt>{term}</dt>", "<dd>"]
        else:
            self.item("dd", term)

    def _reopened(self, kind: str) -> bool:
        """Go on with a list that was only just closed."""
        closing = _CLOSINGS[kind]
        if self._pieces and self._pieces[-1] == f"{closing}</{_LISTS[kind]}>":
            self._pieces[-1] = closing
            return True
        return False

    def leave_items(self) -> None:
        """Close items and their lists, up to the part that they are set in."""
        self.close_listing()
        self.end_paragraph()
        while self._path and self._path[-1] != "rs":
            self._close(self._path.pop())

    def enter(self, *, defines: bool = False) -> None:
        """Set in what follows, within the item that is open. `defines`: a line before it that is no sentence is its term."""
        self.close_listing()
        line = "".join(self._paragraph)
        if defines and 0 < len(line) < _TERM_CHARS and not line.endswith(_SENTENCE_ENDS) and "<br>" not in line:
            self.item("dd", self.take_paragraph())
        self.end_paragraph()
        if len(self._path) < _DEEPEST:
            self._path.append("rs")

    def leave(self) -> None:
        """Back from what was set in last."""
        self.leave_items()
        if self._path:
            self._path.pop()

    def close_all(self) -> None:
        """Close everything."""
        self.close_listing()
        self.end_paragraph()
        while self._path:
            self._close(self._path.pop())

    def _close(self, kind: str) -> None:
        if kind in _LISTS:
            self._pieces.append(f"{_CLOSINGS[kind]}</{_LISTS[kind]}>")
