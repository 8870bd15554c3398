"""The links of a page, for a crawler: all of them, menus included, and whether it asks not to follow them."""

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from limen.net.url import SafeUrl, join
from limen.web.library.crawl.addresses import parsed

_MOST_LINKS = 5_000
_MOST_BYTES = 4_000_000
# Tags that matter, and what hides tags: taken in one walk from left to right.
_TAG = re.compile(
    r"<!--|<(script|style|template|textarea|title|noscript|xmp)\b|<(a|area|base|meta)\s((?:[^<>\"']|\"[^\"]*+\"|'[^']*+')*+)>",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,40})\s{0,20}=\s{0,20}("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
_MARKDOWN = re.compile(r"\]\(<?([^()<>\s]++)>?(?:[ \t]++\"[^\"\n]*+\")?\)")
_NOT_FOLLOWED = ("#", "mailto:", "javascript:", "data:", "tel:")


class PageLinks(NamedTuple):
    """Where a page leads, each address once, in its order. Empty where it asks that its links are not followed."""

    urls: tuple[str, ...] = ()
    nofollow: bool = False


def links_of(body: bytes, url: str, robots_tag: str = "") -> PageLinks:
    """The links of an HTML page; `robots_tag` is the header of that name. Takes time in proportion to its size."""
    base = parsed(url)
    if base is None or _forbids(robots_tag):
        return PageLinks(nofollow=True)
    found: dict[str, None] = {}
    place, based = base, False
    for tag, attributes in _tags(_text(body)):
        if tag == "base" and not based and attributes.get("href"):
            onward = join(base, attributes["href"])
            place, based = (onward if isinstance(onward, SafeUrl) else base), True
        elif (
            tag == "meta"
            and attributes.get("name", "").lower() in ("robots", "limen")
            and _forbids(attributes.get("content", ""))
        ):
            return PageLinks(nofollow=True)
        elif tag in ("a", "area") and "nofollow" not in attributes.get("rel", "").lower().split():
            _take(found, place, attributes.get("href", ""))
            if len(found) >= _MOST_LINKS:
                break
    return PageLinks(tuple(found))


def markdown_links(text: str, url: str) -> tuple[str, ...]:
    """The links of a Markdown text, such as an `llms.txt`."""
    base = parsed(url)
    found: dict[str, None] = {}
    if base is not None:
        for target in _MARKDOWN.findall(text):
            _take(found, base, target)
    return tuple(found)[:_MOST_LINKS]


def _take(found: dict[str, None], base: SafeUrl, target: str) -> None:
    target = target.strip()
    if target and not target.lower().startswith(_NOT_FOLLOWED):
        onward = join(base, target)
        if isinstance(onward, SafeUrl):
            found[onward.request_url] = None


def _forbids(content: str) -> bool:
    """Whether words for crawlers say that links are not to be followed; `limen: nofollow` names one crawler in a header."""
    for part in content.lower().split(","):
        agent, colon, said = part.rpartition(":")
        if said.strip() in ("nofollow", "none") and (not colon or agent.strip() == "limen"):
            return True
    return False


def _text(body: bytes) -> str:
    body = body[:_MOST_BYTES]
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return body.decode("utf-16", "replace")
    return body.decode("utf-8", "replace")


def _tags(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    at = 0
    while found := _TAG.search(text, at):
        at = found.end()
        if found[0] == "<!--":
            at = _behind(text, "-->", at)
        elif found[1]:
            closing = re.compile(rf"</{found[1]}\b", re.IGNORECASE).search(text, at)
            at = closing.end() if closing else len(text)
        else:
            attributes: dict[str, str] = {}
            for name, value in _ATTRIBUTE.findall(found[3]):
                attributes.setdefault(name.lower(), unescape(value.strip("\"'")))
            yield found[2].lower(), attributes


def _behind(text: str, end: str, at: int) -> int:
    found = text.find(end, at)
    return len(text) if found < 0 else found + len(end)
