"""The `ddgs` package: several engines' result pages, read by a child process that is ended at its deadline.

The package brings its own network client, which our address rules do not cover; it talks to the fixed hosts of its engines. The
child gets nothing of our environment but what a process needs to start.
"""

import os
import sys
from collections.abc import Mapping

import msgspec

from limen.builtin.web.answers.dates import span_name
from limen.builtin.web.answers.hits import Can, Found, Row, widened
from limen.builtin.web.calling.child import Child
from limen.builtin.web.calling.provider import Setup, VendorSearch
from limen.builtin.web.calling.refusing import Kind, quoted, refuse
from limen.builtin.web.calling.region import region_of
from limen.builtin.web.calling.reply import decode, rows_of
from limen.builtin.web.engines.ddgs_shapes import Outcome, Result, Wish
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import SearchRequest

_SPANS = {"day": "d", "week": "w", "month": "m", "year": "y"}
# The package's spelling where it is not the usual one.
_COUNTRIES = {"gb": "uk"}
_LANGUAGES = {"ja": "jp", "ko": "kr"}
_PASSED_ON = (
    "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "SYSTEMROOT", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "DDGS_PROXY",
)  # fmt: skip
_START = "import sys; sys.path[:] = sys.argv[1:]; from limen.builtin.web.engines.ddgs_child import main; main()"


class Ddgs(VendorSearch):
    """The provider `ddgs`. `environment` is what the child's own is chosen from."""

    name = "ddgs"
    can = Can(
        frozenset({"allowed_domains", "blocked_domains", "recency_days", "region", "location"}),
        types=frozenset({"web", "news", "images"}),
        operators=True,
    )

    def __init__(self, setup: Setup, environment: Mapping[str, str] | None = None) -> None:
        super().__init__(setup)
        given = os.environ if environment is None else environment
        command = (sys.executable, "-c", _START, *map(os.path.abspath, sys.path))
        self._child = Child(self.name, command, {name: given[name] for name in _PASSED_ON if name in given}, setup.limits)

    async def _find(self, request: SearchRequest, context: CallContext) -> Found | Refusal:
        """Hits of several engines put together; where all turned us away, a refusal and not "nothing found"."""
        unfit = self.unavailable()
        if unfit is not None:
            return unfit
        try:
            wish = msgspec.json.encode(self._wish(request))
        except UnicodeEncodeError:
            return refuse("search", "request", self.name, "The query holds characters that stand for nothing and cannot be sent.")
        ended = await self._child.ask(context, wish)
        if isinstance(ended, Refusal):
            return ended
        if ended.status or not ended.out:
            last = quoted(ended.said.strip().rpartition("\n")[2])
            reason = f"The process that runs ddgs ended with status {ended.status}" + (f": {last}." if last else ".")
            return refuse("search", "failed", self.name, reason)
        outcome = decode(ended.out, Outcome, "search", self.name)
        if isinstance(outcome, Refusal):
            return outcome
        if outcome.what != "found":
            return self._failed(outcome)
        results = rows_of(outcome.rows, Result, "search", self.name)
        return results if isinstance(results, Refusal) else Found(map(_row, results), outcome.failed)

    def _wish(self, request: SearchRequest) -> Wish:
        region = region_of(request, self._setup.location)
        country = _COUNTRIES.get(region.country, region.country)
        tongue = _LANGUAGES.get(region.tongue, region.tongue)
        span = "" if request.recency_days is None else _SPANS.get(span_name(request.recency_days), "")
        return Wish(request.type, self.can.query(request), request.limit, f"{country}-{tongue}" if country else "", span)

    def _ignored(self, request: SearchRequest) -> tuple[str, ...]:
        return (*super()._ignored(request), *widened(request))

    def _failed(self, outcome: Outcome) -> Refusal:
        if outcome.what == "timeout":
            return self._child.late()
        kinds: Mapping[str, Kind] = {"rate_limited": "rate_limited", "provider_blocked": "provider_blocked"}
        engines = ", ".join(quoted(engine) for engine in outcome.failed)
        reason = f"The engines that ddgs asks turned it away ({engines})." if engines else f"ddgs says: {quoted(outcome.said)}."
        return refuse("search", kinds.get(outcome.what, "failed"), self.name, reason, detail={"engines": list(outcome.failed)})


def _row(result: Result) -> Row:
    return Row(
        result.href or result.url,
        result.title,
        result.body,
        result.date,
        image_url=result.image,
        width=_pixels(result.width),
        height=_pixels(result.height),
    )


def _pixels(size: str | int | None) -> int | None:
    text = str(size or "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None
