"""GitHub by its REST search (docs.github.com/rest/search): repositories, issues and pull requests.

The words of the question go to api.github.com. It takes ten searches a minute without a token, thirty with one.
"""

import re
from datetime import UTC, datetime, timedelta

import msgspec

from limen.builtin.web.answers.hits import Can, Row, answer, refused
from limen.builtin.web.calling.link import Ask, Reply
from limen.builtin.web.calling.provider import Setup, link_of, no_key
from limen.builtin.web.calling.refusing import Kind, refuse
from limen.builtin.web.calling.reply import decode, rows_of
from limen.builtin.web.domains.fields import fits_github, repository_in
from limen.builtin.web.domains.keywords import keywords
from limen.builtin.web.vendors import vendor_table
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import SearchAnswer, SearchRequest
from limen.kit.clock import Clock, wall_s

_CAN = Can(frozenset({"recency_days"}), max_hits=100)
_HEADERS = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"}
# The longest query that the search takes, without its qualifiers.
_MOST_CHARS = 256
_PULLS = re.compile(r"\b(?:pull requests?|prs?)\b", re.IGNORECASE)
_ISSUES = re.compile(
    r"\b(?:issues?|bugs?|crash(?:es|ed|ing)?|errors?|exceptions?|tracebacks?|regressions?|fail(?:s|ed|ing|ure)?|hangs?)\b|#\d+\b",
    re.IGNORECASE,
)
_PLACE = re.compile(r"https?://(?:www\.)?github\.com/([\w.-]+/[\w.-]+)\S*", re.IGNORECASE)
# Words that say where to look and not what for.
_BESIDE = frozenset(
    ["github", "github.com", "repo", "repos", "repository", "repositories", "issue", "issues", "pull", "request", "requests"]
)


class _Answer(msgspec.Struct, frozen=True):
    items: list[msgspec.Raw]
    incomplete_results: bool = False


class _Repository(msgspec.Struct, frozen=True):
    full_name: str
    html_url: str
    description: str | None = None
    language: str | None = None
    stars: int = msgspec.field(name="stargazers_count", default=0)
    pushed_at: str | None = None
    archived: bool = False


class _Issue(msgspec.Struct, frozen=True):
    title: str
    html_url: str
    state: str = ""
    body: str | None = None
    comments: int = 0
    updated_at: str | None = None


class GitHub:
    """The domain search `github`. Without a token it works too, for fewer searches."""

    name = "github"
    vendor = vendor_table()[name]

    def __init__(self, setup: Setup, now: Clock = wall_s) -> None:
        self._setup = setup
        self._now = now
        self._link = link_of(self.vendor, setup, _classify)

    def unavailable(self) -> Refusal | None:
        """It works without a token."""
        return no_key(self.vendor, self._setup)

    def fits(self, request: SearchRequest) -> float:
        """GitHub or a repository is named."""
        return fits_github(request)

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Issues or pull requests where the question asks for such, repositories otherwise."""
        ask = _CAN.refuse(request, self.name) or self._ask(request)
        if isinstance(ask, Refusal):
            return refused(self.name, ask)
        reply = await self._link.send(ask, "search", context)
        found = reply if isinstance(reply, Refusal) else decode(reply.body, _Answer, "search", self.name)
        if isinstance(found, Refusal):
            return refused(self.name, found)
        rows = self._rows(found, issues=ask.path.endswith("/issues"))
        if isinstance(rows, Refusal):
            return refused(self.name, rows)
        failed = (f"{self.name}: stopped before its end",) if found.incomplete_results else ()
        return answer(self.name, rows, request, ignored=_CAN.ignored(request, self._setup.location), failed=failed)

    def _ask(self, request: SearchRequest) -> Ask | Refusal:
        place = _PLACE.search(request.query)
        repository = place[1].removesuffix(".git") if place else repository_in(request.query)
        rest = _PLACE.sub(" ", request.query).replace(repository, " ") if repository else request.query
        kind = "pr" if _PULLS.search(rest) else "issue" if _ISSUES.search(rest) else ""
        words = " ".join(keywords(rest, _BESIDE)) if kind or not repository else ""
        if len(words) > _MOST_CHARS:
            reason = f"GitHub takes {_MOST_CHARS} characters of words; the question has {len(words):,}."
            return refuse("search", "request", self.name, reason)
        parts = [words, f"repo:{repository}" if repository else "", f"is:{kind}" if kind else ""]
        if not any(parts):
            return refuse("search", "request", self.name, "The question has no words.")
        if request.recency_days is not None:
            parts.append(f"{'updated' if kind else 'pushed'}:>={self._since(request.recency_days)}")
        query = " ".join(part for part in parts if part)
        path = "/search/issues" if kind else "/search/repositories"
        return Ask(path, {"q": query, "per_page": max(1, min(request.limit, _CAN.max_hits))}, headers=_HEADERS)

    def _since(self, days: int) -> str:
        return (datetime.fromtimestamp(self._now(), UTC) - timedelta(days=max(days, 0))).date().isoformat()

    def _rows(self, found: _Answer, *, issues: bool) -> list[Row] | Refusal:
        if issues:
            threads = rows_of(found.items, _Issue, "search", self.name)
            return threads if isinstance(threads, Refusal) else [_thread(one) for one in threads]
        repositories = rows_of(found.items, _Repository, "search", self.name)
        return repositories if isinstance(repositories, Refusal) else [_repository(one) for one in repositories]


def _repository(one: _Repository) -> Row:
    about = [f"{one.stars:,} stars", one.language or "", "archived" if one.archived else ""]
    return Row(one.html_url, one.full_name, _joined(one.description, about), one.pushed_at)


def _thread(one: _Issue) -> Row:
    return Row(one.html_url, one.title, _joined(one.body, [one.state, f"{one.comments} comments"]), one.updated_at)


def _joined(text: str | None, about: list[str]) -> str:
    facts = ", ".join(fact for fact in about if fact)
    said = (text or "").replace("\r", "").strip()  # threads are written with the line ends of a form
    return f"[{facts}] {said}" if said else f"[{facts}]"


def _classify(reply: Reply) -> Kind | None:
    """GitHub says 403 too to one that asks too often, with the time to wait beside it."""
    if reply.status == 403 and ("retry-after" in reply.headers or reply.headers.get("x-ratelimit-remaining") == "0"):
        return "rate_limited"
    return None
