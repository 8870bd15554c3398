"""What a page says about itself: title, author, date, language, canonical address."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

import msgspec
from turbohtml import Document, Element

from limen.reading.dates import iso_date
from limen.reading.elements import attribute
from limen.reading.html.linked_data import Thing, each, line_of, shown_line, text_of, things_in, types_of

_SEPARATOR = re.compile(r"\s+[|–—·»«•:/\\-]\s+|\s+::\s+|\s*\|\s*")
_AUTHOR = (
    "author", "article:author", "og:article:author", "dc.creator", "dcterms.creator", "dc.creator.personalname",
    "citation_author", "parsely-author", "sailthru.author", "byl", "twitter:creator:name",
)  # fmt: skip
_PUBLISHED = (
    "article:published_time", "datepublished", "date", "dc.date", "dc.date.issued", "dcterms.created", "dcterms.date",
    "dcterms.issued", "citation_publication_date", "citation_online_date", "citation_date", "pubdate", "publish-date",
    "publish_date", "parsely-pub-date", "sailthru.date", "og:published_time", "og:article:published_time",
)  # fmt: skip
# Names that Google Scholar's kind of tags repeat, one author or two a tag.
_REPEATED = frozenset({"citation_author", "dc.creator", "dcterms.creator", "article:author"})
_AUTHORS = 8
_AUTHOR_CHARS = 200
# A year alone is as often one of the copyright.
_YEAR_CHARS = 4
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_TEXTS = frozenset(
    {
        "article", "newsarticle", "blogposting", "techarticle", "scholarlyarticle", "report", "analysisnewsarticle",
        "reportagenewsarticle", "opinionnewsarticle", "socialmediaposting", "discussionforumposting", "question", "qapage",
        "recipe", "howto", "book", "creativework", "review", "learningresource", "course",
    }
)  # fmt: skip
# Microdata of these holds names and dates that are not the page's: comments, reviews, teasers.
_PAGE_AUTHOR = (
    'a[rel~=author],[itemscope][itemtype*="Article" i] [itemprop~=author],'
    "[itemscope][itemtype*=BlogPosting i] [itemprop~=author],[itemscope][itemtype*=CreativeWork i] [itemprop~=author]"
)
_NOT_THE_PAGES = (
    '[itemtype*="/Comment" i],[itemtype*="/Answer" i],[itemtype*="/Review" i],aside,[class*=comment i],[class*=related i]'
)
_TIME = "time[pubdate],time[itemprop~=datePublished],article time[datetime],main time[datetime]"
_ADDRESS = re.compile(r"\w+://|www\.|@|\.com\b", re.IGNORECASE)
_BY = re.compile(r"(?:by|von|par|por|di|door|av|af)\s+", re.IGNORECASE)
# The last part of a title is the site's name where it holds the longest label of its host, as in "… - Harbour Forums".
_HOST_NAME_CHARS = 4
_SITE_CHARS = 40
_EARLY_HEADINGS = 6
_VARIANTS = frozenset({"www", "m", "amp", "mobile"})


class Metadata(msgspec.Struct, frozen=True):
    """Each field empty where the page does not say. `published` is an ISO 8601 date or time, `language` a BCP 47 tag."""

    title: str = ""
    author: str = ""
    published: str = ""
    language: str = ""
    canonical_url: str = ""


def describe(document: Document, url: str, things: Sequence[Thing] = ()) -> Metadata:
    """Read a parsed page's description of itself; needs the page before anything was dropped from it.

    `things` are the objects of its JSON-LD.
    """
    named: dict[str, str] = {}
    for element in document.select("meta[content]"):
        name = attribute(element, "property", "name", "itemprop").lower()
        content = line_of(element.attr("content")) if name else ""
        if content and name in _REPEATED and name in named and content not in named[name]:
            named[name] = f"{named[name]}; {content}"[:_AUTHOR_CHARS]
        elif content:
            named.setdefault(name, content)
    thing = _main_thing(things)
    return Metadata(
        title=_title(document, named, host_of(url)) or line_of(thing.get("headline") or thing.get("name")),
        author=_author(document, named, thing, things),
        published=_date(document, named, thing),
        language=_language(document, named, thing),
        canonical_url=_canonical(document, named, url),
    )


def _main_thing(things: Sequence[Thing]) -> Thing:
    """The object that describes the page's text rather than its site: a text by its type, else one with a headline or date."""
    dated = [one for one in things if "datePublished" in one or "headline" in one]
    return next((one for one in dated if types_of(one) & _TEXTS), dated[0] if dated else {})


def _title(document: Document, named: dict[str, str], host: str) -> str:
    """The title the page gives itself, without the name of the site around it."""
    element = document.select_one("head > title") or document.select_one("title")
    tag = shown_line(element.text if element is not None else "")
    shared = named.get("og:title", "") or named.get("twitter:title", "") or named.get("citation_title", "")
    headings = [_line_of_heading(heading) for heading in document.select("h1")[:3]]
    first, *more = [part.strip().lower() for part in _SEPARATOR.split(tag)]
    chapter = [
        text for heading in document.select("h1,h2")[:_EARLY_HEADINGS] if (text := _line_of_heading(heading)).lower() == first
    ]
    if more and chapter:  # then an h1 that says what the title ends with is the name of the book, or of the site
        headings = [heading for heading in headings if heading.lower() != more[-1]] + chapter
    names = frozenset({named.get("og:site_name", "").lower(), named.get("application-name", "").lower()} - {""})
    # Without the site's name first, since that may be an h1 as well.
    for stated, share in ((_without_site(shared, names, host), 2), (_without_site(tag, names, host), 2), (tag, 5)):
        for heading in headings:
            if heading and heading.lower() in stated.lower() and len(heading) * share > len(stated):
                return heading
    title = shared or tag or named.get("dc.title", "") or next(filter(None, headings), "")
    return _without_site(title, names, host)


