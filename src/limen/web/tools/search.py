"""The tool `web_search`: finds candidates in the library and the web."""

from typing import Annotated

import msgspec

from limen.core.context import CallContext
from limen.core.ledger import Origin, OriginKind, Trust
from limen.core.message import Text
from limen.core.tool import Part, ToolAnswer, ToolSpec
from limen.core.web import SearchAnswer, SearchRequest, published_search
from limen.web.search import MAX_HITS, Searcher

Domain = Annotated[str, msgspec.Meta(min_length=1, max_length=253)]


class SearchArguments(msgspec.Struct):
    """A search."""

    query: Annotated[str, msgspec.Meta(min_length=1)]
    limit: int = 5
    allowed_domains: tuple[Domain, ...] = ()
    blocked_domains: tuple[Domain, ...] = ()


class WebSearch:
    """The tool `web_search`."""

    spec = ToolSpec(
        name="web_search",
        toolset="web",
        description=f"Find candidates in the library and the web: title, url, snippet, ref. limit is 1 to {MAX_HITS}.",
        arguments=SearchArguments,
        effect="fetch",
        output="compact",
    )

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher

    async def run(self, arguments: SearchArguments, context: CallContext) -> ToolAnswer:
        """Hits as one JSON leaf, numbered for citing."""
        request = SearchRequest(arguments.query, arguments.limit, arguments.allowed_domains, arguments.blocked_domains)
        answer = await self._searcher.search(request, context)
        if answer.refusal is None and context.sources is not None:
            answer = await _numbered(answer, context)
        if answer.refusal is None:
            await context.progress(f"{len(answer.hits) or 'no'} {'hit' if len(answer.hits) == 1 else 'hits'}", len(answer.hits))
        text = msgspec.json.encode(published_search(answer)).decode()
        trust = Trust.WORKSPACE if all(hit.site == "library" for hit in answer.hits) else Trust.WEB
        kind: OriginKind = "tool" if answer.refusal is not None or trust is Trust.WORKSPACE else "web"
        origin = Origin(kind, f"search: {arguments.query}", trust, None, answer.treatment)
        return ToolAnswer((Part(Text(text), origin),), is_error=answer.refusal is not None, refusal=answer.refusal)


async def _numbered(answer: SearchAnswer, context: CallContext) -> SearchAnswer:
    if context.sources is None:
        return answer
    hits = []
    for hit in answer.hits:
        source = await context.sources.note(hit.url, hit.title, ref=hit.ref)
        hits.append(msgspec.structs.replace(hit, n=source.n))
    return msgspec.structs.replace(answer, hits=tuple(hits))
