"""Markdown as the index sees it: the same lines without link targets and heading marks, and how much of it is links."""

import re
from typing import NamedTuple

_LABEL = r"\[((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]"
_TARGET = r"\((?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:[ \t]+\"[^\"\n]*\")?\)"
_LINK = re.compile(rf"(!?){_LABEL}{_TARGET}")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!<>|~-])")
_FENCE = re.compile(r"[ \t]*(?:>[ \t]*)*(```+|~~~+)")
_HEADING_MARK = re.compile(r"^ {0,3}#{1,6}[ \t]+", re.MULTILINE)


class Visible(NamedTuple):
    """A text without link targets and heading marks, and the share (0 to 1) of its characters that stand in links."""

    text: str
    link_share: float


class Fences:
    """Tells, line by line, whether a Markdown line belongs to a fenced code block (its fences included)."""

    def __init__(self) -> None:
        self._open = ""

    def holds(self, line: str) -> bool:
        if "```" not in line and "~~~" not in line:
            return bool(self._open)
        found = _FENCE.match(line)
        if not self._open:
            self._open = found[1] if found else ""
            return bool(found)
        if found and found[1].startswith(self._open) and not line[found.end() :].strip():
            self._open = ""
        return True


def visible(markdown: str) -> Visible:
    """What a person sees of `markdown`, line for line; code blocks stay as they are."""
    linked: list[str] = []

    def label(match: re.Match[str]) -> str:
        if not match[1]:
            linked.append(match[2])
        return match[2]

    def prose(text: str) -> str:
        return _plain(_LINK.sub(label, text) if "](" in text else text)

    if "```" in markdown or "~~~" in markdown:
        fences = Fences()
        text = "\n".join(line if fences.holds(line) else prose(line) for line in markdown.split("\n"))
    else:
        text = prose(markdown)
    total = _chars(text) - text.count("- ") if linked else 0
    return Visible(text, min(_chars(" ".join(linked)) / total, 1.0) if total > 0 else 0.0)


def _plain(text: str) -> str:
    if "#" in text:
        text = _HEADING_MARK.sub("", text)
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


def _chars(text: str) -> int:
    """Characters that are no blanks."""
    return sum(map(len, text.split()))
