"""Searches of the tool `web`: for pages by whoever is chosen, for pictures by who has any."""

from collections.abc import Sequence

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.web import SearchAnswer, SearchRequest, SearchSource
from limen.web.search import Searcher


class Queries:
    """Asks the searcher. `pictures` are the providers that search for pictures and can be used, in order."""

    def __init__(self, searcher: Searcher, pictures: Sequence[str]) -> None:
        self._searcher = searcher
        self._pictures = tuple(pictures)

    async def pages(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Hits with their words as they are."""
        return await self._searcher.search(request, context, fenced=False)

    async def pictures(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Pictures of the first provider that has some. Code: `web.no_provider` where none can be asked."""
        wish = msgspec.structs.replace(request, type="images")
        answer = SearchAnswer((), SearchSource(""), _NO_PICTURES)
        for name in self._pictures:
            answer = await self._searcher.search(msgspec.structs.replace(wish, provider=name), context, fenced=False)
            if answer.refusal is None:
                hits = tuple(hit for hit in answer.hits if hit.image_url)
                answer = msgspec.structs.replace(answer, hits=hits)
            if answer.hits or context.cancelled():
                break
        return answer


_NO_PICTURES = Refusal(
    "resolve",
    "web.no_provider",
    "No provider that searches for pictures can be used.",
    "limen config set web.searxng.api_url URL, or: pip install 'limen-agent[ddgs]'",
)
