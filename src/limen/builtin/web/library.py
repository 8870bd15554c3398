"""The search provider `library`: the private document index. Nothing leaves."""

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import Library
from limen.core.web import SearchAnswer, SearchRequest


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
        answer = await self._library.search(request)
        source = msgspec.structs.replace(answer.source, provider=self.name)
        return msgspec.structs.replace(answer, source=source)
