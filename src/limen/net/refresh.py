"""Redirects that stand outside a 30x status: the `Refresh` header and `<meta http-equiv="refresh">`."""

import re
from contextlib import suppress
from html import unescape
from typing import NamedTuple

# Browsers look for it in the head; a page's head is not longer than this.
_HEAD_BYTES = 65_536
_TAG_CHARS = 2_048
_VALUE = re.compile(r"\s*(\d{0,6})(?:\.[\d.]{0,16})?\s*(?:[;,]\s*|\s)(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,40})\s{0,20}=\s{0,20}("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
_SEPARATORS = tuple(" \t\n\r\f/")
_SKIPPED = ("script", "style", "template", "textarea", "title", "xmp")


class Refresh(NamedTuple):
    """Where a page sends its reader, as written, and after how many seconds."""

    after_s: int
    target: str


def parse_refresh(value: str) -> Refresh | None:
    """Read `5; url=/next`; None when it only reloads the page."""
    match = _VALUE.fullmatch(value)
    if match is None:
        return None
    seconds, target = match.groups()
    target = target.strip()
    if target[:1] in ("'", '"'):
        target = target[1:].partition(target[0])[0]
    return Refresh(int(seconds or 0), target) if target else None


def meta_refresh(html: bytes) -> Refresh | None:
    """The first `<meta http-equiv="refresh">` in the first 64 KiB of a page, outside comments and raw text."""
    text = html[:_HEAD_BYTES].decode("latin-1")
    lowered = text.lower()
    at = 0
    while (at := lowered.find("<", at)) >= 0:
        if lowered.startswith("<!--", at):
            at = _after(lowered, "-->", at + 4)
        elif lowered.startswith("<meta", at) and lowered[at + 5 : at + 6] in _SEPARATORS:
            tag = text[at : at + _TAG_CHARS]
            tag = tag[: _tag_end(tag)]
            found = _refresh_of(tag)
            if found is not None:
                return found
            at += max(len(tag), 1)
        else:
            at = _past_raw_text(lowered, at)
    return None


def _refresh_of(tag: str) -> Refresh | None:
    attributes: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(tag[5:]):
        attributes.setdefault(name.lower(), unescape(value.strip("\"'")))
    if attributes.get("http-equiv", "").strip().lower() != "refresh":
        return None
    content = attributes.get("content", "")
    # The page's bytes were read as Latin-1 to find the tag; its text is UTF-8 nearly always.
    with suppress(UnicodeError):
        content = content.encode("latin-1").decode()
    return parse_refresh(content)


def _tag_end(tag: str) -> int:
    quote = ""
    for at, char in enumerate(tag):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == ">":
            return at
    return len(tag)


def _past_raw_text(lowered: str, at: int) -> int:
    for name in _SKIPPED:
        if lowered.startswith(name, at + 1):
            return _after(lowered, f"</{name}", at + 1)
    return at + 1


def _after(text: str, mark: str, start: int) -> int:
    at = text.find(mark, start)
    return len(text) if at < 0 else at + len(mark)
