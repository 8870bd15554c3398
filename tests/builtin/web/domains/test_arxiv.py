"""ArXiv's feeds: what is asked, what is read, what is turned away, and the distance it asks for."""

import pytest
from builtin.web.asking import query, search
from builtin.web.cases import made
from builtin.web.shapes import recorded

from limen.builtin.web.calling.pace import Pace
from limen.builtin.web.domains.arxiv import Arxiv
from limen.core.context import CallContext
from limen.core.waiting import Stopped
from limen.core.web import SearchRequest
from limen.testing.network import reply
from limen.testing.vendor_stage import staged

pytestmark = pytest.mark.anyio
MAKE = made(Arxiv, keyed=False)
ATOM = {"content-type": "application/atom+xml; charset=utf-8"}


async def test_papers_with_their_abstracts():
    answer, (request,) = await search(
        MAKE, reply(recorded("arxiv.xml"), headers=ATOM), "arXiv paper on multi-electron production"
    )
    asked = query(request)
    assert asked["search_query"] == 'all:"multi-electron" AND all:production'
    (hit,) = answer.hits
    assert hit.url == "https://arxiv.org/abs/hep-ex/0307015v1"
    assert hit.title == "Multi-Electron Production at High Transverse Momenta in ep Collisions at HERA"
    assert hit.snippet.startswith("H1 Collaboration. Multi-electron production is studied at high electron transverse")
    assert hit.published == "2003-07-07T13:46:39Z"


async def test_identifiers_are_looked_up():
    _, (request,) = await search(
        MAKE, reply(recorded("arxiv.xml"), headers=ATOM), "compare arXiv:1706.03762v5, hep-th/9901001 and 1706.03762v5"
    )
    assert query(request)["id_list"] == "1706.03762v5,hep-th/9901001"


async def test_operators_in_a_question_are_words():
    _, (request,) = await search(
        MAKE, reply(recorded("arxiv.xml"), headers=ATOM), 'ANDNOT cat:cs.AI "a\\b" OR (x', recency_days=30
    )
    asked = query(request)["search_query"]
    assert asked.startswith('(all:andnot AND all:"cat:cs.AI" AND all:ab AND all:x) AND submittedDate:[')


BOMB = '<!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><feed><entry><id>&b;</id></entry></feed>'
OUTSIDE = '<!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/passwd">]><feed><entry><title>&x;</title></entry></feed>'


@pytest.mark.parametrize(
    "body",
    [
        "", "plain", "<html><body>Sign in</body></html>", recorded("arxiv.xml")[:-20], BOMB, OUTSIDE, "<a>" * 5_000,
        "<feed>&undefined;</feed>",
        '<?xml version="1.0" encoding="no-such-coding"?><feed/>', "\ufffe<feed/>", "<feed>\x00</feed>",
    ],
    ids=lambda body: body[:24],
)  # fmt: skip
async def test_what_is_no_feed_is_no_empty_answer(body):
    answer, _ = await search(MAKE, reply(body, headers=ATOM))
    assert answer.refusal.code == "search.malformed"
    assert "root:" not in answer.refusal.reason


async def test_its_own_errors_are_told():
    body = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/api/errors#incorrect_id_format_for_1234</id>'
        "<title>Error</title><summary>incorrect id format for 1234</summary></entry></feed>"
    )
    answer, _ = await search(MAKE, reply(body, headers=ATOM))
    assert (answer.refusal.code, answer.hits) == ("search.request", ())
    assert "incorrect id format" in answer.refusal.reason


async def test_the_distance_between_requests_is_kept():
    now = 0.0
    pace = Pace(3.0, lambda: now)
    assert await pace.turn(CallContext(), 10.0) is None
    now = 3.0
    assert await pace.turn(CallContext(), 10.0) is None
    assert await pace.turn(CallContext(), 1.0) is Stopped.TIMEOUT
    assert await pace.turn(CallContext(cancelled=lambda: True), 10.0) is Stopped.INTERRUPTED
    now = 6.0
    assert await pace.turn(CallContext(), 0.5) is None, "a turn that was not taken is no turn"


async def test_too_many_at_once_are_told_to_wait():
    def make(client, url, timeout_s):
        return MAKE(client, url, 1.0)

    async with staged(make, reply(recorded("arxiv.xml"), headers=ATOM)) as stage:
        first = await stage.provider.search(SearchRequest("electrons"), CallContext())
        second = await stage.provider.search(SearchRequest("electrons"), CallContext())
    assert (first.refusal, second.refusal.code, len(stage.received)) == (None, "search.rate_limited", 1)
