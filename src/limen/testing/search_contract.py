"""What every search provider must do, as checks that a plug-in's author runs over a provider of their own.

A check takes a `StagedSearch` and raises AssertionError. With pytest: parametrize a test over `SEARCH_CHECKS` and await each.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import anyio
import anyio.abc
import msgspec

from limen.core.context import CallContext
from limen.core.ports import SearchProvider
from limen.core.web import Hit, SearchAnswer, SearchRequest
from limen.testing.network import Answer, Received, redirect, reply, serve
from limen.testing.vendor_stage import IMPATIENT_S, PATIENT_S, Make, Thinking, all_logged, faults, json_reply, staged

_QUERY = SearchRequest("what is a gate", limit=3)
_HITS = tuple(
    Hit(f"Gate {name}", f"https://{name}.test/gates?n={number}", f"A gate refuses or passes on, says {name}.")
    for number, name in enumerate(("alder", "birch", "cedar", "dogwood", "elm"))
)
_EVERYTHING = SearchRequest(
    "gates", allowed_domains=("alder.test",), recency_days=7, type="news", region="de", context_size="medium", live=True
)
_BLOCKING = SearchRequest("gates", blocked_domains=("alder.test",))
_NAMES = {"allowed_domains", "recency_days", "type", "region", "context_size", "live"}


class StagedSearch(msgspec.Struct, frozen=True, kw_only=True):
    """A provider and its vendor's side.

    `found` is the body of the vendor's answer with these hits, in JSON unless `json` is False. `key` is the secret that the
    provider was made with. `does` names the options of a request that it honours. `codes` are its own meanings of a status.
    """

    make: Make[SearchProvider]
    found: Callable[[Sequence[Hit]], str | bytes]
    key: str = ""
    does: frozenset[str] = frozenset()
    codes: Mapping[int, str] = {}
    json: bool = True

    def answer(self, hits: Sequence[Hit]) -> bytes:
        """The vendor's whole answer with these hits."""
        body = self.found(hits)
        return json_reply(body) if self.json else reply(body)


SearchCheck = Callable[[StagedSearch], Awaitable[None]]


async def _ask(
    case: StagedSearch,
    answer: Answer,
    request: SearchRequest = _QUERY,
    context: CallContext | None = None,
    *,
    hasty: bool = False,
) -> tuple[SearchAnswer, Sequence[Received]]:
    async with staged(case.make, answer, timeout_s=IMPATIENT_S if hasty else PATIENT_S) as stage:
        return await stage.provider.search(request, context or CallContext()), stage.received


async def hits_keep_their_order(case: StagedSearch) -> None:
    """The first `limit` hits, numbered from 1, each with address, title and snippet, under the provider's name."""
    answer, _ = await _ask(case, case.answer(_HITS))
    assert answer.refusal is None, answer.refusal
    assert [hit.url for hit in answer.hits] == [hit.url for hit in _HITS[:3]]
    assert [hit.position for hit in answer.hits] == [1, 2, 3]
    assert [hit.title for hit in answer.hits] == [hit.title for hit in _HITS[:3]]
    assert all(given.snippet in hit.snippet for hit, given in zip(answer.hits, _HITS, strict=False))
    assert all(hit.ref == hit.url for hit in answer.hits)
    assert answer.source.provider


async def nothing_found_is_no_failure(case: StagedSearch) -> None:
    """No hits and no refusal."""
    answer, _ = await _ask(case, case.answer(()))
    assert answer.refusal is None, answer.refusal
    assert answer.hits == ()


async def what_cannot_be_opened_is_no_hit(case: StagedSearch) -> None:
    """Addresses of other kinds, and the same address again, cost themselves alone."""
    bad = [
        Hit("x", url, "x") for url in ("javascript:alert(1)", "ftp://x.test/", "https://x.test/a b", "//x.test", "https://", "")
    ]
    answer, _ = await _ask(case, case.answer([*bad, _HITS[0], _HITS[0], _HITS[1]]))
    assert answer.refusal is None, answer.refusal
    assert [hit.url for hit in answer.hits] == [_HITS[0].url, _HITS[1].url]
    assert [hit.position for hit in answer.hits] == [1, 2]


async def snippets_are_capped(case: StagedSearch) -> None:
    """`max_chars` holds for each snippet, whatever the vendor sends."""
    long = Hit("long", "https://long.test/", "word " * 5_000)
    answer, _ = await _ask(case, case.answer([long]), msgspec.structs.replace(_QUERY, max_chars=100))
    assert [len(hit.snippet) <= 100 for hit in answer.hits] == [True]
    answer, _ = await _ask(case, case.answer([long]), msgspec.structs.replace(_QUERY, context_size="high"))
    assert all(len(hit.snippet) <= 10_000 for hit in answer.hits)


