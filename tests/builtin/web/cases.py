"""Every provider on the stage of the contract suites."""

import json

from builtin.web.shapes import (
    atom,
    body_urls,
    exa_page,
    exa_text,
    excerpt_rows,
    filled,
    hit_rows,
    mcp,
    mcp_urls,
    query_url,
    wiki_pages,
)

from limen.builtin.web.calling.key import VendorKey
from limen.builtin.web.calling.link import Limits
from limen.builtin.web.calling.provider import Setup
from limen.builtin.web.domains.arxiv import Arxiv
from limen.builtin.web.domains.github import GitHub
from limen.builtin.web.domains.wikipedia import Wikipedia
from limen.builtin.web.engines.bing_html import BingHtml
from limen.builtin.web.engines.brave import Brave, BraveFree
from limen.builtin.web.engines.exa import Exa
from limen.builtin.web.engines.firecrawl import Firecrawl
from limen.builtin.web.engines.hosted import AnthropicHosted, OpenAIHosted, XaiSearch
from limen.builtin.web.engines.keenable import Keenable
from limen.builtin.web.engines.parallel import Parallel
from limen.builtin.web.engines.searxng import Searxng
from limen.builtin.web.engines.tavily import Tavily
from limen.reading.document import read
from limen.testing.extract_contract import StagedExtract
from limen.testing.search_contract import StagedSearch

SECRET = "key-" + "4f1d9c72b8e05a63"
DOMAINS = frozenset({"allowed_domains", "blocked_domains"})
NEVER_MODELS = "a-model"


class InlineReader:
    async def read(self, data, *, url="", content_type=None, page_format="markdown"):
        return read(data, url, content_type, page_format)


def setup_of(client, url, timeout_s, *, keyed=True, **more):
    key = VendorKey(SECRET, endpoints=(url,)) if keyed else None
    return Setup(client, key, base_url=url, limits=Limits(timeout_s=timeout_s), **more)


def made(provider, *, keyed=True, reads=False):
    def make(client, url, timeout_s):
        setup = setup_of(client, url, timeout_s, keyed=keyed)
        return provider(setup, InlineReader()) if reads else provider(setup)

    return make


def public(provider):
    def make(client, url, timeout_s):
        return provider(Setup(client, limits=Limits(timeout_s=timeout_s)), InlineReader(), public_url=f"{url}/mcp")

    return make


def modelled(provider):
    return lambda client, url, timeout_s: provider(setup_of(client, url, timeout_s), NEVER_MODELS)


def firecrawl_hits(hits):
    rows = hit_rows(hits, "description")
    return json.dumps({"success": True, "data": {"web": rows, "news": rows}})


def brave_hits(hits, kind="web"):
    rows = hit_rows(hits, "description")
    return json.dumps({"type": "search", "query": {}, **({"web": {"results": rows}} if rows else {}), "results": rows})


def cited(hits):
    """A Responses answer that cites each hit on a line of its own."""
    text, notes = "", []
    for hit in hits:
        text += f"- {hit.snippet} "
        notes.append(
            {"type": "url_citation", "start_index": len(text), "end_index": len(text) + 3, "url": hit.url, "title": hit.title}
        )
        text += "[1]\n"
    message = {"type": "message", "content": [{"type": "output_text", "text": text, "annotations": notes}]}
    search = {"type": "web_search_call", "status": "completed", "action": {"type": "search"}}
    return json.dumps({"output": [search, message], "usage": {"input_tokens": 10, "output_tokens": 5}})


def searched(hits):
    results = [{"type": "web_search_result", "url": hit.url, "title": hit.title} for hit in hits]
    notes = [{"type": "web_search_result_location", "url": hit.url, "cited_text": hit.snippet} for hit in hits]
    blocks = [{"type": "web_search_tool_result", "content": results}, {"type": "text", "text": "x", "citations": notes}]
    return json.dumps({"content": blocks, "usage": {"input_tokens": 10, "server_tool_use": {"web_search_requests": 1}}})


