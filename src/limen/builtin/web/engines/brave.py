"""Brave Search: web, news, images and the LLM-context endpoint (api-dashboard.search.brave.com)."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from limen.builtin.web.answers.dates import since
from limen.builtin.web.answers.hits import Can, Found, Row, joined, snippet_chars
from limen.builtin.web.calling.link import Ask, Reply
from limen.builtin.web.calling.provider import VendorSearch
from limen.builtin.web.calling.refusing import Kind
from limen.builtin.web.calling.region import region_of
from limen.builtin.web.calling.reply import rows_of
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import Location, SearchRequest, SearchType

_COMMON = frozenset({"allowed_domains", "blocked_domains", "recency_days", "region", "location"})
_CAN = Can(_COMMON, max_hits=20, operators=True, max_chars=400, max_words=50)
_EVERYTHING = msgspec.structs.replace(_CAN, types=frozenset({"web", "news", "images"}))
_PAID: Mapping[SearchType, Can] = {
    "web": msgspec.structs.replace(_EVERYTHING, options=_COMMON | {"context_size"}),
    "news": msgspec.structs.replace(_EVERYTHING, options=_COMMON | {"context_size"}, max_hits=50),
    "images": msgspec.structs.replace(_EVERYTHING, options=_COMMON - {"recency_days"}, max_hits=200),
}
_CONTEXT = msgspec.structs.replace(_PAID["web"], max_hits=50)
# What the vendor takes as country and as language; it refuses a request with another one.
_COUNTRY = "ar at au be br ca ch cl cn de dk es fi fr gb gr hk id in it jp kr mx my nl no nz ph pl pt ru sa se tr tw us za"
_LANGUAGE = (
    "ar bg bn ca cs da de el en es et eu fi fr gl gu he hi hr hu is it kn ko lt lv ml mr ms nb nl pa pl ro ru sk sl sr sv ta te "
    "th tr uk vi"
)
_COUNTRIES, _LANGUAGES = frozenset(_COUNTRY.split()), frozenset(_LANGUAGE.split())
_SPELLED = {"ja": "jp", "no": "nb", "pt": "pt-pt", "zh": "zh-hans"}
_SPELLED_IN = {("br", "pt"): "pt-br", ("hk", "zh"): "zh-hant", ("tw", "zh"): "zh-hant"}
# About four characters a token, in English; the endpoint takes 8,192 at most for one page.
_CHARS_PER_TOKEN = 4
_PAGE_TOKENS = 8_192
_WHOLE = "/llm/context"
_CODES: Mapping[str, Kind] = {
    "SUBSCRIPTION_TOKEN_INVALID": "auth", "SUBSCRIPTION_NOT_FOUND": "auth", "RESOURCE_NOT_ALLOWED": "billing",
    "OPTION_NOT_IN_PLAN": "billing", "QUOTA_LIMITED": "quota", "RATE_LIMITED": "rate_limited",
}  # fmt: skip


class _Row(msgspec.Struct, frozen=True):
    url: str
    title: str | None = None
    description: str | None = None
    age: str | None = None
    page_age: str | None = None
    extra_snippets: tuple[str, ...] | None = None


class _Size(msgspec.Struct, frozen=True):
    url: str | None = None
    width: int | None = None
    height: int | None = None


class _Image(msgspec.Struct, frozen=True):
    url: str
    title: str | None = None
    properties: _Size = _Size()


class _Rows(msgspec.Struct, frozen=True):
    results: list[msgspec.Raw] = []


class _WebAnswer(msgspec.Struct, frozen=True):
    """`web` is left out when nothing was found; `type` tells a search's answer from an error's."""

    type: Literal["search"]
    web: _Rows = _Rows()


class _Passages(msgspec.Struct, frozen=True):
    url: str
    title: str | None = None
    snippets: tuple[str, ...] = ()


class _Grounding(msgspec.Struct, frozen=True):
    generic: list[msgspec.Raw] = []


class _Source(msgspec.Struct, frozen=True):
    title: str | None = None
    age: tuple[str, ...] | None = None


class _ContextAnswer(msgspec.Struct, frozen=True):
    grounding: _Grounding
    sources: dict[str, _Source] = {}


class _Mistake(msgspec.Struct, frozen=True):
    code: str = ""


class _ErrorAnswer(msgspec.Struct, frozen=True):
    error: _Mistake


class Brave(VendorSearch):
    """The provider `brave`. With `context_size` high, passages of each page come from the LLM-context endpoint."""

    name = "brave"

    def _can(self, request: SearchRequest) -> Can:
        return _CONTEXT if self._path(request) == _WHOLE else _PAID[request.type]

    def _path(self, request: SearchRequest) -> str:
        return _WHOLE if request.type == "web" and request.context_size == "high" else f"/{request.type}/search"

    async def _find(self, request: SearchRequest, context: CallContext) -> Found | Refusal:
        path = self._path(request)
        ask = Ask(path, self._query(request, path), headers=_place(self._setup.location))
        if path == _WHOLE:
            grounds = await self._link.ask(ask, _ContextAnswer, "search", context)
            return grounds if isinstance(grounds, Refusal) else self._passages(grounds)
        if path == "/images/search":
            images = await self._link.results(ask, _Image, "search", context)
            return images if isinstance(images, Refusal) else Found(map(_picture, images))
        if path == "/news/search":
            hits = await self._link.results(ask, _Row, "search", context)
        else:
            found = await self._link.ask(ask, _WebAnswer, "search", context)
            hits = found if isinstance(found, Refusal) else rows_of(found.web.results, _Row, "search", self.name)
        return hits if isinstance(hits, Refusal) else Found(map(_row, hits))

    def _passages(self, found: _ContextAnswer) -> Found | Refusal:
        pages = rows_of(found.grounding.generic, _Passages, "search", self.name)
        if isinstance(pages, Refusal):
            return pages
        about = [(page, found.sources.get(page.url, _Source())) for page in pages]
        return Found(Row(page.url, page.title or one.title, joined(page.snippets), _day(one.age)) for page, one in about)

    def _query(self, request: SearchRequest, path: str) -> dict[str, str | int]:
        can = self._can(request)
        country, language = self._region(request)
        count = min(request.limit, can.max_hits)
        query: dict[str, str | int] = {"q": can.query(request), "count": count}
        query |= {"country": country.upper()} if country else {}
        query |= {"search_lang": language} if language else {}
        if request.recency_days is not None and "recency_days" in can.options:
            query["freshness"] = f"{since(request.recency_days)}to{since(0)}"
        if path == _WHOLE:
            tokens = max(256, min(_PAGE_TOKENS, snippet_chars(request) // _CHARS_PER_TOKEN))
            query |= {"maximum_number_of_urls": count, "maximum_number_of_tokens_per_url": tokens}
        elif "context_size" in can.options and request.context_size in ("medium", "high"):
            query["extra_snippets"] = "true"
        return query | ({"result_filter": "web", "text_decorations": "false"} if path == "/web/search" else {})

    def _region(self, request: SearchRequest) -> tuple[str, str]:
        """Country and language in the vendor's spelling; empty where it does not take them."""
        country, language = region_of(request, self._setup.location)
        spelled = _SPELLED_IN.get((country, language)) or _SPELLED.get(language) or (language if language in _LANGUAGES else "")
        return country if country in _COUNTRIES else "", spelled

    def _ignored(self, request: SearchRequest) -> tuple[str, ...]:
        wanted = [bool(part) for part in region_of(request, self._setup.location)]
        taken = [bool(part) for part in self._region(request)]
        return (*super()._ignored(request), *(("region",) if request.region and wanted != taken else ()))

    @staticmethod
    def _classify(reply: Reply) -> Kind | None:
        """The vendor's own code says more than its status: a wrong key is a 422."""
        try:
            code = msgspec.json.decode(reply.body, type=_ErrorAnswer).error.code
        except (msgspec.DecodeError, RecursionError):
            return None
        return _CODES.get(code)


class BraveFree(Brave):
    """The provider `brave-free`: the web search alone."""

    name = "brave-free"

    def _can(self, request: SearchRequest) -> Can:
        return _CAN

    def _path(self, request: SearchRequest) -> str:
        return "/web/search"


def _picture(one: _Image) -> Row:
    return Row(one.url, one.title, image_url=one.properties.url, width=one.properties.width, height=one.properties.height)


def _row(hit: _Row) -> Row:
    return Row(
        hit.url, hit.title, joined([hit.description or "", *(hit.extra_snippets or ())]), hit.page_age or hit.age, markup=True
    )


def _day(ages: tuple[str, ...] | None) -> str:
    """The vendor gives a source's age in several ways; one of them is a date."""
    given = ages or ()
    return next((age for age in given if len(age) >= 10 and age[:4].isdigit()), given[0] if given else "")


def _place(location: Location) -> dict[str, str]:
    """The person's place in the vendor's headers, as far as a header can say it."""
    said = {
        "x-loc-country": location.country.upper(),
        "x-loc-state-name": location.region,
        "x-loc-city": location.city,
        "x-loc-timezone": location.timezone,
    }
    return {name: value for name, value in said.items() if value and value.isascii() and value.isprintable()}
