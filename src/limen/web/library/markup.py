"""Markdown as the index sees it: the same lines without link targets and heading marks, and how much of it is links."""

import re
from typing import NamedTuple

from limen.kit.fences import parts

# Possessive where a character can be read in one way only, so that a stray bracket costs one look.
_LABEL = r"\[((?:[^\[\]\n]++|\[[^\[\]\n]*+\])*+)\]"
_TARGET = r"\((?:<[^<>\n]*+>|[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+)(?:[ \t]++\"[^\"\n]*+\")?\)"
# Without an optional first sign a search goes from bracket to bracket, not from character to character.
_LINK = re.compile(rf"{_LABEL}{_TARGET}")
_LINK_OR_IMAGE = re.compile(rf"(!?){_LABEL}{_TARGET}")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!<>|~-])")
_HEADING_MARK = re.compile(r"\n {0,3}#{1,6}[ \t]+")
_BLANKS = b" \n\t\r\v\f"


class Visible(NamedTuple):
    """A text without link targets and heading marks, and the share (0 to 1) of its characters that stand in links."""

    text: str
    link_share: float


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

    text = "".join([part if is_code else prose(part) for part, is_code in parts(markdown)])
    total = _chars(text) - text.count("- ") if linked else 0
    return Visible(text, min(_chars(" ".join(linked)) / total, 1.0) if total > 0 else 0.0)


def _plain(text: str) -> str:
    if "#" in text:
        text = _HEADING_MARK.sub("\n", f"\n{text}")[1:]
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


def _chars(text: str) -> int:
    """Characters that are no ASCII blanks."""
    plain = text.encode("utf-8", "replace")
    return len(text) - len(plain) + len(plain.translate(None, _BLANKS))
