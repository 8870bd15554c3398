"""What requests had of their provider's prompt cache, as people read it; not the cache of pages, which is ours."""

from collections.abc import Mapping, Sequence

from limen.core.event import ReplyFinished
from limen.core.prompt_cache import CacheAccount, CacheMiss, CacheUse
from limen.store.ports import SessionStore
from limen.surfaces.cli.screen import Screen

# So many turns are told one by one, the latest; those before them in one line.
_TOLD_TURNS = 10
_PAGE = 10_000
_MINUTE_S = 60.0
_HOUR_S = 3_600.0

_WHY: Mapping[CacheMiss, str] = {
    "first_request": "first request",
    "another_route": "another model before",
    "another_key": "another key before",
    "tools_changed": "the tools changed",
    "prompt_changed": "the prompt changed",
    "folded": "folded",
    "history_rendered": "history sent otherwise",
    "too_short": "too short to be kept",
    "not_kept": "dropped by the provider",
}


def cache_line(uses: Sequence[CacheUse]) -> str:
    """How much of what was sent the provider had kept, and why not more; empty where no provider was asked."""
    if not uses:
        return ""
    account = CacheAccount.of(uses)
    prompt = f"prompt {account.input_tokens:,} tokens"
    if all(use.miss == "not_reported" for use in uses):
        return f"{prompt} · the provider says nothing of its cache"
    why = f" ({_why(account.worst)})" if account.worst is not None and account.worst.miss != "not_reported" else ""
    return f"{prompt} · {account.cached_tokens:,} from the provider's cache{why}"


async def find_uses(store: SessionStore, session: str, *, turn: str = "", last: bool = False) -> Mapping[str, Sequence[CacheUse]]:
    """What the requests of a session had of the cache, by turn: of all turns, those whose id begins so, or the last request."""
    if last:
        latest = await store.latest_event(session, "reply_finished")
        use = latest.cache if isinstance(latest, ReplyFinished) else None
        return {} if use is None or not use.counted else {"": [use]}
    uses: dict[str, list[CacheUse]] = {}
    after = 0
    while page := await store.events(session, after=after, limit=_PAGE):
        after = page[-1].seq
        for stored in page:
            use = stored.event.cache if isinstance(stored.event, ReplyFinished) else None
            if use is not None and use.counted and stored.turn.startswith(turn):
                uses.setdefault(stored.turn, []).append(use)
    return uses


def show_uses(screen: Screen, uses: Mapping[str, Sequence[CacheUse]]) -> None:
    """A line for each turn, the latest last; those long ago in one."""
    turns = list(uses.items())
    before, told = turns[:-_TOLD_TURNS], turns[-_TOLD_TURNS:]
    if before:
        account = CacheAccount.of([use for _, of_turn in before for use in of_turn])
        figures = f"prompt {account.input_tokens:,} tokens · {account.cached_tokens:,} from the provider's cache"
        screen.note(f"{len(before):,} turns before: {figures}")
    for turn, of_turn in told:
        named = f"{turn[:8]} · " if len(turns) > 1 else ""
        screen.note(f"{named}{cache_line(of_turn)}")


def _why(use: CacheUse) -> str:
    if use.miss == "expired":
        return f"last asked {_span(use.ago_s)} ago"
    return _WHY[use.miss] if use.miss is not None and use.miss in _WHY else ""


def _span(seconds: float) -> str:
    if seconds < 2 * _MINUTE_S:
        return f"{seconds:,.0f} s"
    if seconds < 2 * _HOUR_S:
        return f"{seconds / _MINUTE_S:,.0f} min"
    return f"{seconds / _HOUR_S:,.0f} h"