def bing_page(hits):
    blocks = "".join(
        f'<li class="b_algo"><h2><a href="{hit.url}">{hit.title}</a></h2><div class="b_caption"><p>{hit.snippet}</p></div></li>'
        for hit in hits
    )
    nothing = '<li class="b_no"><h1>There are no results for this</h1></li>'
    return f'<html><body><ol id="b_results">{blocks or nothing}</ol></body></html>'


def github_repositories(hits):
    rows = [{"full_name": hit.title, "html_url": hit.url, "description": hit.snippet} for hit in hits]
    return filled("github_repositories.json", rows, "items")


BING_CODES = dict.fromkeys((401, 403, 429, 503), "search.provider_blocked")
FULL = DOMAINS | {"recency_days", "region", "context_size", "live", "type"}

SEARCHES = {
    "tavily": StagedSearch(
        make=made(Tavily, reads=True),
        found=lambda hits: filled("tavily_search.json", hit_rows(hits), "results"),
        key=SECRET,
        does=FULL - {"live", "region"},  # news has no region there
    ),
    "exa": StagedSearch(
        make=made(Exa, reads=True),
        found=lambda hits: filled("exa_search.json", excerpt_rows(hits, "highlights"), "results"),
        key=SECRET,
        does=FULL,
    ),
    "exa keyless": StagedSearch(make=public(Exa), found=lambda hits: mcp(exa_text(hits))),
    "parallel": StagedSearch(
        make=made(Parallel, reads=True),
        found=lambda hits: filled("parallel_search.json", excerpt_rows(hits), "results"),
        key=SECRET,
        does=FULL - {"type"},
    ),
    "parallel keyless": StagedSearch(
        make=public(Parallel), found=lambda hits: mcp(filled("parallel_search.json", excerpt_rows(hits), "results"))
    ),
    "keenable": StagedSearch(
        make=made(Keenable, reads=True),
        found=lambda hits: filled("keenable_search.json", hit_rows(hits, "snippet"), "results"),
        key=SECRET,
        does=frozenset({"allowed_domains", "recency_days", "context_size"}),
    ),
    "keenable keyless": StagedSearch(
        make=made(Keenable, keyed=False, reads=True),
        found=lambda hits: filled("keenable_search.json", hit_rows(hits, "snippet"), "results"),
        does=frozenset({"allowed_domains", "recency_days", "context_size"}),
    ),
    "firecrawl": StagedSearch(make=made(Firecrawl, reads=True), found=firecrawl_hits, key=SECRET, does=FULL - {"live"}),
    "firecrawl keyless": StagedSearch(make=made(Firecrawl, keyed=False, reads=True), found=firecrawl_hits, does=FULL - {"live"}),
    "brave": StagedSearch(make=made(Brave), found=brave_hits, key=SECRET, does=FULL - {"live"}),
    "brave-free": StagedSearch(
        make=made(BraveFree),
        found=brave_hits,
        key=SECRET,
        does=DOMAINS | {"recency_days", "region"},
    ),
    "searxng": StagedSearch(
        make=made(Searxng, keyed=False),
        found=lambda hits: json.dumps({"results": hit_rows(hits), "unresponsive_engines": []}),
        does=DOMAINS | {"recency_days", "region", "type"},
        codes={403: "search.json_disabled"},
    ),
    "openai-hosted": StagedSearch(
        make=modelled(OpenAIHosted),
        found=cited,
        key=SECRET,
        does=DOMAINS | {"region", "context_size", "live"},
    ),
    "xai": StagedSearch(make=modelled(XaiSearch), found=cited, key=SECRET, does=DOMAINS),
    "anthropic-hosted": StagedSearch(make=modelled(AnthropicHosted), found=searched, key=SECRET, does=DOMAINS | {"region"}),
    "bing-html": StagedSearch(
        make=made(BingHtml, keyed=False), found=bing_page, does=DOMAINS | {"region"}, codes=BING_CODES, json=False
    ),
    "github": StagedSearch(make=made(GitHub), found=github_repositories, key=SECRET, does=frozenset({"recency_days"})),
    "github keyless": StagedSearch(make=made(GitHub, keyed=False), found=github_repositories, does=frozenset({"recency_days"})),
    "wikipedia": StagedSearch(make=made(Wikipedia, keyed=False), found=wiki_pages, does=frozenset({"region", "context_size"})),
    "arxiv": StagedSearch(make=made(Arxiv, keyed=False), found=atom, does=frozenset({"recency_days"}), json=False),
}