async def what_is_ignored_is_said(case: StagedSearch) -> None:
    """Every option of a request is honoured or named in `source.ignored`; none is both."""
    answer, _ = await _ask(case, case.answer(_HITS), _EVERYTHING)
    assert answer.refusal is None, answer.refusal
    assert set(answer.source.ignored) == _NAMES - case.does
    answer, _ = await _ask(case, case.answer(_HITS), _BLOCKING)
    assert set(answer.source.ignored) == {"blocked_domains"} - case.does
    answer, _ = await _ask(case, case.answer(_HITS))
    assert answer.source.ignored == ()


async def every_fault_has_its_code(case: StagedSearch) -> None:
    """Whatever goes wrong is a refusal with its code and a way out, and never "nothing found"."""
    for fault in faults("search", case.codes, json=case.json):
        answer, _ = await _ask(case, fault.answer, hasty=fault.impatient)
        assert answer.refusal is not None, fault.name
        assert answer.refusal.code in fault.codes, f"{fault.name}: {answer.refusal}"
        assert answer.refusal.mend, fault.name
        assert answer.hits == (), fault.name


async def a_wait_is_told(case: StagedSearch) -> None:
    """`Retry-After` reaches whoever decides when to ask again, in seconds."""
    limited = json_reply("{}", status=429, headers={"retry-after": "45"})
    answer, _ = await _ask(case, limited)
    assert answer.refusal is not None
    if answer.refusal.code == "search.rate_limited":
        assert answer.refusal.detail.get("retry_after_s") == 45.0


async def any_query_is_sent_or_refused(case: StagedSearch) -> None:
    """Whatever a query holds, it reaches the vendor whole or is refused; it never breaks the provider."""
    for query in ("日本語 ä é", 'a "quoted" \\ & ? # % + =', "line\nline\x00", "x" * 2_000, "half a pair \udc80"):
        answer, received = await _ask(case, case.answer(_HITS), msgspec.structs.replace(_QUERY, query=query))
        assert (answer.refusal is None) == bool(received), query


async def an_interrupt_ends_it(case: StagedSearch) -> None:
    """A call that was given up ends with `web.interrupted`, before anything was sent and while the vendor thinks."""
    answer, received = await _ask(case, case.answer(_HITS), context=CallContext(cancelled=lambda: True))
    assert answer.refusal is not None
    assert (answer.refusal.code, len(received)) == ("web.interrupted", 0)
    thinking = Thinking()
    answer, _ = await _ask(case, thinking, context=CallContext(cancelled=thinking.asked.is_set))
    assert answer.refusal is not None
    assert answer.refusal.code == "web.interrupted"


async def a_deadline_of_the_call_holds(case: StagedSearch) -> None:
    """The call's deadline ends the wait although the provider would wait longer."""
    answer, _ = await _ask(case, Thinking(), context=CallContext(deadline=anyio.current_time() + IMPATIENT_S))
    assert answer.refusal is not None
    assert answer.refusal.code == "network.timeout"


async def a_redirect_is_not_followed(case: StagedSearch) -> None:
    """Nothing is sent where the vendor points, least of all the key."""
    async with serve({"*": case.answer(_HITS)}) as elsewhere:
        for status in (301, 302, 307, 308):
            answer, received = await _ask(case, redirect(elsewhere.url("/search"), status=status))
            assert answer.refusal is not None
            assert answer.refusal.code == case.codes.get(status, "search.redirected")
            assert len(received) == 1
        assert elsewhere.received == []


async def the_key_shows_nowhere(case: StagedSearch) -> None:
    """The key is in one header of the request and in nothing that comes of it, though the vendor echoes it."""
    if not case.key:
        return
    _, received = await _ask(case, case.answer(_HITS))
    assert [sum(case.key in value for value in request.headers.values()) for request in received] == [1]
    assert all(case.key not in request.target and case.key.encode() not in request.body for request in received)
    echoes: tuple[Any, ...] = ({"error": {"message": f"bad key {case.key}"}}, {"detail": f"{case.key} is spent"})
    for status in (200, 401, 403, 429, 500):
        for echo in echoes:
            with all_logged() as lines:
                answer, _ = await _ask(case, json_reply(msgspec.json.encode(echo), status=status))
            assert case.key not in repr(answer)
            assert case.key not in repr(answer.refusal and answer.refusal.published())
            assert not any(case.key in line for line in lines)


async def availability_costs_nothing(case: StagedSearch) -> None:
    """Whether it can be used is known without asking the vendor."""
    async with staged(case.make, case.answer(_HITS)) as stage:
        assert stage.provider.unavailable() is None
        assert not stage.received


SEARCH_CHECKS: tuple[SearchCheck, ...] = (
    hits_keep_their_order,
    nothing_found_is_no_failure,
    what_cannot_be_opened_is_no_hit,
    snippets_are_capped,
    what_is_ignored_is_said,
    every_fault_has_its_code,
    a_wait_is_told,
    any_query_is_sent_or_refused,
    an_interrupt_ends_it,
    a_deadline_of_the_call_holds,
    a_redirect_is_not_followed,
    the_key_shows_nowhere,
    availability_costs_nothing,
)
