"""Wikipedia by its action API (mediawiki.org/wiki/API:Search, Extension:TextExtracts), in the language of the question.

The question goes to the Wikipedia of that language and to nobody else.
"""

import re

import msgspec

from limen.builtin.web.answers.hits import Can, Found, Row, snippet_chars
from limen.builtin.web.calling.link import Ask, Link
from limen.builtin.web.calling.provider import VendorSearch, link_of
from limen.builtin.web.calling.refusing import refuse
from limen.builtin.web.calling.region import region_of
from limen.builtin.web.calling.reply import decode, rows_of
from limen.builtin.web.domains.fields import topic_of
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import SearchRequest

# The longest query that the search takes.
_MOST_CHARS = 300
_CHARS = {"low": 300, "medium": 1_200, "high": 1_200}
_SCRIPTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), language)
    for pattern, language in (
        (r"[\u3040-\u30ff]", "ja"), (r"[\uac00-\ud7af]", "ko"), (r"[\u3400-\u9fff]", "zh"), (r"[іїєґ]", "uk"),
        (r"[\u0400-\u04ff]", "ru"), (r"[\u0370-\u03ff]", "el"), (r"[\u0590-\u05ff]", "he"), (r"[پچژگ]", "fa"),
        (r"[\u0600-\u06ff]", "ar"), (r"[\u0900-\u097f]", "hi"), (r"[\u0e00-\u0e7f]", "th"),
    )
)  # fmt: skip
_TONGUES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), language)
    for pattern, language in (
        (r"^(?:wer|was) (?:ist|war|sind|waren)\b", "de"),
        (r"^(?:qui (?:est|était|sont)|qu['’]est)", "fr"),
        (r"^(?:quién|quien|qué|que) (?:es|era|fue|son)\b", "es"),
        (r"^(?:quem|o que) (?:é|era|foi|são)", "pt"),
        (r"^(?:chi (?:è|era|sono)|(?:che )?cos['’])", "it"),
    )
)
_LANGUAGE = re.compile(r"[a-z]{2,3}")
# Codes of languages whose Wikipedia has another name.
_EDITIONS = {"nb": "no"}
_NAMED = re.compile(r"\b(?:on |in |from )?(?:the )?wikip[eé]dia\b|维基百科|ウィキペディア", re.IGNORECASE)


class _Query(msgspec.Struct, frozen=True):
    pages: list[msgspec.Raw] = []


class _Answer(msgspec.Struct, frozen=True):
    """Without hits there is no `query`; every whole answer has `batchcomplete` or `continue`, an error has neither."""

    query: _Query | None = None
    batchcomplete: bool | str | None = None
    more: dict[str, msgspec.Raw] | None = msgspec.field(name="continue", default=None)


class _Page(msgspec.Struct, frozen=True):
    title: str
    url: str = msgspec.field(name="fullurl")
    index: int = 0
    extract: str | None = None


class Wikipedia(VendorSearch):
    """The domain search `wikipedia`: articles with their beginnings, of which an answer holds at most 20.

    A `setup.base_url` is a wiki that is asked whatever the language.
    """

    name = "wikipedia"
    can = Can(frozenset({"region", "location", "context_size"}), max_hits=20)

    async def _find(self, request: SearchRequest, context: CallContext) -> Found | Refusal:
        ask = self._ask(request)
        if isinstance(ask, Refusal):
            return ask
        reply = await self._of(self._language(request)).send(ask, "search", context)
        found = reply if isinstance(reply, Refusal) else self._found(reply.body)
        pages = found if isinstance(found, Refusal) else rows_of(found, _Page, "search", self.name)
        if isinstance(pages, Refusal):
            return pages
        return Found(Row(page.url, page.title, page.extract) for page in sorted(pages, key=lambda page: page.index))

    def _found(self, body: bytes) -> list[msgspec.Raw] | Refusal:
        found = decode(body, _Answer, "search", self.name)
        if isinstance(found, Refusal):
            return found
        if found.query is None and found.batchcomplete is None and found.more is None:
            told = decode(body, _Whole, "search", self.name)  # an error under a success, told in the vendor's words
            return told if isinstance(told, Refusal) else []
        return found.query.pages if found.query is not None else []

    def _ask(self, request: SearchRequest) -> Ask | Refusal:
        wanted = topic_of(request.query) or _NAMED.sub(" ", request.query).strip() or request.query.strip()
        if len(wanted) > _MOST_CHARS:
            reason = f"Wikipedia's search takes {_MOST_CHARS} characters; the question has {len(wanted):,}."
            return refuse("search", "request", self.name, reason)
        count = max(1, min(request.limit, self.can.max_hits))
        query: dict[str, str | int] = {
            "action": "query", "format": "json", "formatversion": 2, "generator": "search", "gsrsearch": wanted,
            "gsrlimit": count, "prop": "info|extracts", "inprop": "url", "exintro": 1, "explaintext": 1, "exlimit": count,
            "exchars": min(_CHARS.get(request.context_size or "", 600), max(snippet_chars(request), 1)),
        }  # fmt: skip
        return Ask("/w/api.php", query)

    def _language(self, request: SearchRequest) -> str:
        """That of the domain asked for, of the question's script or first words, of the region; English otherwise."""
        for domain in request.allowed_domains:
            label = domain.lower().partition(".wikipedia.org")[0]
            if domain.lower().endswith(".wikipedia.org") and _LANGUAGE.fullmatch(label) and label != "www":
                return label
        for pattern, language in (*_SCRIPTS, *_TONGUES):
            if pattern.search(request.query):
                return language
        tongue = region_of(request, self._setup.location).tongue
        return _EDITIONS.get(tongue, tongue) if _LANGUAGE.fullmatch(tongue) else "en"

    def _of(self, language: str) -> Link:
        """The way to the Wikipedia of a language."""
        if self._setup.base_url:
            return self._link
        home = f"https://{language}.{self.vendor.base_url.removeprefix('https://')}"
        return link_of(self.vendor, msgspec.structs.replace(self._setup, base_url=home))


class _Whole(msgspec.Struct, frozen=True):
    query: _Query
