"""GitHub's repositories, issues and pull requests, by words and by name."""

import pytest
from builtin.web.asking import path, query, said, search
from builtin.web.cases import made

from limen.builtin.web.domains.github import GitHub
from limen.testing.vendor_stage import json_reply

pytestmark = pytest.mark.anyio
MAKE = made(GitHub, keyed=False)


async def test_repositories_with_what_they_are():
    answer, (request,) = await search(MAKE, said("github_repositories.json"), "a tetris game on GitHub", limit=3)
    assert (path(request), query(request)) == ("/search/repositories", {"q": "tetris game", "per_page": "3"})
    assert request.headers["x-github-api-version"] == "2022-11-28"
    assert "authorization" not in request.headers
    (hit,) = answer.hits
    assert (hit.title, hit.url, hit.site) == ("dtrupenn/Tetris", "https://github.com/dtrupenn/Tetris", "github.com")
    assert hit.snippet == "[1,204 stars, Assembly, archived] A C implementation of Tetris using Pennsim through LC4"
    assert hit.published == "2012-01-01T00:37:02Z"


async def test_issues_where_a_fault_is_asked_for():
    answer, (request,) = await search(MAKE, said("github_issues.json"), "batterseapower/pinyin-toolkit index bug", recency_days=7)
    assert path(request) == "/search/issues"
    words, repository, kind, since = query(request)["q"].rsplit(" ", 3)
    assert (words, repository, kind) == ("index bug", "repo:batterseapower/pinyin-toolkit", "is:issue")
    assert since.startswith("updated:>=")
    (hit,) = answer.hits
    assert hit.snippet == "[open, 15 comments] The indexes beyond 20 are cut off."
    assert answer.source.engines_failed == ("github: stopped before its end",)


@pytest.mark.parametrize(
    ("question", "where", "asked"),
    [
        ("https://github.com/psf/requests/tree/main", "/search/repositories", "repo:psf/requests"),
        ("psf/requests", "/search/repositories", "repo:psf/requests"),
        ("latest release of astral-sh/ruff", "/search/repositories", "repo:astral-sh/ruff"),
        ("pull requests for http2 in encode/httpx", "/search/issues", "http2 repo:encode/httpx is:pr"),
        ("github", "/search/repositories", "github"),
    ],
)
async def test_what_is_asked_of_it(question, where, asked):
    _, (request,) = await search(MAKE, said("github_repositories.json"), question)
    assert (path(request), query(request)["q"]) == (where, asked)


async def test_a_question_without_words_or_with_too_many_is_not_sent():
    for question in ("?!", "word " * 60):
        answer, received = await search(MAKE, said("github_repositories.json"), question)
        assert (answer.refusal.code, received) == ("search.request", [])


@pytest.mark.parametrize("headers", [{"retry-after": "60"}, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "60"}])
async def test_too_many_searches_are_told_from_a_bad_token(headers):
    answer, _ = await search(MAKE, json_reply('{"message": "API rate limit exceeded"}', status=403, headers=headers))
    assert answer.refusal.code == "search.rate_limited"
    assert answer.refusal.detail["retry_after_s"] == 60.0
