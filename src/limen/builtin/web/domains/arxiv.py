"""ArXiv by its public Atom API (info.arxiv.org/help/api/user-manual), which asks for three seconds between two requests.

The words of the question go to export.arxiv.org. Thanks to arXiv for the use of its open access interoperability.
"""

import re

from anyio import to_thread

from limen.builtin.web.answers.dates import since
from limen.builtin.web.answers.hits import Can, Found, Row
from limen.builtin.web.calling.link import Ask
from limen.builtin.web.calling.pace import Pace
from limen.builtin.web.calling.provider import Setup, VendorSearch
from limen.builtin.web.calling.refusing import quoted, refuse
from limen.builtin.web.domains.fields import ARXIV_ID
from limen.builtin.web.domains.keywords import keywords
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.waiting import Stopped, interrupted
from limen.core.web import SearchRequest
from limen.kit.clock import Clock, wall_s
from limen.kit.plain_xml import BadXML, Element, parse_xml

_MOST_CHARS = 1_000
_INTERVAL_S = 3.0
_BESIDE = frozenset(
    ["arxiv", "arxiv.org", "paper", "papers", "preprint", "preprints", "research", "scientific", "academic", "recent", "latest"]
)
_OWN = re.compile(r"http://((?:www\.)?arxiv\.org/)")
_ERRORS = "arxiv.org/api/errors"


class Arxiv(VendorSearch):
    """The domain search `arxiv`: papers named by their identifiers, else those that hold all words of the question."""

    name = "arxiv"
    can = Can(frozenset({"recency_days"}))

    def __init__(self, setup: Setup, now: Clock = wall_s, interval_s: float = _INTERVAL_S) -> None:
        super().__init__(setup)
        self._now = now
        self._pace = Pace(interval_s)

    async def _find(self, request: SearchRequest, context: CallContext) -> Found | Refusal:
        """With their abstracts."""
        ask = self._ask(request)
        if isinstance(ask, Refusal):
            return ask
        stopped = await self._pace.turn(context, self._link.limits.timeout_s)
        if stopped is not None:
            return interrupted(self.name) if stopped is Stopped.INTERRUPTED else self._too_often()
        reply = await self._link.send(ask, "search", context)
        rows = reply if isinstance(reply, Refusal) else await to_thread.run_sync(self._papers, reply.body)
        return rows if isinstance(rows, Refusal) else Found(rows)

    def _ask(self, request: SearchRequest) -> Ask | Refusal:
        ids = list(dict.fromkeys(match[1] for match in ARXIV_ID.finditer(request.query)))
        words = [] if ids else keywords(request.query, _BESIDE)
        terms = " AND ".join(_term(word) for word in words)
        if not ids and (not terms or len(terms) > _MOST_CHARS):
            reason = "The question has no words." if not terms else f"The question is longer than {_MOST_CHARS:,} characters."
            return refuse("search", "request", self.name, reason)
        if request.recency_days is not None and not ids:
            terms = f"({terms}) AND {self._since(request.recency_days)}"
        query: dict[str, str | int] = {"id_list": ",".join(ids[: request.limit])} if ids else {"search_query": terms}
        query |= {"start": 0, "max_results": max(1, min(request.limit, self.can.max_hits))}
        return Ask("/api/query", query, headers={"accept": "application/atom+xml"})

    def _since(self, days: int) -> str:
        return f"submittedDate:[{since(days, self._now):%Y%m%d}0000 TO {since(0, self._now):%Y%m%d}2359]"

    def _papers(self, body: bytes) -> list[Row] | Refusal:
        try:
            feed = parse_xml(body)
        except BadXML as bad:
            return refuse("search", "malformed", self.name, f"arXiv answered with what is no feed: {quoted(str(bad))}.")
        if feed.name != "feed":
            return refuse(
                "search", "malformed", self.name, f"arXiv answered with <{quoted(feed.name)}> where a feed was expected."
            )
        entries = feed.all("entry")
        error = next((entry for entry in entries if _ERRORS in entry.child("id")), None)
        if error is not None:
            return refuse("search", "request", self.name, f"arXiv answered: {quoted(error.child('summary'))}.")
        return [_paper(entry) for entry in entries]

    def _too_often(self) -> Refusal:
        reason = "arXiv asks for three seconds between requests, and too many are waiting."
        return refuse("search", "rate_limited", self.name, reason)


def _term(word: str) -> str:
    """A word in the search's language; one with joints is a phrase, and none is an operator."""
    plain = word.replace('"', "").replace("\\", "")
    return f"all:{plain.lower()}" if plain.isalnum() else f'all:"{plain}"'


def _paper(entry: Element) -> Row:
    authors = [author.child("name") for author in entry.all("author")]
    by = ", ".join(authors[:4]) + (" et al." if len(authors) > 4 else "")
    text = " ".join(entry.child("summary").split())
    return Row(
        _OWN.sub(r"https://\1", entry.child("id")),
        " ".join(entry.child("title").split()),
        f"{by}. {text}" if by else text,
        entry.child("published") or None,
    )
