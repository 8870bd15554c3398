"""What a provider's cache gave, as people read it: figures, one reason, and nothing where there is nothing to say."""

import io

import msgspec
import pytest

from limen.agent.agent import TurnOutcome
from limen.agent.turn import TurnEnd
from limen.core.event import ReplyFinished
from limen.core.exchange import Usage
from limen.core.prompt_cache import CacheMiss, CacheUse
from limen.core.route import Route
from limen.store.sqlite.database import Database
from limen.store.sqlite.sessions import SqliteSessions
from limen.surfaces.cli.account import published_outcome
from limen.surfaces.cli.prompt_cache import cache_line, find_uses, show_uses
from limen.surfaces.cli.screen import Screen

MISSES = CacheMiss.__args__
HIT = CacheUse(12_400, 12_000, 11_900)


@pytest.mark.parametrize(
    ("uses", "line"),
    [
        ([], ""),
        ([HIT], "prompt 12,400 tokens · 11,900 from the provider's cache"),
        ([CacheUse(12_400, 12_000, 0, "folded")], "prompt 12,400 tokens · 0 from the provider's cache (folded)"),
        ([CacheUse(900, 0, 0, "first_request"), CacheUse(2_000, 900, 0, "too_short")],
         "prompt 2,900 tokens · 0 from the provider's cache (too short to be kept)"),
        ([CacheUse(900, 800, 0, "expired", 750.0)], "prompt 900 tokens · 0 from the provider's cache (last asked 12 min ago)"),
        ([CacheUse(900, 800, 0, "expired", 90.0)], "prompt 900 tokens · 0 from the provider's cache (last asked 90 s ago)"),
        ([CacheUse(900, 800, 0, "expired", 90_000.0)], "prompt 900 tokens · 0 from the provider's cache (last asked 25 h ago)"),
        ([CacheUse(900, 0, 0, "not_reported")], "prompt 900 tokens · the provider says nothing of its cache"),
        ([CacheUse(100, 0, 0, "not_reported"), HIT], "prompt 12,500 tokens · 11,900 from the provider's cache"),
    ],
)  # fmt: skip
def test_a_line_has_both_figures_and_one_reason(uses, line):
    assert cache_line(uses) == line


@pytest.mark.parametrize("miss", MISSES)
def test_every_reason_has_words_that_fit_a_narrow_terminal(miss):
    line = cache_line([CacheUse(199_999, 99_999, 0, miss, 86_400.0)])
    assert len(line) <= 80
    assert line.endswith(")") or miss == "not_reported"


def shown(uses):
    err = io.StringIO()
    show_uses(Screen(io.StringIO(), err, colour=False), uses)
    return err.getvalue().splitlines()


def test_turns_are_told_apart_and_those_long_ago_in_one_line():
    assert shown({}) == []
    assert shown({"t_0123456789ab": [HIT]}) == ["prompt 12,400 tokens · 11,900 from the provider's cache"]
    lines = shown({f"t_{number:012d}": [HIT] for number in range(12)})
    assert lines[0] == "2 turns before: prompt 24,800 tokens · 23,800 from the provider's cache"
    assert len(lines) == 11
    assert lines[-1].startswith("t_000000 · prompt")


@pytest.mark.anyio
async def test_uses_are_found_by_turn_and_by_the_last_request(tmp_path):
    database = await Database.open(tmp_path / "limen.db")
    sessions = SqliteSessions(database)
    await sessions.open("s")

    def finished(cache):
        return ReplyFinished((), "end", Usage(), Route("p", "chat_completions", "m"), cache=cache)

    other = msgspec.structs.replace(HIT, cached_tokens=0, miss="folded")
    await sessions.record("s", "t_aaaaaaaaaaaa", [finished(HIT), finished(None), finished(HIT)])
    await sessions.record("s", "t_bbbbbbbbbbbb", [finished(other)])
    assert await find_uses(sessions, "s") == {"t_aaaaaaaaaaaa": [HIT, HIT], "t_bbbbbbbbbbbb": [other]}
    assert await find_uses(sessions, "s", turn="t_aaaaaa") == {"t_aaaaaaaaaaaa": [HIT, HIT]}
    assert await find_uses(sessions, "s", last=True) == {"": [other]}
    await sessions.record("s", "t_cccccccccccc", [finished(CacheUse(0, 0, 0))])
    assert await find_uses(sessions, "s", last=True) == {}
    assert "t_cccccccccccc" not in await find_uses(sessions, "s")
    await database.close()


@pytest.mark.parametrize(("uses", "miss"), [((), None), ((HIT,), None), ((CacheUse(9, 8, 0, "folded"), HIT), "folded")])
def test_json_has_the_reason_by_its_name(uses, miss):
    usage = Usage(100, 7, 60, tells_cache=True)
    outcome = TurnOutcome("s", "t", "yes", TurnEnd("answered"), None, usage=usage, cache=uses)
    published = published_outcome(outcome)["usage"]
    assert (published["input_tokens"], published["cached_tokens"], published["cache_miss"]) == (100, 60, miss)
    assert "tells_cache" not in published
