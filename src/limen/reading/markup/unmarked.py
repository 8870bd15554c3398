"""Markdown without its marks: what a reader would see of it, in as many lines where that is possible."""

import re

import msgspec

from limen.core.web import Page
from limen.kit.fences import Fences

_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+|$)")
_CLOSING_MARKS = re.compile(r"[ \t]+#+[ \t]*$")
_QUOTE = re.compile(r"^(?: {0,3}> ?)+")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)$")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_BULLET = re.compile(r"^([ \t]*)[*+](?=[ \t])")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_CODE = re.compile(r"(?<!`)(`{1,8})(?!`)([^\n]{1,2000}?)(?<!`)\1(?!`)")
_IMAGE = re.compile(
    r"!\[([^\[\]\n]{0,500})\]\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,2000})?(?:[ \t]+\"[^\"\n]{0,300}\")?\)"
)
_LINK = re.compile(
    r"\[([^\[\]\n]{0,500})\]\(<?[^()<>\s]{0,2000}(?:\([^()\s]{0,200}\)[^()<>\s]{0,2000})?>?(?:[ \t]+\"[^\"\n]{0,300}\")?\)"
)
_AUTOLINK = re.compile(r"<(https?://[^\s<>]{1,2000}|[^\s<>@]{1,200}@[^\s<>@]{1,200})>")
_STRONG = re.compile(r"(\*\*\*|\*\*|___|__|~~)(?=\S)([^\n]{1,300}?)(?<=\S)\1")
_EMPHASIS = re.compile(
    r"(?<![\w*])\*(?=[^\s*])([^\n*]{1,2000}?)(?<=[^\s*])\*(?![\w*])|(?<!\w)_(?=\S)([^\n_]{1,2000}?)(?<=\S)_(?!\w)"
)
# Stand-ins for escaped signs while the others are taken away; decoding keeps noncharacters out of every text.
_KEPT = "\ufdd2"
_KEPT_SIGN = re.compile(f"{_KEPT}([0-9a-f]{{2}})")


def unmarked(page: Page, *, marked: bool) -> Page:
    """The page as text, without its marks where it has some."""
    return msgspec.structs.replace(page, text=without_marks(page.text) if marked else page.text, outline=(), format="text")


def without_marks(markdown: str) -> str:
    """The words of a Markdown text. Listings stay as they are, lists keep their hyphens, links and images their words."""
    lines: list[str] = []
    fences = Fences()
    for line in markdown.split("\n"):
        was_open = fences.is_open
        if not fences.holds(line):
            lines.append(_plain(line))
        elif was_open and fences.is_open:
            lines.append(line)
    return "\n".join(lines).strip("\n")


def _plain(line: str) -> str:
    line = _QUOTE.sub("", line)
    if _RULE.match(line) or ("|" in line and _TABLE_RULE.match(line)):
        return ""
    heading = _HEADING.match(line)
    if heading:
        line = _CLOSING_MARKS.sub("", line[heading.end() :])
    line = _BULLET.sub(r"\1-", line)
    if line.strip().startswith("|") and line.strip().endswith("|") and len(line.strip()) > 1:
        line = "  ".join(cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1]))
    return _inline(line) if any(sign in line for sign in "\\`*_~[<") else line


def _inline(line: str) -> str:
    line = _CODE.sub(lambda found: _hidden(found.group(2).strip()), line)
    line = _ESCAPE.sub(lambda found: _hidden(found.group(1)), line)
    line = _LINK.sub(r"\1", _IMAGE.sub(r"\1", line))
    line = _AUTOLINK.sub(r"\1", line)
    for _ in range(2):  # emphasis inside strong words, or the other way round
        line = _EMPHASIS.sub(lambda found: found.group(1) or found.group(2), _STRONG.sub(r"\2", line))
    return _KEPT_SIGN.sub(lambda found: chr(int(found.group(1), 16)), line)


def _hidden(text: str) -> str:
    """A text none of whose signs is a mark."""
    return "".join(f"{_KEPT}{ord(char):02x}" if char in _SIGNS else char for char in text)


_SIGNS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
