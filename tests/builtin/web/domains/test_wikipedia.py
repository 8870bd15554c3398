"""Wikipedia in the language of the question, and its errors under a success."""

import pytest
from builtin.web.asking import query, said, search
from builtin.web.cases import made

from limen.builtin.web.calling.link import Limits
from limen.builtin.web.calling.provider import Setup
from limen.builtin.web.domains.wikipedia import Wikipedia
from limen.core.context import CallContext
from limen.core.web import Location, SearchRequest

pytestmark = pytest.mark.anyio
MAKE = made(Wikipedia, keyed=False)


async def test_articles_with_their_beginnings():
    answer, (request,) = await search(MAKE, said("wikipedia.json"), "Who was Ada Lovelace?", limit=50)
    asked = query(request)
    assert (asked["gsrsearch"], asked["gsrlimit"], asked["exlimit"]) == ("Ada Lovelace", "20", "20")
    (hit,) = answer.hits
    assert (hit.title, hit.url) == ("Ada Lovelace", "https://en.wikipedia.org/wiki/Ada_Lovelace")
    assert hit.snippet.startswith("Augusta Ada King")
    assert answer.source.ignored == ("limit",)


async def test_an_error_under_a_success_is_no_empty_answer():
    body = '{"error": {"code": "ratelimited", "info": "You have exceeded your rate limit.", "docref": "x"}}'
    answer, _ = await search(MAKE, said(body))
    assert answer.refusal is not None
    assert answer.refusal.code in ("search.rate_limited", "search.failed")
    answer, _ = await search(MAKE, said('{"warnings": {}}'))
    assert answer.refusal.code == "search.malformed"


class Asked(Exception):
    def __init__(self, host):
        super().__init__(host)


@pytest.mark.parametrize(
    ("question", "options", "host"),
    [
        ("Who was Ada Lovelace?", {}, "en.wikipedia.org"),
        ("Wer war Ada Lovelace?", {}, "de.wikipedia.org"),
        ("Qui est Marie Curie ?", {}, "fr.wikipedia.org"),
        ("¿quién es", {"region": "mx"}, "es.wikipedia.org"),
        ("微分とは", {}, "ja.wikipedia.org"),
        ("爱因斯坦是谁", {}, "zh.wikipedia.org"),
        ("Что такое энтропия", {}, "ru.wikipedia.org"),
        ("entropy", {"region": "br-pt"}, "pt.wikipedia.org"),
        ("entropy", {"allowed_domains": ("sv.wikipedia.org",)}, "sv.wikipedia.org"),
        ("entropy", {"allowed_domains": ("www.wikipedia.org", "evil.test")}, "en.wikipedia.org"),
        ("entropy", {"allowed_domains": ("x.evil.test/.wikipedia.org",)}, "en.wikipedia.org"),
    ],
)
async def test_the_question_goes_to_the_wikipedia_of_its_language_alone(question, options, host):
    class Client:
        def build_request(self, method, url, **more):
            raise Asked(url.split("/")[2])

    provider = Wikipedia(Setup(lambda: Client(), location=Location(), limits=Limits(timeout_s=5)))
    with pytest.raises(Asked, match=f"^{host}$"):
        await provider.search(SearchRequest(question, **options), CallContext())


async def test_a_long_question_is_not_sent():
    answer, received = await search(MAKE, said("wikipedia.json"), "word " * 100)
    assert (answer.refusal.code, received) == ("search.request", [])
