"""What a search provider can do, and its rows as hits: trimmed, numbered, each with an address that can be opened."""

import html
import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from limen.builtin.web.answers.dates import published, span_name
from limen.builtin.web.calling.refusing import refuse
from limen.core.fault import Refusal
from limen.core.web import ContextSize, Hit, Location, SearchAnswer, SearchRequest, SearchSource, SearchType
from limen.kit.log import failed_open
from limen.kit.text import clip, printable

_MARKS = re.compile(r"</?(?:strong|b|em|i|mark)>", re.IGNORECASE)
_UNSPEAKABLE = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029]")
_URL_CHARS = 8_000
_TITLE_CHARS = 300
# How much of a hit is shown, by the context that was asked for.
_SNIPPET_CHARS: dict[ContextSize | None, int] = {None: 1_000, "low": 400, "medium": 2_000, "high": 6_000}


class Can(msgspec.Struct, frozen=True):
    """What a provider does of a request. `options` names the fields it honours, `location` among them.

    `operators` says that its query takes `site:` and OR; `max_chars` and `max_words` bound that query, 0 for no bound.
    """

    options: frozenset[str] = frozenset()
    max_hits: int = 100
    types: frozenset[SearchType] = frozenset({"web"})
    operators: bool = False
    max_chars: int = 0
    max_words: int = 0

    def refuse(self, request: SearchRequest, vendor: str) -> Refusal | None:
        """Why it cannot answer at all: other things than pictures are no substitute for pictures."""
        if request.type == "images" and "images" not in self.types:
            return refuse("search", "unsupported", vendor, f"{vendor} finds no images.")
        return None

    def ignored(self, request: SearchRequest, location: Location) -> tuple[str, ...]:
        """What was asked for and will not be done."""
        asked = {
            "allowed_domains": bool(request.allowed_domains),
            "blocked_domains": bool(request.blocked_domains),
            "recency_days": request.recency_days is not None,
            "region": bool(request.region),
            "context_size": request.context_size is not None,
            "live": request.live,
            "location": bool(location),
        }
        left = [name for name, wanted in asked.items() if wanted and name not in self.options]
        left += ["type"] if request.type not in self.types else []
        left += ["limit"] if request.limit > self.max_hits else []
        question, operators = self._parts(request)
        left += ["query (its end)"] if question.split() != request.query.split() else []
        if self.operators and not operators:
            left += [name for name in ("allowed_domains", "blocked_domains") if getattr(request, name)]
        return tuple(left)

    def query(self, request: SearchRequest) -> str:
        """The query as the provider takes it, with the domain lists where those are part of it."""
        return "".join(self._parts(request))

    def _parts(self, request: SearchRequest) -> tuple[str, str]:
        """The question and the operators behind it. What there is no room for is cut off the question: an operator that is cut
        would find what was excluded. Operators that fill half of the room are left out."""
        operators = _operators(request) if self.operators else ""
        if (0 < self.max_chars < 2 * len(operators)) or (0 < self.max_words < 2 * len(operators.split())):
            operators = ""
        question = request.query.strip()
        if self.max_words and len(question.split()) > self.max_words - len(operators.split()):
            question = " ".join(question.split()[: self.max_words - len(operators.split())])
        if self.max_chars:
            question = question[: self.max_chars - len(operators)]
        return question, operators


class Row(msgspec.Struct, frozen=True):
    """One result as a vendor gave it. `markup` says that its text has HTML entities and emphasis in it."""

    url: str | None
    title: str | None = None
    text: str | None = None
    date: str | float | None = None
    score: float | None = None
    image_url: str | None = None
    width: int | None = None
    height: int | None = None
    markup: bool = False


class Found(NamedTuple):
    """What a search of a vendor gave: rows, best first, and which of its engines failed."""

    rows: Iterable[Row]
    failed: tuple[str, ...] = ()


