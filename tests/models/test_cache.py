"""What a request had of its provider's cache, and the one reason for what it had not."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.wire.test_prefix import conversations, request_to

from limen.core.exchange import ModelReply, Usage
from limen.core.message import Message, Text, Thinking, ToolCall, ToolResult
from limen.core.prompt import Prompt, PromptPart
from limen.core.prompt_cache import CacheAccount, CacheUse, PromptCache
from limen.core.route import Price
from limen.core.tool import ToolSchema
from limen.models.asking import Asking, Heard
from limen.models.cache import CacheWatch, cache_use, kept_for, lost_by_swap

WIRE = "anthropic_messages"
QUESTION, ANSWER, NEXT = (
    Message("user", (Text("Where?"),)), Message("assistant", (Text("There."),)), Message("user", (Text("Sure?"),)),
)  # fmt: skip
HISTORY = [QUESTION, ANSWER, NEXT]
DROPPED = Usage(12_000, 50, 0, tells_cache=True)


def routed(request, **fields):
    return msgspec.structs.replace(request, route=msgspec.structs.replace(request.route, **fields))


def first(at=1_000.0, tokens=10_000, **fields):
    """What the session's first request leaves behind."""
    request = routed(request_to(WIRE, [QUESTION]), **fields)
    return cache_use(request, request.route, Usage(tokens, 50, 0, tells_cache=True), at)


def second(before, usage=DROPPED, at=1_060.0, history=HISTORY, **changed):
    """What the request after it had."""
    route = {name: changed.pop(name) for name in ("provider", "endpoint", "credential", "cache") if name in changed}
    request = msgspec.structs.replace(routed(request_to(WIRE, history), **route), earlier=before.sent, **changed)
    return cache_use(request, request.route, usage, at)


def test_the_first_request_misses_and_that_is_its_reason():
    use = first()
    assert (use.miss, use.expected_tokens, use.cached_tokens, use.ago_s) == ("first_request", 0, 0, 0.0)
    (sent,) = use.sent
    assert (sent.route, sent.tokens, sent.blocks, sent.at) == ("p/m", 10_000, 1, 1_000.0)


def test_another_session_may_have_warmed_the_prompt():
    request = request_to(WIRE, [QUESTION])
    assert cache_use(request, request.route, Usage(10_000, 1, 3_000, tells_cache=True), 0.0).miss is None


@pytest.mark.parametrize(("cached", "miss"), [(10_000, None), (9_856, None), (9_000, None), (8_000, "not_kept"), (0, "not_kept")])
def test_what_was_sent_before_is_expected_but_for_a_block(cached, miss):
    use = second(first(), Usage(12_000, 50, cached, tells_cache=True))
    assert (use.expected_tokens, use.cached_tokens, use.miss, use.ago_s) == (10_000, cached, miss, 60.0)


OTHER_TOOLS = (ToolSchema("write", "Write.", {"type": "object"}),)
OTHER_PROMPT = Prompt(stable=(PromptPart(Text("Be rude."), request_to(WIRE, HISTORY).prompt.parts[0].origin),))
CHANGES = {
    "another_route": {"provider": "q"},
    "another_key": {"credential": "env:SECOND"},
    "tools_changed": {"tools": OTHER_TOOLS},
    "prompt_changed": {"prompt": OTHER_PROMPT},
    "folded": {"fold": 9},
    "history_rendered": {"history": [Message("user", (Text("[picture]"),)), *HISTORY]},
    "expired": {"at": 1_301.0},
}


@pytest.mark.parametrize("miss", CHANGES)
def test_each_miss_has_its_one_reason(miss):
    assert second(first(), **CHANGES[miss]).miss == miss


@given(st.sets(st.sampled_from(list(CHANGES)), min_size=1))
def test_of_several_reasons_the_first_bytes_name_it(changed):
    changes = {name: value for miss in CHANGES if miss in changed for name, value in CHANGES[miss].items()}
    assert second(first(), **changes).miss == next(miss for miss in CHANGES if miss in changed)
    full = second(first(), usage=Usage(12_000, 50, 10_000, tells_cache=True), **changes)
    assert full.miss is None  # whatever changed: what was read from the cache is no miss


def test_another_endpoint_is_another_route():
    assert second(first(), endpoint="http://127.0.0.1:2/v1").miss == "another_route"


def test_silence_about_the_cache_is_no_miss_of_ours():
    assert second(first(), Usage(12_000, 50)).miss == "not_reported"
    assert second(first(), Usage()).miss == "not_reported"


def test_what_is_too_short_is_not_kept_whatever_changed():
    usage = Usage(1_100, 5, 0, tells_cache=True)
    assert second(first(tokens=1_000), usage, tools=OTHER_TOOLS).miss == "too_short"
    assert second(first(tokens=1_030), usage).miss == "not_kept"


def test_a_server_of_ones_own_keeps_the_short_and_the_old():
    own = PromptCache(least_tokens=1, kept_s=0.0)
    usage = Usage(60, 5, 0, tells_cache=True)
    assert second(first(tokens=50, cache=own), usage, at=90_000.0, cache=own).miss == "not_kept"
    assert second(first(tokens=50, cache=own), Usage(60, 5, 36, tells_cache=True), cache=own).miss is None


def test_a_clock_that_was_set_back_makes_nothing_old():
    use = second(first(), at=10.0)
    assert (use.miss, use.ago_s) == ("not_kept", 0.0)