def _line_of_heading(heading: Element) -> str:
    return shown_line(heading.text.strip().rstrip("¶#").strip())


def _without_site(title: str, names: frozenset[str], host: str) -> str:
    """A title without the site's name at its end or start; at its end also what holds the site's name in its address."""
    parts = _SEPARATOR.split(title)
    if len(parts) < 2:
        return title
    last, first = parts[-1].strip().lower(), parts[0].strip().lower()
    own = max(host.lower().split(".")[:-1], key=len, default="")
    named_by_host = len(own) >= _HOST_NAME_CHARS and len(last) <= _SITE_CHARS and own in re.sub(r"\W", "", last)
    if last in names or named_by_host:
        rest = title[: title.rfind(parts[-1])]
    elif first in names:
        rest = title[len(parts[0]) :]
    else:
        return title
    return rest.strip(" |–—·»«•:/\\-") or title


def _author(document: Document, named: dict[str, str], thing: Thing, things: Sequence[Thing]) -> str:
    people = {one["@id"]: one for one in things if isinstance(one.get("@id"), str) and "name" in one}
    stated = _people(thing.get("author") or thing.get("creator"), people)
    if stated:
        return stated
    for name in _AUTHOR:
        found = _person(named.get(name, ""))
        if found:
            return found
    for element in document.select(_PAGE_AUTHOR)[:_AUTHORS]:
        if element.closest(_NOT_THE_PAGES) is None:
            return _person(_name_in(element))
    return ""


def _name_in(element: Element) -> str:
    inner = element.select_one("[itemprop~=name]") or element
    return line_of(inner.attr("content") or inner.text)


def _people(value: Any, people: dict[str, Thing]) -> str:
    """The names of a property's people, those of them that stand elsewhere in the page's data looked up by their id."""
    names: dict[str, None] = {}
    for one in things_in(value)[:_AUTHORS]:
        identity = one.get("@id")
        known = people.get(identity, one) if isinstance(identity, str) and "name" not in one else one
        for name in each(known.get("name")):
            names[_person(line_of(name))] = None
    return ", ".join(filter(None, names))[:_AUTHOR_CHARS]


def _person(name: str) -> str:
    """A name as it is, without a leading "by"; empty for an address."""
    return "" if _ADDRESS.search(name) or len(name) > _AUTHOR_CHARS else _BY.sub("", name, count=1) if _BY.match(name) else name


def _date(document: Document, named: dict[str, str], thing: Thing) -> str:
    texts = [text_of(thing.get("datePublished")), *(named.get(name, "") for name in _PUBLISHED)]
    texts.append(attribute(document.select_one(_TIME), "datetime"))
    return next((found for text in texts if len(found := iso_date(text)) > _YEAR_CHARS), "")


def _language(document: Document, named: dict[str, str], thing: Thing) -> str:
    stated = (
        attribute(document.select_one("html"), "lang", "xml:lang"),
        attribute(document.select_one("meta[http-equiv=content-language i][content]"), "content"),
        named.get("og:locale", ""),
        named.get("language", ""),
        named.get("dc.language", ""),
        line_of(thing.get("inLanguage")),
    )
    found = (_LANGUAGE.match(text.strip()) for text in stated)
    return next((match.group(0).replace("_", "-") for match in found if match), "")


def _canonical(document: Document, named: dict[str, str], url: str) -> str:
    """The address the page calls its own; one on a stranger's site is a mistake or a lie, as is the front page's on another."""
    for href in (attribute(document.select_one("link[rel~=canonical][href]"), "href"), named.get("og:url", "")):
        try:
            address = urljoin(url, href.strip()) if href.strip() else ""
            stated, own = urlsplit(address), urlsplit(url)
            stated_host, own_host = stated.hostname or "", own.hostname or ""
        except ValueError:
            continue
        if stated.scheme not in {"http", "https"} or not stated_host or any(char.isspace() for char in address):
            continue
        if not own_host or (
            _is_same_site(stated_host, own_host) and (stated.path.strip("/") or stated.query or not own.path.strip("/"))
        ):
            return address
    return ""


def _is_same_site(one: str, other: str) -> bool:
    """Whether two hosts belong together: variants of one host, one below the other, or neighbours below a name of its own."""
    first, second = ([label for label in host.split(".") if label not in _VARIANTS] for host in (one, other))
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) > 1 and longer[-len(shorter) :] == shorter:
        return True
    return one == other or (len(first) > 2 and first[1:] == second[1:] and (len(first) > 3 or len(first[1]) > 3))


def host_of(url: str) -> str:
    """The host of an address, empty where it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
