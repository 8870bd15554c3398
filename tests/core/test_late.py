"""Stand-ins for ports: made at the first call, once, and passed through since."""

import pytest

from limen.core.context import CallContext
from limen.core.exchange import ModelReply, ModelRequest, Usage
from limen.core.late import LateExtractProvider, LateReader, LateWire
from limen.core.message import Text
from limen.core.ports import Pulled
from limen.core.prompt import Prompt
from limen.core.route import Route
from limen.core.web import Extraction, Page

pytestmark = pytest.mark.anyio
ROUTE = Route("test", "embedded", "x")


class Made:
    """Counts how often it was made, and answers for all three ports."""

    def __init__(self):
        self.times = 0

    def __call__(self):
        self.times += 1
        return self

    async def read(self, data, *, url="", content_type=None, page_format="markdown"):
        return Page(url=url, text=data.decode(), media_type=content_type)

    async def send(self, request):
        yield ModelReply((Text("hello"),), "end", Usage(), request.route)

    async def extract(self, request, context):
        return [Pulled(url) for url in request.urls]


async def test_a_reader_is_made_at_the_first_document():
    made = Made()
    reader = LateReader(made)
    assert made.times == 0
    pages = [await reader.read(b"one", url="u", content_type="text/plain"), await reader.read(b"two")]
    assert [(page.url, page.text) for page in pages] == [("u", "one"), ("", "two")]
    assert made.times == 1


async def test_a_wire_is_made_at_the_first_request():
    made = Made()
    wire = LateWire(made)
    assert made.times == 0
    for _ in range(2):
        assert [reply.blocks async for reply in wire.send(ModelRequest(ROUTE, Prompt(), ()))] == [(Text("hello"),)]
    assert made.times == 1


async def test_a_provider_is_available_before_it_is_made():
    made = Made()
    provider = LateExtractProvider("local", made)
    assert (provider.name, provider.unavailable(), made.times) == ("local", None, 0)
    assert [one.requested for one in await provider.extract(Extraction(("a", "b")), CallContext())] == ["a", "b"]
    assert made.times == 1
