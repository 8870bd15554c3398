"""Several libraries and the manual as one."""

import pytest

from limen.core.context import CallContext
from limen.core.web import Hit, SearchAnswer, SearchRequest, SearchSource
from limen.runtime import RuntimeOptions, open_runtime
from limen.web.library.libraries import Libraries

pytestmark = pytest.mark.anyio


class Manual:
    """Holds one page that fits as well as it is told."""

    def __init__(self, fit):
        self._fit = fit

    async def search(self, request):
        return SearchAnswer((Hit("page", "file:///m.md", "words", fit=self._fit),), SearchSource("library"))


async def ready():
    """The manual is there."""


@pytest.mark.parametrize(
    ("question", "fit", "hits"), [("install numpy", 0.59, 0), ("install numpy", 0.6, 1), ("does Limen install numpy", 0.1, 1)]
)
async def test_the_manual_answers_what_fits_it_or_names_limen(question, fit, hits):
    answer = await Libraries((), Manual(fit), ready).search(SearchRequest(question))
    assert (len(answer.hits), answer.refusal) == (hits, None)


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("how to install nginx", None),
        ("python list comprehension", None),
        ("pip install msgspec", None),
        ("how do I add a document", "library.md"),
    ],
)
async def test_the_shipped_manual_is_silent_on_what_only_shares_a_word_with_it(tmp_path, question, page):
    async with open_runtime(RuntimeOptions(home=tmp_path)) as runtime:
        answer = await runtime.web.search(SearchRequest(question, provider="library"), CallContext())
    assert [hit.url.rpartition("/")[2] for hit in answer.hits[:1]] == ([page] if page else [])
