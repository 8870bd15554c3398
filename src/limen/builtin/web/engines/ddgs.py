"""The `ddgs` package: several engines' result pages, read by a child process that is ended at its deadline.

The package brings its own network client, which our address rules do not cover; it talks to the fixed hosts of its engines. The
child gets nothing of our environment but what a process needs to start.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec

import anyio
import anyio.abc
import msgspec

from limen.builtin.web.answers.dates import span_name
from limen.builtin.web.answers.hits import Can, Row, answer, refused, site_query
from limen.builtin.web.calling.link import Limits
from limen.builtin.web.calling.refusing import Kind, quoted, refuse
from limen.builtin.web.calling.region import region_of
from limen.builtin.web.calling.reply import decode, rows_of
from limen.builtin.web.engines.ddgs_shapes import Found, Outcome, Result, Wish
from limen.builtin.web.vendors import vendor_table
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.waiting import Stopped, interrupted, within
from limen.core.web import Location, SearchAnswer, SearchRequest

_CAN = Can(
    frozenset({"allowed_domains", "blocked_domains", "recency_days", "region", "location"}),
    types=frozenset({"web", "news", "images"}),
)
_SPANS = {"day": "d", "week": "w", "month": "m", "year": "y"}
# The package's spelling where it is not the usual one.
_COUNTRIES = {"gb": "uk"}
_LANGUAGES = {"ja": "jp", "ko": "kr"}
_PASSED_ON = (
    "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "SYSTEMROOT", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "DDGS_PROXY",
)  # fmt: skip
_START = "import sys; sys.path[:] = sys.argv[1:]; from limen.builtin.web.engines.ddgs_child import main; main()"
_CHUNK_BYTES = 1 << 16


class Ddgs:
    """The provider `ddgs`. `environment` is what the child's own is chosen from."""

    name = "ddgs"
    vendor = vendor_table()[name]

    def __init__(
        self, location: Location | None = None, limits: Limits | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self._location = location or Location()
        self._limits = limits or Limits()
        given = os.environ if environment is None else environment
        self._environment = {name: given[name] for name in _PASSED_ON if name in given}

    def unavailable(self) -> Refusal | None:
        """The package is not installed."""
        if find_spec(self.vendor.package) is not None:
            return None
        return Refusal(self.name, "web.not_installed", "The package ddgs is not installed.", self.vendor.start)

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Hits of several engines put together; where all turned us away, a refusal and not "nothing found"."""
        unfit = _CAN.refuse(request, self.name) or self.unavailable()
        if unfit is not None:
            return refused(self.name, unfit)
        try:
            wish = msgspec.json.encode(self._wish(request))
        except UnicodeEncodeError:
            reason = "The query holds characters that stand for nothing and cannot be sent."
            return refused(self.name, refuse("search", "request", self.name, reason))
        body = await within(lambda: self._ask_child(wish), context, self._limits.timeout_s)
        if body is Stopped.INTERRUPTED:
            return refused(self.name, interrupted(self.name))
        if isinstance(body, Stopped):
            return refused(self.name, self._late())
        found = body if isinstance(body, Refusal) else decode(body, Found, "search", self.name)
        if isinstance(found, Refusal):
            return refused(self.name, found)
        if found.outcome != "found":
            return refused(self.name, self._failed(found), found.failed)
        results = rows_of(found.rows, Result, "search", self.name)
        if isinstance(results, Refusal):
            return refused(self.name, results)
        ignored = self._ignored(request)
        return answer(self.name, map(_row, results), request, ignored=ignored, failed=found.failed)

    def _wish(self, request: SearchRequest) -> Wish:
        region = region_of(request, self._location)
        country = _COUNTRIES.get(region.country, region.country)
        tongue = _LANGUAGES.get(region.tongue, region.tongue)
        span = "" if request.recency_days is None else _SPANS.get(span_name(request.recency_days), "")
        return Wish(request.type, site_query(request), request.limit, f"{country}-{tongue}" if country else "", span)

    def _ignored(self, request: SearchRequest) -> tuple[str, ...]:
        """Spans are a day, a week, a month or a year here; another one is widened to the next, which is said."""
        left = _CAN.ignored(request, self._location)
        days = request.recency_days
        if days is None or days in (1, 7, 31, 366):
            return left
        span = span_name(days)
        return (*left, f"recency_days (taken as a {span})" if span else "recency_days")

    async def _ask_child(self, wish: bytes) -> bytes | Refusal:
        command = [sys.executable, "-c", _START, *sys.path]
        process = await anyio.open_process(command, stderr=subprocess.DEVNULL, env=self._environment, start_new_session=True)
        try:
            return await self._talk(process, wish)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            return refuse("search", "failed", self.name, f"The process that runs ddgs broke off: {type(error).__name__}.")
        finally:
            with anyio.CancelScope(shield=True):
                if process.returncode is None:
                    process.kill()
                await process.wait()
                await process.aclose()

    async def _talk(self, process: anyio.abc.Process, wish: bytes) -> bytes | Refusal:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("both are pipes")
        await process.stdin.send(wish)
        await process.stdin.aclose()
        said = bytearray()
        while len(said) <= self._limits.max_bytes:
            try:
                said += await process.stdout.receive(_CHUNK_BYTES)
            except anyio.EndOfStream:
                break
        else:
            return refuse("search", "too_large", self.name, f"ddgs gave more than {self._limits.max_bytes:,} bytes.")
        status = await process.wait()
        if status or not said:
            return refuse("search", "failed", self.name, f"The process that runs ddgs ended with status {status}.")
        return bytes(said)

    def _late(self) -> Refusal:
        reason = f"ddgs did not answer within {self._limits.timeout_s:g} s."
        return Refusal(self.name, "network.timeout", reason, "try again later, or choose another provider")

    def _failed(self, found: Found) -> Refusal:
        if found.outcome == "timeout":
            return self._late()
        kinds: Mapping[Outcome, Kind] = {"rate_limited": "rate_limited", "provider_blocked": "provider_blocked"}
        engines = ", ".join(quoted(engine) for engine in found.failed)
        reason = f"The engines that ddgs asks turned it away ({engines})." if engines else f"ddgs says: {quoted(found.said)}."
        return refuse("search", kinds.get(found.outcome, "failed"), self.name, reason, detail={"engines": list(found.failed)})


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
