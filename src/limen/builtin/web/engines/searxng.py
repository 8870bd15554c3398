"""SearXNG: a metasearch engine of one's own, by its JSON API (docs.searxng.org). Engines that failed are named."""

import re
from collections.abc import Sequence

import msgspec

from limen.builtin.web.answers.dates import span_name
from limen.builtin.web.answers.hits import Can, Found, Row, widened
from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.provider import VendorSearch
from limen.builtin.web.calling.refusing import quoted
from limen.builtin.web.calling.region import region_of
from limen.builtin.web.calling.reply import rows_of
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import SearchRequest

_CATEGORIES = {"web": "general", "news": "news", "images": "images"}
_RESOLUTION = re.compile(r"(?<!\d)([0-9]{1,6})\s*[x×X*✕]\s*([0-9]{1,6})(?!\d)")
# How many pages of results are asked for one after another until there are enough hits.
_MOST_PAGES = 5


class _Answer(msgspec.Struct, frozen=True):
    results: list[msgspec.Raw]
    unresponsive_engines: list[msgspec.Raw] = []


class _Hit(msgspec.Struct, frozen=True):
    url: str
    title: str | None = None
    content: str | None = None
    score: float | None = None
    published: str | None = msgspec.field(name="publishedDate", default=None)
    img_src: str | None = None
    resolution: str | None = None


class Searxng(VendorSearch):
    """The provider `searxng`. `setup.base_url` is the instance; its client must be allowed to reach it."""

    name = "searxng"
    can = Can(
        frozenset({"allowed_domains", "blocked_domains", "recency_days", "region", "location"}),
        types=frozenset({"web", "news", "images"}),
        operators=True,
    )

    async def _find(self, request: SearchRequest, context: CallContext) -> Found | Refusal:
        """By the instance's score; without hits, engines that failed are a refusal and not "nothing found"."""
        rows: list[Row] = []
        failed: dict[str, str] = {}
        for page in range(1, _MOST_PAGES + 1):
            got = await self._page(request, page, failed, context)
            if isinstance(got, Refusal):
                if not rows:
                    return got
                failed[f"page {page}"] = got.code
                break
            seen = {row.image_url or row.url for row in rows}
            rows += got
            new = {row.image_url or row.url for row in got} - seen
            if not new or len(seen | new) >= request.limit:  # engines that know no pages say the same again
                break
        if not rows and failed:
            return _all_failed(self.name, failed)
        rows.sort(key=lambda row: -(row.score or 0.0))
        return Found(rows, tuple(f"{engine}: {why}" if why else engine for engine, why in failed.items()))

    async def _page(self, request: SearchRequest, page: int, failed: dict[str, str], context: CallContext) -> list[Row] | Refusal:
        found = await self._link.ask(self._ask(request, page), _Answer, "search", context)
        if isinstance(found, Refusal):
            return _explained(found)
        failed |= _engines(found.unresponsive_engines)
        hits = rows_of(found.results, _Hit, "search", self.name)
        return hits if isinstance(hits, Refusal) else [_row(hit) for hit in hits]

    def _ask(self, request: SearchRequest, page: int) -> Ask:
        query: dict[str, str | int] = {
            "q": self.can.query(request),
            "format": "json",
            "pageno": page,
            "categories": _CATEGORIES[request.type],
        }
        region = region_of(request, self._setup.location)
        query |= {"language": f"{region.tongue}-{region.country.upper()}"} if region.country else {}
        span = "" if request.recency_days is None else span_name(request.recency_days)
        query |= {"time_range": span} if span else {}
        return Ask("/search", query)

    def _ignored(self, request: SearchRequest) -> tuple[str, ...]:
        return (*super()._ignored(request), *widened(request))


def _row(hit: _Hit) -> Row:
    width, height = _pixels(hit.resolution or "")
    return Row(
        hit.url, hit.title, hit.content, hit.published, hit.score, image_url=hit.img_src, width=width, height=height, markup=True
    )


def _pixels(resolution: str) -> tuple[int | None, int | None]:
    """`1024x768`, with whatever sign between the two, and perhaps more behind them."""
    match = _RESOLUTION.search(resolution)
    return (int(match[1]), int(match[2])) if match else (None, None)


def _engines(raw: Sequence[msgspec.Raw]) -> dict[str, str]:
    """Engine by engine why it gave nothing: pairs of a name and a reason."""
    failed: dict[str, str] = {}
    for entry in raw:
        try:
            name, *why = msgspec.json.decode(entry, type=list[str])
        except (msgspec.DecodeError, ValueError):
            name, why = "an engine", []
        failed[quoted(name)] = quoted(why[0]) if why else ""
    return failed


def _all_failed(vendor: str, failed: dict[str, str]) -> Refusal:
    said = ", ".join(f"{engine} ({why})" if why else engine for engine, why in failed.items())
    reason = f"Nothing was found, and these engines could not search: {said}."
    mend = "try again later, or enable other engines in the instance's settings"
    return Refusal(vendor, "search.engines_failed", reason, mend, {"provider": vendor, "engines": sorted(failed)})


def _explained(refusal: Refusal) -> Refusal:
    """An instance says 403 where it does not give JSON, which is how it comes out of the box."""
    if refusal.detail.get("status") != 403:
        return refusal
    mend = "add json to search.formats in the instance's settings.yml; if it is there, look at its limiter"
    reason = "The SearXNG instance refuses to answer in JSON."
    return Refusal(refusal.gate, "search.json_disabled", reason, mend, refusal.detail)
