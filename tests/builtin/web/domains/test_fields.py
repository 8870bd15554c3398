"""Which questions a domain search is asked of itself: few, since each tells somebody the question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.builtin.web.domains.fields import (
    crate_wish,
    documentation_hosts_of,
    fits_arxiv,
    fits_cargo,
    fits_documentation,
    fits_github,
    fits_npm,
    fits_pip,
    fits_wikipedia,
    npm_wish,
    pip_name,
    repository_in,
    topic_of,
)
from limen.core.web import SearchRequest

KNOWN = ("docs.python.org", "numpy.org", "developer.mozilla.org", "readthedocs.io")
FIELDS = {
    "github": fits_github,
    "arxiv": fits_arxiv,
    "wikipedia": fits_wikipedia,
    "pip": fits_pip,
    "npm": fits_npm,
    "cargo": fits_cargo,
    "docs-sitemap": lambda request: fits_documentation(request, KNOWN),
}


def fitting(question, **options):
    request = SearchRequest(question, **options)
    return {name for name, fits in FIELDS.items() if fits(request) > 0}


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ("psf/requests", "github"),
        ("encode/httpx timeout regression", "github"),
        ("https://github.com/astral-sh/ruff", "github"),
        ("github actions cache", "github"),
        ("arxiv attention is all you need", "arxiv"),
        ("1706.03762", "arxiv"),
        ("hep-th/9901001v2", "arxiv"),
        ("recent papers on protein folding", "arxiv"),
        ("preprint about sleep", "arxiv"),
        ("Who is Ada Lovelace?", "wikipedia"),
        ("what is entropy", "wikipedia"),
        ("What’s photosynthesis?", "wikipedia"),
        ("Was ist Photosynthese?", "wikipedia"),
        ("Qu'est-ce que la photosynthèse ?", "wikipedia"),
        ("¿Qué es la fotosíntesis?", "wikipedia"),
        ("光合作用是什么？", "wikipedia"),
        ("光合成とは", "wikipedia"),
        ("wikipedia photosynthesis", "wikipedia"),
        ("pip install msgspec", "pip"),
        ("httpx on PyPI", "pip"),
        ("npm install @types/node", "npm"),
        ("npm package for date picking", "npm"),
        ("cargo add serde", "cargo"),
        ("rust crate for http", "cargo"),
        ("docs.python.org asyncio timeout", "docs-sitemap"),
        ("python docs asyncio timeout", "docs-sitemap"),
        ("sessions at requests.readthedocs.io", "docs-sitemap"),
    ],
)
def test_a_field_is_recognised(question, field):
    assert fitting(question) == {field}


@pytest.mark.parametrize(
    "question",
    [
        "", "   ", "best laptop 2026", "and/or", "TCP/IP stack bug", "client/server issue", "his/her license", "24/7 releases",
        "src/main.rs crash", "version 1234.56789", "toilet paper on sale", "divorce papers", "what is my ip address",
        "what is the latest python version", "what is this error", "what's up", "who are you", "what is the weather today",
        "what is foo_bar()", "how to install npm", "npm install fails with EACCES", "pip install error ssl", "why is pip slow",
        "python package for dates", "dog crate size", "manual.pdf", "doc.md", "readthedocs.io", "what is",
        "who is the person that I met yesterday at the big conference in the city",
    ],
)  # fmt: skip
def test_a_doubt_counts_as_no(question):
    assert fitting(question) == set()


def test_domain_lists_and_kinds_are_minded():
    assert fitting("entropy", allowed_domains=("en.wikipedia.org",)) == {"wikipedia"}
    assert fitting("who is Ada Lovelace", allowed_domains=("example.org",)) == set()
    assert fitting("who is Ada Lovelace", blocked_domains=("wikipedia.org",)) == set()
    assert fitting("who is Ada Lovelace", blocked_domains=("org",)) == set()
    assert fitting("timeout", allowed_domains=("docs.python.org", "example.org")) == {"docs-sitemap"}
    assert fitting("docs.python.org timeout", blocked_domains=("python.org",)) == set()
    assert fitting("who is Ada Lovelace", type="images") == set()
    assert fitting("who is Ada Lovelace", type="news") == set()
    assert fitting("pip install msgspec", allowed_domains=("example.org",)) == set()


def test_what_is_named_is_found():
    assert repository_in("see psf/requests.") == "psf/requests"
    assert repository_in("a/b and a--b/../c") == ""
    assert topic_of("who was Ada Lovelace?") == "Ada Lovelace"
    assert pip_name("how to pip install ruamel.yaml on linux") == "ruamel.yaml"
    assert npm_wish("npm i left-pad").text == "left-pad"
    assert not npm_wish("npm packages for parsing dates").exactly
    assert crate_wish("cargo install ripgrep").exactly
    assert documentation_hosts_of(SearchRequest("x", allowed_domains=("docs.a.test", "b.test", "sub.numpy.org")), KNOWN) == (
        "docs.a.test",
        "sub.numpy.org",
    )


@given(st.text(max_size=700), st.lists(st.text(max_size=30), max_size=3).map(tuple))
def test_no_question_breaks_it(question, domains):
    for fits in FIELDS.values():
        assert 0.0 <= fits(SearchRequest(question, allowed_domains=domains)) <= 1.0
    assert isinstance(fits_wikipedia(SearchRequest(question)), float)
