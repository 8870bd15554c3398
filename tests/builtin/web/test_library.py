"""The search provider over the private document index."""

import pytest

from limen.builtin.web.library import LibrarySearch
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ports import LibraryDocument
from limen.core.web import Hit, SearchAnswer, SearchRequest, SearchSource


class Shelf:
    """A `Library` with one answer."""

    def __init__(self, answer: SearchAnswer) -> None:
        self.asked: list[SearchRequest] = []
        self._answer = answer

    async def search(self, request: SearchRequest) -> SearchAnswer:
        self.asked.append(request)
        return self._answer

    async def open(self, ref: str) -> tuple[LibraryDocument, str]:
        raise NotImplementedError

    async def holds(self, origin: str) -> bool:
        return False


@pytest.mark.anyio
async def test_it_hands_the_question_on_and_names_itself() -> None:
    shelf = Shelf(SearchAnswer((Hit("Tasks", "file:///a.html", "cancel", ref="lib:1"),), SearchSource("elsewhere")))
    provider = LibrarySearch(shelf)
    request = SearchRequest("cancel a task", limit=3)
    answer = await provider.search(request, CallContext())
    assert shelf.asked == [request]
    assert answer.source.provider == provider.name == "library"
    assert [hit.ref for hit in answer.hits] == ["lib:1"]
    assert provider.unavailable() is None


@pytest.mark.anyio
async def test_an_empty_library_says_so_itself() -> None:
    refusal = Refusal("library", "library.empty", "no documents", "limen library add PATH")
    answer = await LibrarySearch(Shelf(SearchAnswer((), SearchSource("library"), refusal=refusal))).search(
        SearchRequest("anything"), CallContext()
    )
    assert answer.refusal == refusal


@pytest.mark.anyio
async def test_what_means_nothing_to_documents_is_said_and_pictures_are_refused() -> None:
    shelf = Shelf(SearchAnswer((), SearchSource("library")))
    wish = SearchRequest("tasks", limit=80, type="news", recency_days=3, region="br", context_size="high", live=True)
    answer = await LibrarySearch(shelf).search(wish, CallContext())
    assert answer.source.ignored == ("recency_days", "region", "context_size", "live", "type", "limit")
    pictures = await LibrarySearch(shelf).search(SearchRequest("tasks", type="images"), CallContext())
    assert pictures.refusal is not None
    assert (pictures.refusal.code, len(shelf.asked)) == ("search.unsupported", 1)
