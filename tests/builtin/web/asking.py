"""One question to one provider, whose vendor answers as recorded."""

import json
from urllib.parse import parse_qs, urlsplit

from builtin.web.shapes import recorded

from limen.core.context import CallContext
from limen.core.web import Extraction, SearchRequest
from limen.testing.vendor_stage import PATIENT_S, json_reply, staged

NOW = CallContext()


def said(name_or_text):
    """A JSON answer: recorded under that name, or the text itself."""
    text = recorded(name_or_text) if name_or_text.endswith((".json", ".txt")) else name_or_text
    return json_reply(text)


async def search(make, answer, query="gates", *, timeout_s=PATIENT_S, **options):
    """The answer, and the requests that the vendor saw."""
    async with staged(make, answer, timeout_s=timeout_s) as stage:
        return await stage.provider.search(SearchRequest(query, **options), NOW), list(stage.received)


async def extract(make, answer, *urls, **options):
    """What became of each address, and the requests that the vendor saw."""
    async with staged(make, answer) as stage:
        pulled = await stage.provider.extract(Extraction(urls, **options), NOW)
    return {one.requested: one for one in pulled}, list(stage.received)


def body(request):
    return json.loads(request.body)


def query(request):
    return {name: values[0] for name, values in parse_qs(urlsplit(request.target).query).items()}


def path(request):
    return urlsplit(request.target).path