# A model that finds nothing is no proof that there is nothing: what it names no page for is refused.
UNGROUNDED = {"openai-hosted", "xai", "anthropic-hosted"}


def tavily_pages(given):
    pages = [{"url": one.url, "title": one.title, "raw_content": one.markdown} for one in given if not one.error]
    failed = [{"url": one.url, "error": one.error} for one in given if one.error]
    return json.dumps({"results": pages, "failed_results": failed})


def exa_pages(given):
    pages = [
        {"id": one.url, "url": one.final_url or one.url, "title": one.title, "text": one.markdown}
        for one in given
        if not (one.error or one.status)
    ]
    failed = [
        {"id": one.url, "status": "error", "error": {"tag": one.error or "CRAWL_FAILED", "httpStatusCode": one.status}}
        for one in given
        if one.error or one.status
    ]
    return json.dumps({"results": pages, "statuses": failed})


def parallel_pages(given):
    pages = [{"url": one.url, "title": one.title, "full_content": one.markdown, "excerpts": []} for one in given if not one.error]
    failed = [{"url": one.url, "error_type": one.error} for one in given if one.error]
    return json.dumps({"results": pages, "errors": failed})


def keenable_page(given):
    if not given or given[0].error:
        return json.dumps({"error": given[0].error if given else "nothing"})
    return json.dumps({"url": given[0].final_url or given[0].url, "title": given[0].title, "content": given[0].markdown})


def firecrawl_page(given):
    if not given or given[0].error:
        return json.dumps({"success": False, "error": given[0].error if given else "nothing"})
    (one,) = given
    about = {"title": one.title, "sourceURL": one.url, "url": one.final_url or one.url, "statusCode": one.status or 200}
    return json.dumps({"success": True, "data": {"markdown": one.markdown or None, "html": one.html or None, "metadata": about}})


EXTRACTS = {
    "tavily": StagedExtract(
        make=made(Tavily, reads=True), asked=body_urls, pages=tavily_pages, batch=True, key=SECRET, tells_final_url=False
    ),
    "exa": StagedExtract(make=made(Exa, reads=True), asked=body_urls, pages=exa_pages, batch=True, key=SECRET, tells_status=True),
    "exa keyless": StagedExtract(make=public(Exa), asked=mcp_urls, pages=lambda given: mcp(exa_page(given))),
    "parallel": StagedExtract(
        make=made(Parallel, reads=True), asked=body_urls, pages=parallel_pages, batch=True, key=SECRET, tells_final_url=False
    ),
    "parallel keyless": StagedExtract(
        make=public(Parallel), asked=mcp_urls, pages=lambda given: mcp(parallel_pages(given)), tells_final_url=False
    ),
    "keenable": StagedExtract(make=made(Keenable, reads=True), asked=query_url, pages=keenable_page, key=SECRET),
    "keenable keyless": StagedExtract(make=made(Keenable, keyed=False, reads=True), asked=query_url, pages=keenable_page),
    "firecrawl": StagedExtract(
        make=made(Firecrawl, reads=True),
        asked=body_urls,
        pages=firecrawl_page,
        key=SECRET,
        tells_html=True,
        tells_status=True,
    ),
    "firecrawl keyless": StagedExtract(
        make=made(Firecrawl, keyed=False, reads=True), asked=body_urls, pages=firecrawl_page, tells_html=True, tells_status=True
    ),
}
