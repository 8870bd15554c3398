"""Markdown as the index sees it: the same lines without link targets and heading marks, and how much of it is links."""

import re
from collections.abc import Iterator
from typing import NamedTuple

# Possessive where a character can be read in one way only, so that a stray bracket costs one look.
_LABEL = r"\[((?:[^\[\]\n]++|\[[^\[\]\n]*+\])*+)\]"
_TARGET = r"\((?:<[^<>\n]*+>|[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+)(?:[ \t]++\"[^\"\n]*+\")?\)"
# Without an optional first sign a search goes from bracket to bracket, not from character to character.
_LINK = re.compile(rf"{_LABEL}{_TARGET}")
_LINK_OR_IMAGE = re.compile(rf"(!?){_LABEL}{_TARGET}")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!<>|~-])")
_FENCE = re.compile(r"[ \t]*(?:>[ \t]*)*(```+|~~~+)")
_FENCE_SIGN = re.compile(r"```|~~~")
_HEADING_MARK = re.compile(r"\n {0,3}#{1,6}[ \t]+")
_BLANKS = b" \n\t\r\v\f"


class Visible(NamedTuple):
    """A text without link targets and heading marks, and the share (0 to 1) of its characters that stand in links."""

    text: str
    link_share: float


class Fences:
    """Tells, line by line, whether a Markdown line belongs to a fenced code block (its fences included)."""

    def __init__(self) -> None:
        self._open = ""

    @property
    def is_open(self) -> bool:
        """Whether a line without any fence would belong to a code block."""
        return bool(self._open)

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
        linked.append(match[1])
        return match[1]

    def label_or_description(match: re.Match[str]) -> str:
        if not match[1]:
            linked.append(match[2])
        return match[2]

    def prose(text: str) -> str:
        if "](" in text:
            text = _LINK_OR_IMAGE.sub(label_or_description, text) if "![" in text else _LINK.sub(label, text)
        return _plain(text)

    text = "".join([part if is_code else prose(part) for part, is_code in _parts(markdown)])
    total = _chars(text) - text.count("- ") if linked else 0
    return Visible(text, min(_chars(" ".join(linked)) / total, 1.0) if total > 0 else 0.0)


def _parts(markdown: str) -> Iterator[tuple[str, bool]]:
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


def _plain(text: str) -> str:
    if "#" in text:
        text = _HEADING_MARK.sub("\n", f"\n{text}")[1:]
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


def _chars(text: str) -> int:
    """Characters that are no ASCII blanks."""
    plain = text.encode("utf-8", "replace")
    return len(text) - len(plain) + len(plain.translate(None, _BLANKS))
