"""GitHub by its REST search (docs.github.com/rest/search): repositories, issues and pull requests.

The words of the question go to api.github.com. It takes ten searches a minute without a token, thirty with one.
"""

import re

import msgspec

from limen.builtin.web.answers.dates import since
from limen.builtin.web.answers.hits import Can, Found, Row
from limen.builtin.web.calling.link import Ask, Reply
from limen.builtin.web.calling.provider import Setup, VendorSearch
from limen.builtin.web.calling.refusing import Kind, refuse
from limen.builtin.web.calling.reply import rows_of
from limen.builtin.web.domains.fields import repository_in
from limen.builtin.web.domains.keywords import keywords
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import SearchRequest
from limen.kit.clock import Clock, wall_s

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


class GitHub(VendorSearch):
    """The domain search `github`: issues or pull requests where the question asks for such, repositories otherwise.

    Without a token it works too, for fewer searches.
    """

    name = "github"
    can = Can(frozenset({"recency_days"}))

    def __init__(self, setup: Setup, now: Clock = wall_s) -> None:
        super().__init__(setup)
        self._now = now

    async def _find(self, request: SearchRequest, context: CallContext) -> Found | Refusal:
        ask = self._ask(request)
        found = ask if isinstance(ask, Refusal) else await self._link.ask(ask, _Answer, "search", context)
        if isinstance(found, Refusal):
            return found
        rows = self._read(found, issues=isinstance(ask, Ask) and ask.path.endswith("/issues"))
        failed = (f"{self.name}: stopped before its end",) if found.incomplete_results else ()
        return rows if isinstance(rows, Refusal) else Found(rows, failed)

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
            parts.append(f"{'updated' if kind else 'pushed'}:>={since(request.recency_days, self._now)}")
        query = " ".join(part for part in parts if part)
        path = "/search/issues" if kind else "/search/repositories"
        return Ask(path, {"q": query, "per_page": max(1, min(request.limit, self.can.max_hits))}, headers=_HEADERS)

    def _read(self, found: _Answer, *, issues: bool) -> list[Row] | Refusal:
        if issues:
            threads = rows_of(found.items, _Issue, "search", self.name)
            return threads if isinstance(threads, Refusal) else [_thread(one) for one in threads]
        repositories = rows_of(found.items, _Repository, "search", self.name)
        return repositories if isinstance(repositories, Refusal) else [_repository(one) for one in repositories]

    @staticmethod
    def _classify(reply: Reply) -> Kind | None:
        """GitHub says 403 too to one that asks too often, with the time to wait beside it."""
        if reply.status == 403 and ("retry-after" in reply.headers or reply.headers.get("x-ratelimit-remaining") == "0"):
            return "rate_limited"
        return None


def _repository(one: _Repository) -> Row:
    about = [f"{one.stars:,} stars", one.language or "", "archived" if one.archived else ""]
    return Row(one.html_url, one.full_name, _joined(one.description, about), one.pushed_at)


def _thread(one: _Issue) -> Row:
    return Row(one.html_url, one.title, _joined(one.body, [one.state, f"{one.comments} comments"]), one.updated_at)


def _joined(text: str | None, about: list[str]) -> str:
    facts = ", ".join(fact for fact in about if fact)
    said = (text or "").replace("\r", "").strip()  # threads are written with the line ends of a form
    return f"[{facts}] {said}" if said else f"[{facts}]"