def snippet_chars(request: SearchRequest) -> int:
    """How many characters of each hit are shown."""
    return max(request.max_chars, 1) if request.max_chars is not None else _SNIPPET_CHARS[request.context_size]


def answer(
    vendor: str, rows: Iterable[Row], request: SearchRequest, *, ignored: tuple[str, ...] = (), failed: tuple[str, ...] = ()
) -> SearchAnswer:
    """An answer of the first `limit` rows that name an address; the same address counts once."""
    hits: dict[str, Hit] = {}
    bad = 0
    for row in rows:
        if len(hits) >= request.limit:
            break
        hit = _hit(row, request, len(hits) + 1)
        if hit is None:
            bad += 1
        else:
            hits.setdefault(hit.image_url if request.type == "images" else hit.url, hit)
    if bad:
        failed_open("search.bad_entry", f"{vendor}: {bad} hits had no address that can be opened")
    return SearchAnswer(tuple(hits.values()), SearchSource(vendor, ignored=ignored, engines_failed=failed))


def refused(vendor: str, refusal: Refusal, failed: tuple[str, ...] = ()) -> SearchAnswer:
    """The answer of who could not search."""
    return SearchAnswer((), SearchSource(vendor, engines_failed=failed), refusal)


def joined(texts: Iterable[str]) -> str:
    """Excerpts of one page as one text, with a mark where something is left out between two."""
    return "\n…\n".join(text.strip() for text in texts if text.strip())


def widened(request: SearchRequest) -> tuple[str, ...]:
    """What a provider that knows a day, a week, a month and a year alone does not do of a request: it takes the next longer."""
    days = request.recency_days
    if days is None or days in (1, 7, 31, 366):
        return ()
    span = span_name(days)
    return (f"recency_days (taken as a {span})" if span else "recency_days",)


def _operators(request: SearchRequest) -> str:
    """The domain lists as `site:` operators."""
    allowed = " OR ".join(f"site:{domain}" for domain in request.allowed_domains)
    group = f" ({allowed})" if len(request.allowed_domains) > 1 else f" {allowed}" if allowed else ""
    return group + "".join(f" -site:{domain}" for domain in request.blocked_domains)


def _hit(row: Row, request: SearchRequest, position: int) -> Hit | None:
    url = (row.url or "").strip()
    host = openable(url)
    if host is None:
        return None
    picture = _picture(row.image_url)
    if request.type == "images" and openable(picture) is None:
        return None
    limit = snippet_chars(request)
    return Hit(
        title=clip(printable(_plain(row.title or "", row.markup)), _TITLE_CHARS) or host,
        url=url,
        snippet=_snippet(printable(_plain(row.text or "", row.markup)), limit, whole=request.context_size == "high"),
        position=position,
        ref=url,
        site=host.removeprefix("www."),
        published=published(row.date),
        score=row.score or 0.0,
        image_url=picture if openable(picture) else "",
        width=_pixels(row.width),
        height=_pixels(row.height),
    )


def _picture(url: str | None) -> str:
    """The address of a picture's file; without a scheme it is the page's, which is https by now."""
    plain = (url or "").strip()
    return f"https:{plain}" if plain.startswith("//") else plain


def _pixels(size: int | None) -> int | None:
    """A size that a picture can have; engines say 0 where they do not know."""
    return size if size is not None and 0 < size < 1_000_000 else None


def openable(url: str) -> str | None:
    """The host of an http address; None for whatever else a vendor may call a result."""
    if len(url) > _URL_CHARS or _UNSPEAKABLE.search(url):
        return None
    try:
        parts = urlsplit(url)
        return parts.hostname if parts.scheme in ("http", "https") else None
    except ValueError:
        return None


def _snippet(text: str, limit: int, *, whole: bool) -> str:
    """On one line, or as it is where a whole passage was asked for."""
    if not whole:
        return clip(text, limit)
    text = text.strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _plain(text: str, markup: bool) -> str:
    return html.unescape(_MARKS.sub("", text)) if markup else text
