"""Bing's result pages, read as a person sees them. A best effort, off unless chosen: a page that is none of results is an error.

Three things look alike from afar and are kept apart: no results, a page that asks whether we are human, a layout not known here.
"""

import base64
import binascii
import re
from urllib.parse import parse_qs, urlsplit

from anyio import to_thread
from turbohtml import Document, Element, parse

from limen.builtin.web.answers.hits import Can, Found, Row, openable
from limen.builtin.web.calling.link import Ask, Reply
from limen.builtin.web.calling.provider import VendorSearch
from limen.builtin.web.calling.refusing import Kind, refuse
from limen.builtin.web.calling.region import region_of
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import SearchRequest

_ACCEPT = {"accept": "text/html,application/xhtml+xml", "accept-language": "en;q=0.5"}
_BLOCKED = re.compile(
    r"/turing/captcha|cf-turnstile|challenges\.cloudflare\.com|b_captcha|g-recaptcha|unusual traffic|verify you are (?:a )?human|"
    r"bnp_container[^>]*consent",
    re.IGNORECASE,
)
# Where a block page shows what it is; a page of results is longer and may quote such words.
_LOOK_CHARS = 200_000
_WRAPPED = re.compile(r"a[0-9]")
_OWN = "bing.com"
_CAPTIONS = (".b_caption p", "p.b_algoSlug", "p[class*=b_lineclamp]", "p")


class BingHtml(VendorSearch):
    """The provider `bing-html`, of the first page of results. It has no keys; whether it is allowed is a setting."""

    name = "bing-html"
    can = Can(frozenset({"allowed_domains", "blocked_domains", "region", "location"}), max_hits=10, operators=True)

    async def _find(self, request: SearchRequest, context: CallContext) -> Found | Refusal:
        reply = await self._link.send(self._ask(request), "search", context)
        rows = reply if isinstance(reply, Refusal) else await to_thread.run_sync(self._read, reply.body)
        return rows if isinstance(rows, Refusal) else Found(rows)

    def _ask(self, request: SearchRequest) -> Ask:
        query: dict[str, str | int] = {"q": self.can.query(request), "count": self.can.max_hits}
        region = region_of(request, self._setup.location)
        if region.country:
            query |= {"cc": region.country, "setlang": region.tongue, "mkt": f"{region.tongue}-{region.country.upper()}"}
        return Ask("/search", query, headers=_ACCEPT)

    def _read(self, body: bytes) -> list[Row] | Refusal:
        page = parse(body)
        blocks = page.select("li.b_algo")
        rows = [row for block in blocks if (row := _row(block)) is not None]
        if rows:
            return rows
        if not blocks and _is_blocked(body):
            return refuse("search", "provider_blocked", self.name, "Bing asks whether a person is searching.")
        if not blocks and _says_nothing_found(page):
            return []
        return refuse("search", "layout_changed", self.name, "Bing's page holds no results where they used to stand.")

    @staticmethod
    def _classify(reply: Reply) -> Kind | None:
        """Whoever is turned away is turned away as a program."""
        return "provider_blocked" if reply.status in (202, 401, 403, 429, 503) else None


def _is_blocked(body: bytes) -> bool:
    return bool(_BLOCKED.search(body[:_LOOK_CHARS].decode("utf-8", "replace")))


def _says_nothing_found(page: Document) -> bool:
    return bool(page.select("#b_results .b_no, li.b_no"))


def _row(block: Element) -> Row | None:
    """The first heading's link and the caption's text; None for what leads nowhere, such as an advertisement."""
    link = block.select_one("h2 a[href]")
    if link is None:
        return None
    url = _target(str(link.attrs.get("href") or ""))
    text = next((found.text for place in _CAPTIONS if (found := block.select_one(place)) is not None and found.text.strip()), "")
    return None if url is None else Row(url, link.text, text)


def _target(href: str) -> str | None:
    """Where a link leads: `/ck/a` wraps the address, in base64 behind two characters, in its parameter `u`."""
    try:
        parts = urlsplit(href)
        if not f".{parts.hostname or _OWN}".endswith(f".{_OWN}") or not parts.path.startswith(("/ck/a", "/aclick")):
            return href if openable(href) else None
        wrapped = parse_qs(parts.query).get("u", [""])[0]
        if not parts.path.startswith("/ck/a") or not _WRAPPED.match(wrapped):
            return None
        code = wrapped[2:]
        url = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)).decode()
    except (ValueError, binascii.Error):
        return None
    return url if openable(url) else None
