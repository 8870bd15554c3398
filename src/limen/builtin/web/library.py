"""The search provider `library`: the private document index. Nothing leaves."""

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Library
from limen.core.web import SearchAnswer, SearchRequest, SearchSource

# The library gives no more sections for one question.
_MOST_HITS = 50


class LibrarySearch:
    """Searches the person's own documents; what it cannot do with a request is said in `source.ignored`."""

    name = "library"

    def __init__(self, library: Library) -> None:
        self._library = library

    def unavailable(self) -> Refusal | None:
        """It is always there; an empty library answers for itself."""
        return None

    async def search(self, request: SearchRequest, context: CallContext) -> SearchAnswer:
        """Sections of documents, best first."""
        if request.type == "images":
            refusal = Refusal(self.name, "search.unsupported", "The library finds no images.", "choose another provider for this")
            return SearchAnswer((), SearchSource(self.name), refusal)
        answer = await self._library.search(request)
        source = msgspec.structs.replace(answer.source, provider=self.name, ignored=_ignored(request))
        return msgspec.structs.replace(answer, source=source)


def _ignored(request: SearchRequest) -> tuple[str, ...]:
    """What was asked for and means nothing to documents of one's own."""
    asked = {
        "recency_days": request.recency_days is not None,
        "region": bool(request.region),
        "context_size": request.context_size is not None,
        "live": request.live,
        "type": request.type != "web",
        "limit": request.limit > _MOST_HITS,
    }
    return tuple(name for name, wanted in asked.items() if wanted)