def test_back_at_a_route_its_own_last_request_counts():
    """A, B, A: B had nothing, and what A kept is measured by what A was sent."""
    a = first(at=1_000.0)
    b = second(a, at=1_030.0, provider="q")
    assert (b.miss, [sent.route for sent in b.sent]) == ("another_route", ["q/m", "p/m"])
    back = second(b, usage=Usage(14_000, 5, 9_900, tells_cache=True), at=1_100.0)
    assert (back.miss, back.expected_tokens, back.ago_s) == (None, 10_000, 100.0)
    assert [sent.route for sent in back.sent] == ["p/m", "q/m"]
    assert second(b, at=1_400.0).miss == "expired"


def test_of_many_routes_only_the_latest_are_remembered():
    use = first()
    for number in range(9):
        use = second(use, provider=f"p{number}")
    assert [sent.route for sent in use.sent] == ["p8/m", "p7/m", "p6/m", "p5/m"]


@given(conversations())
def test_the_same_conversation_never_names_a_change_of_ours(conversation):
    """As a conversation only grows, what was lost was lost by the vendor."""
    history, asked = conversation
    use = None
    for length in asked:
        request = request_to(WIRE, history[:length], frozenset({"alternate"}))
        request = msgspec.structs.replace(request, earlier=use.sent if use else ())
        use = cache_use(request, request.route, DROPPED, 1_000.0)
        assert use.miss == ("first_request" if length == asked[0] else "not_kept")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ToolResult("c", (Text("x"),)), ToolResult("d", (Text("x"),))),
        (ToolCall("c", "find", "{}"), ToolCall("d", "find", "{}")),
        (Thinking("x", "s"), Thinking("x", "t")),
        (Thinking("x", "s"), Text("x")),
    ],
)
def test_whatever_is_sent_of_a_block_counts(before, after):
    request = request_to(WIRE, [QUESTION])
    kept = msgspec.structs.replace(request, messages=(QUESTION, Message("assistant", (before,))))
    use = cache_use(kept, request.route, DROPPED, 0.0)
    other = msgspec.structs.replace(request, messages=(QUESTION, Message("assistant", (after,)), NEXT), earlier=use.sent)
    assert cache_use(other, request.route, DROPPED, 1.0).miss == "history_rendered"


@pytest.mark.anyio
async def test_the_gate_says_it_of_the_route_that_answered():
    request = request_to(WIRE, [QUESTION])
    answered = msgspec.structs.replace(request.route, credential="env:KEY")

    async def proceed(asking):
        return ModelReply((Text("Yes."),), "end", DROPPED, answered if asking.request.route.endpoint else request.route)

    def asking(route):
        return Asking(msgspec.structs.replace(request, route=route), None, Heard(None))

    reply = await CacheWatch(lambda: 7.0)(asking(request.route), proceed)
    assert reply.cache == cache_use(request, answered, DROPPED, 7.0)


@pytest.mark.anyio
async def test_a_model_without_a_network_hands_on_what_was_sent_to_others():
    earlier = first().sent
    request = msgspec.structs.replace(routed(request_to(WIRE, [QUESTION]), endpoint=""), earlier=earlier)

    async def proceed(asking):
        return ModelReply((Text("Yes."),), "end", Usage(), asking.request.route)

    cache = (await CacheWatch()(Asking(request, None, Heard(None)), proceed)).cache
    assert (cache.counted, cache.miss, cache.sent) == (False, None, earlier)


@pytest.mark.parametrize(
    ("tokens", "price", "told"),
    [
        (98_304, Price(3.0, 15.0), "about 98,000 tokens are read anew (≈ $0.29)"),
        (1_270, Price(3.0, 15.0), "about 1,300 tokens are read anew (under $0.01)"),
        (7, None, "about 10 tokens are read anew"),
        (98_304, Price(0.0, 0.0), "about 98,000 tokens are read anew"),
        (2_000_000, Price(1_000.0, 1.0), "about 2,000,000 tokens are read anew (≈ $2,000.00)"),
        (0, Price(3.0, 15.0), ""),
        (-1, None, ""),
    ],
)
def test_a_swap_costs_what_is_read_anew(tokens, price, told):
    assert lost_by_swap(tokens, price) == told


def test_an_hour_is_asked_for_where_it_can_be_and_costs_more_to_write():
    price = Price(3.0, 15.0, 0.3, 3.75)
    route = msgspec.structs.replace(request_to(WIRE, HISTORY).route, price=price)
    hour = kept_for(route, "1h")
    assert (hour.cache.kept_s, hour.price) == (3_600.0, Price(3.0, 15.0, 0.3, 6.0))
    assert kept_for(route, "5m") == route
    for wire, quirks in (("codex_responses", ()), ("chat_completions", ()), (WIRE, ("no_cache_marks",))):
        other = msgspec.structs.replace(route, wire=wire, quirks=frozenset(quirks))
        assert kept_for(other, "1h") == other
    chat = msgspec.structs.replace(route, wire="chat_completions", quirks=frozenset({"cache_marks"}), price=None)
    assert kept_for(chat, "1h").cache.kept_s == 3_600.0


def test_of_several_requests_the_dearest_miss_is_told():
    uses = [CacheUse(1_000, 0, 0, "first_request"), CacheUse(9_000, 8_000, 1_000, "folded"), CacheUse(9_500, 9_000, 9_000)]
    assert CacheAccount.of(uses) == CacheAccount(19_500, 10_000, uses[1])
    assert CacheAccount.of(uses[2:]).worst is None
    assert CacheAccount.of(()) == CacheAccount(0, 0)
