"""What a page says about itself: title, author, date, language, canonical address."""

import re
from typing import Any
from urllib.parse import urljoin

import msgspec
from turbohtml import Document

from limen.reading.decode import clean

_SEPARATOR = re.compile(r"\s+[|–—·»«•:/\\-]\s+|\s+::\s+|\s*\|\s*")
_AUTHOR = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author", "sailthru.author")
_PUBLISHED = (
    "article:published_time", "datepublished", "date", "dc.date", "dcterms.created", "dcterms.date", "citation_publication_date",
    "pubdate", "publish-date", "publish_date", "parsely-pub-date", "sailthru.date", "og:published_time",
)  # fmt: skip
_ISO_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_FIELD_CHARS = 500


class Metadata(msgspec.Struct, frozen=True):
    """Each field empty where the page does not say. `published` is an ISO 8601 date or time as given, `body` the whole text that
    the page's JSON-LD states."""

    title: str = ""
    author: str = ""
    published: str = ""
    language: str = ""
    canonical_url: str = ""
    body: str = ""


def describe(document: Document, url: str) -> Metadata:
    """Read a parsed page's description of itself; needs the page before anything was dropped from it."""
    named: dict[str, str] = {}
    for element in document.select("meta[content]"):
        name = (element.attr("property") or element.attr("name") or element.attr("itemprop") or "").lower()
        if name:
            named.setdefault(name, _line(element.attr("content")))
    things = _things(document)
    thing = next((one for one in things if "datePublished" in one or "headline" in one), {})
    root = document.select_one("html")
    language = (root.attr("lang") or root.attr("xml:lang") or "") if root is not None else ""
    found = _LANGUAGE.match(language.strip() or named.get("og:locale", "") or named.get("language", ""))
    return Metadata(
        title=_title(document, named) or _line(_text(thing.get("headline"))),
        author=_person(thing.get("author")) or _first(named, _AUTHOR),
        published=_date(document, named, thing),
        language=found.group(0).replace("_", "-") if found else "",
        canonical_url=_canonical(document, named, url),
        body=max((clean(_text(one.get("articleBody"))).strip() for one in things), key=len, default=""),
    )


def _line(value: str | None) -> str:
    return " ".join((value or "").split())[:_FIELD_CHARS]


def _first(named: dict[str, str], names: tuple[str, ...]) -> str:
    value = next((named[name] for name in names if named.get(name)), "")
    return "" if value.startswith(("http://", "https://")) else value


def _title(document: Document, named: dict[str, str]) -> str:
    """The title the page gives itself, without the name of the site around it."""
    element = document.select_one("head > title") or document.select_one("title")
    tag = _line(element.text if element is not None else "")
    shared = named.get("og:title", "") or named.get("twitter:title", "")
    headings = [_line(heading.text.strip().rstrip("¶#").strip()) for heading in document.select("h1")[:3]]
    for heading in headings:
        if heading and heading.lower() in (tag.lower() or shared.lower()) and len(heading) * 5 > len(tag):
            return heading
    title = shared or tag or next(filter(None, headings), "")
    return _without_site(title, named.get("og:site_name", "") or named.get("application-name", ""))


def _without_site(title: str, site: str) -> str:
    if not site:
        return title
    parts = _SEPARATOR.split(title)
    if len(parts) < 2:
        return title
    for part, outer in ((parts[-1], title.rfind(parts[-1])), (parts[0], -1)):
        if part.strip().lower() == site.lower():
            rest = title[:outer] if outer >= 0 else title[len(part) :]
            return rest.strip(" |–—·»«•:/\\-") or title
    return title


def _things(document: Document) -> list[dict[str, Any]]:
    """The objects of the page's JSON-LD, those of its graphs among them."""
    candidates: list[Any] = list(document.json_ld()) if document.select_one('script[type="application/ld+json"]') else []
    found: list[dict[str, Any]] = []
    for candidate in candidates[:20]:
        for thing in (candidate if isinstance(candidate, list) else [candidate])[:20]:
            graph = thing.get("@graph") if isinstance(thing, dict) else None
            found += [node for node in (graph[:50] if isinstance(graph, list) else [thing]) if isinstance(node, dict)]
    return found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _person(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_person, value[:5])))
    if isinstance(value, dict):
        value = value.get("name")
    return _line(value) if isinstance(value, str) and not value.startswith("http") else ""


def _date(document: Document, named: dict[str, str], thing: dict[str, Any]) -> str:
    stated = thing.get("datePublished")
    time = document.select_one("time[pubdate],time[itemprop=datePublished],article time[datetime],main time[datetime]")
    texts = [stated if isinstance(stated, str) else "", *(named.get(name, "") for name in _PUBLISHED)]
    texts.append((time.attr("datetime") or "") if time is not None else "")
    for text in texts:
        found = _ISO_DATE.match(text.strip())
        if found:
            return found.group(0)
    return ""


def _canonical(document: Document, named: dict[str, str], url: str) -> str:
    link = document.select_one("link[rel~=canonical][href]")
    href = ((link.attr("href") or "") if link is not None else "") or named.get("og:url", "")
    try:
        address = urljoin(url, href.strip()) if href.strip() else ""
    except ValueError:
        return ""
    return address if address.startswith(("http://", "https://")) else ""
