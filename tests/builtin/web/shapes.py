"""How each vendor writes what it found: the shapes of the recorded answers, filled with other hits and pages."""

import json
from html import escape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

RECORDED = Path(__file__).parent / "recorded"


def recorded(name):
    return (RECORDED / name).read_text()


def filled(name, rows, *path):
    """A recorded answer with other rows at the place that `path` names."""
    shape = json.loads(recorded(name))
    place = shape
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = rows
    return json.dumps(shape)


def hit_rows(hits, text="content"):
    return [{"url": hit.url, "title": hit.title, text: hit.snippet} for hit in hits]


def excerpt_rows(hits, name="excerpts"):
    return [{"url": hit.url, "title": hit.title, name: [hit.snippet]} for hit in hits]


def body_urls(request):
    """The addresses that a JSON request names."""
    asked = json.loads(request.body)
    return asked["urls"] if "urls" in asked else [asked["url"]]


def query_url(request):
    return parse_qs(urlsplit(request.target).query)["url"]


def mcp_urls(request):
    return json.loads(request.body)["params"]["arguments"]["urls"]


def mcp(text, *, structured=None, is_error=False):
    """A tool's answer as a public MCP endpoint gives it."""
    result = {"content": [{"type": "text", "text": text}], "isError": is_error}
    if structured is not None:
        result["structuredContent"] = structured
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": result})


def exa_text(hits):
    blocks = [f"Title: {hit.title}\nURL: {hit.url}\nPublished: N/A\nAuthor: N/A\nHighlights:\n{hit.snippet}" for hit in hits]
    return "\n\n---\n\n".join(blocks) or "No search results found. Please try a different query."


def exa_page(given):
    if not given:
        return "No content found for the provided URL(s)."
    (one,) = given
    if one.error:
        return f"Error fetching {one.url}: {one.error}"
    return f"# {one.title}\nURL: {one.final_url or one.url}\nPublished: 2026-10-01\n\n{one.markdown}"


def wiki_pages(hits):
    if not hits:
        return json.dumps({"batchcomplete": True})
    pages = [
        {"pageid": n, "ns": 0, "title": hit.title, "index": n, "fullurl": hit.url, "extract": hit.snippet}
        for n, hit in enumerate(hits, 1)
    ]
    return filled("wikipedia.json", pages[::-1], "query", "pages")


def atom(hits):
    """A feed of arXiv with these papers."""
    entries = "".join(
        f"<entry><id>{escape(hit.url)}</id><title>{escape(hit.title)}</title><summary>{escape(hit.snippet)}</summary>"
        "<published>2017-06-12T17:57:34Z</published><author><name>A. Author</name></author></entry>"
        for hit in hits
    )
    head, _, rest = recorded("arxiv.xml").partition("<entry>")
    return head + entries + rest.rpartition("</entry>")[2]
