"""Whole sessions over a provider that keeps prefixes: what it had not to read again, and the named reason where it had to."""

from itertools import pairwise

import pytest
from stories.test_threshold import ask, over

from limen.core.event import Folded, Notice, ReplyFinished
from limen.runtime import RuntimeOptions, open_runtime
from limen.surfaces.cli.prompt_cache import cache_line, find_uses
from limen.testing.carried.prefix import canonical, marks
from limen.testing.carried.wires import SPLITS
from limen.testing.kept_prefixes import KeptPrefixes
from limen.testing.model_server import Answer, model_server
from limen.testing.scripted_model import call, say, use

pytestmark = pytest.mark.anyio

LONG = "Tell me of the lighthouse and of its keeper, who never slept. " * 120


@pytest.fixture(params=sorted(SPLITS))
def wire(request):
    return request.param


def misses(outcome):
    return [use.miss for use in outcome.cache]


async def test_three_turns_are_cached_and_a_change_of_the_tools_is_the_reason_for_what_is_not(home, wire):
    kept = KeptPrefixes()
    steps = [kept.reply(use(call("web_search", query="tea"))), *(kept.reply(say(text)) for text in ("One.", "Two.", "Three."))]
    async with model_server(*steps, then=kept.reply(say("Four."))) as server:
        options = over(wire, home, server)
        async with open_runtime(options) as runtime:
            turns = [(await ask(runtime, LONG, model="custom/m", session="s"))[1]]
            turns += [(await ask(runtime, text, model="custom/m", session="s"))[1] for text in ("And?", "Sure?")]
        flags = {**options.flags, "web.mode": "off"}
        async with open_runtime(RuntimeOptions(home=home, flags=flags)) as runtime:
            events, fourth = await ask(runtime, "Well?", model="custom/m", session="s")
            uses = await find_uses(runtime.sessions, "s")
    assert [misses(turn) for turn in turns] == [["first_request", None], [None], [None]]
    for turn in turns[1:]:
        (one,) = turn.cache
        assert 0 < one.input_tokens - one.cached_tokens < 300
        assert one.expected_tokens - one.cached_tokens < 150
    (one,) = fourth.cache
    assert one.miss == "tools_changed"
    assert one.cached_tokens == 0
    assert "context.tools_changed" in [event.code for event in events if isinstance(event, Notice)]
    assert list(uses) == [turn.turn for turn in (*turns, fourth)]
    assert [tuple(of_turn) for of_turn in uses.values()] == [turn.cache for turn in (*turns, fourth)]
    assert cache_line(fourth.cache).endswith(" · 0 from the provider's cache (the tools changed)")
    for before, after in pairwise(kept.bodies[:4]):
        assert canonical(after).startswith(canonical(before))


async def test_another_process_knows_what_the_one_before_it_sent(home, wire):
    kept = KeptPrefixes()
    async with model_server(then=kept.reply(say("Yes."))) as server:
        outcomes = []
        for text in (LONG, "And?", "Sure?", "Well?"):
            async with open_runtime(over(wire, home, server)) as runtime:
                outcomes.append((await ask(runtime, text, model="custom/m", session="s"))[1])
            if text == "Sure?":
                kept.forget()
    assert [misses(outcome) for outcome in outcomes] == [["first_request"], [None], [None], ["not_kept"]]
    for before, after in pairwise(kept.bodies):
        assert canonical(after).startswith(canonical(before))


async def test_a_fold_is_the_only_thing_that_ends_a_prefix(home, wire):
    kept = KeptPrefixes(least_tokens=128)
    async with model_server(then=kept.reply(say("A word. " * 60))) as server:
        options = over(wire, home, server)
        flags = {**options.flags, "providers.custom.window_tokens": "6000"}
        async with open_runtime(RuntimeOptions(home=home, flags=flags)) as runtime:
            told = [await ask(runtime, "Tell me more. " * 60, model="custom/m", session="s") for _ in range(16)]
    folded = [any(isinstance(event, Folded) for event in events) for events, _ in told]
    assert any(folded)
    assert not all(folded)
    bodies = list(map(canonical, kept.bodies))
    for (before, after), was_folded, (_, outcome) in zip(pairwise(bodies), folded[1:], told[1:], strict=True):
        assert after.startswith(before) is not was_folded
        assert outcome.cache[0].miss in (("folded", "too_short") if was_folded else (None, "too_short"))
    assert "folded" in [outcome.cache[0].miss for _, outcome in told]


async def test_a_switch_and_back_finds_its_own_prefix(home, wire):
    """A to B and back to A: the stored prompt survives, A goes on where A was, and each wire sets its own marks."""
    other = "chat_completions" if wire != "chat_completions" else "anthropic_messages"
    at_a, at_b = KeptPrefixes(), KeptPrefixes()
    async with model_server(then=at_a.reply(say("A."))) as a, model_server(then=at_b.reply(say("B."))) as b:
        flags = {
            "providers.alpha.endpoint": a.url, "providers.alpha.wire": wire, "providers.beta.endpoint": b.url,
            "providers.beta.wire": other,
        }  # fmt: skip
        async with open_runtime(RuntimeOptions(home=home, flags=flags)) as runtime:
            outcomes = [
                (await ask(runtime, text, model=model, session="s"))[1]
                for text, model in ((LONG, "alpha/m"), ("And?", "beta/m"), ("Sure?", "alpha/m"))
            ]
            prompt = await runtime.sessions.prompt("s")
    assert [misses(outcome) for outcome in outcomes] == [["first_request"], ["another_route"], [None]]
    assert canonical(at_a.bodies[1]).startswith(canonical(at_a.bodies[0]))
    assert outcomes[2].cache[0].cached_tokens > 1_500
    assert {block.entries[0].turn for block in prompt} == {outcomes[0].turn}
    for body, of_wire in ((at_a.bodies[1], wire), (at_b.bodies[0], other)):
        assert (marks(body) > 0) is (of_wire == "anthropic_messages")


async def test_a_swap_marks_for_its_own_vendor_and_says_that_another_model_answered(home):
    kept = KeptPrefixes()
    down = Answer.of(503, {"error": {"message": "down"}})
    first = kept.reply(say("A."))
    async with model_server(first, then=down) as a, model_server(then=kept.reply(say("B."))) as b:
        flags = {
            "providers.alpha.endpoint": a.url, "providers.alpha.wire": "anthropic_messages", "providers.beta.endpoint": b.url,
            "providers.beta.quirks": '["cache_marks", "cache_key"]', "models.max_retries": "0", "models.cache_ttl": "1h",
        }  # fmt: skip
        home.mkdir(parents=True, exist_ok=True)
        (home / "config.yaml").write_text("fallback_providers: [{provider: beta, model: m}]\n")
        async with open_runtime(RuntimeOptions(home=home, flags=flags)) as runtime:
            _, before = await ask(runtime, LONG, model="alpha/m", session="s")
            events, after = await ask(runtime, "And?", model="alpha/m", session="s")
            stored = await runtime.sessions.latest_event("s", "reply_finished")
    assert (misses(before), misses(after)) == (["first_request"], ["another_route"])
    at_a, at_b = kept.bodies
    assert marks(at_a) == marks(at_b) >= 2
    assert at_a.count(b'"ttl":"1h"') == at_b.count(b'"ttl":"1h"') == marks(at_b)
    assert b'"prompt_cache_key":"' in at_b
    assert b"alpha" not in at_b
    (finished,) = [event for event in events if isinstance(event, ReplyFinished)]
    assert finished == stored
    assert [sent.route for sent in finished.cache.sent] == ["beta/m", "alpha/m"]
