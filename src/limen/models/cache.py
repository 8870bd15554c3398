"""What a request had of its provider's prompt cache, and the one reason why it was less than could be."""

import hashlib
from collections.abc import Sequence

import msgspec

from limen.core.exchange import ModelReply, ModelRequest, Usage
from limen.core.message import Block, Image, Message, Role, Text, Thinking, ToolCall, ToolResult, leaves, payload
from limen.core.prompt_cache import CacheMiss, CacheTtl, CacheUse, Sent
from limen.core.route import Price, Route
from limen.kit.clock import Clock, wall_s
from limen.models import quirks
from limen.models.asking import Asking, ProceedAsking

_HOUR_S = 3_600.0
# Caches count in blocks, 128 tokens at OpenAI, and leave out what a server puts behind the last message.
_BLOCK_TOKENS = 192
_SLACK_TOKENS = 16
# Of so many routes the latest request is remembered: one, those it fell back to, and back again.
_MOST_ROUTES = 4
# What an hour costs where five minutes cost a quarter on top, by Anthropic's prices.
_HOUR_WRITE = 2.0
_DIGEST_CHARS = 16


class CacheWatch:
    """The gate `cache`: says of each reply what its request, as it was sent, had of the cache."""

    def __init__(self, clock: Clock = wall_s) -> None:
        self._clock = clock

    async def __call__(self, asking: Asking, proceed: ProceedAsking) -> ModelReply:
        """A model that answers without a network keeps nothing: it only hands on what was sent to others before."""
        at = self._clock()
        reply = await proceed(asking)
        if not reply.route.endpoint:
            return msgspec.structs.replace(reply, cache=CacheUse(0, 0, 0, sent=asking.request.earlier))
        return msgspec.structs.replace(reply, cache=cache_use(asking.request, reply.route, reply.usage, at))


def cache_use(request: ModelRequest, route: Route, usage: Usage, at: float) -> CacheUse:
    """What `request`, sent at `at` and answered by `route`, had of the cache, measured by those before it."""
    same = next((sent for sent in request.earlier if _is_same(sent, route)), None)
    before = same or next(iter(request.earlier), None)
    digest, so_far = _digests(request.messages, before.blocks if before is not None else 0)
    sent = Sent(
        route=route.name,
        where=_where(route),
        key=_short(_utf8(route.credential or "")),
        tools=_short(msgspec.json.encode(request.tools)),
        prompt=_short(_utf8("\0".join(part.block.text for part in request.prompt.parts))),
        messages=digest,
        blocks=sum(len(message.blocks) for message in request.messages),
        fold=request.fold,
        tokens=usage.input_tokens,
        at=at,
    )
    expected = min(before.tokens, usage.input_tokens) if before is not None else 0
    ago_s = max(at - same.at, 0.0) if same is not None else 0.0
    others = tuple(one for one in request.earlier if not _is_same(one, route))
    miss: CacheMiss | None = None
    if not usage.tells_cache:
        miss = "not_reported"
    elif usage.cached_tokens < max(expected - _slack(expected, route), 1):
        miss = _why(before, sent, so_far, expected, route)
    return CacheUse(usage.input_tokens, expected, usage.cached_tokens, miss, ago_s, (sent, *others)[:_MOST_ROUTES])


def lost_by_swap(input_tokens: int, price: Price | None) -> str:
    """What it costs that another route has nothing in its cache, in words: "about 98,000 tokens are read anew (≈ $0.29)".

    Nothing is said of the money where the price is unknown or nothing; empty where nobody counted the tokens.
    """
    if input_tokens <= 0:
        return ""
    usd = input_tokens * price.input_usd / 1_000_000 if price is not None else 0.0
    cost = "" if usd <= 0 else f" (≈ ${usd:,.2f})" if usd >= 0.01 else " (under $0.01)"
    return f"about {_rounded(input_tokens):,} tokens are read anew{cost}"


def kept_for(route: Route, ttl: CacheTtl) -> Route:
    """The route when a prefix shall be kept so long, where its wire can ask for that; an hour costs more to write."""
    if ttl != "1h" or not asks_for_time(route):
        return route
    cache = msgspec.structs.replace(route.cache, kept_s=_HOUR_S)
    price = route.price
    if price is not None and price.cache_write_usd:
        price = msgspec.structs.replace(price, cache_write_usd=price.input_usd * _HOUR_WRITE)
    return msgspec.structs.replace(route, cache=cache, price=price)


def asks_for_time(route: Route) -> bool:
    """Whether requests over this route carry marks, which can say how long what stands before them is kept."""
    if route.wire == "anthropic_messages":
        return quirks.NO_CACHE_MARKS not in route.quirks
    return route.wire == "chat_completions" and quirks.CACHE_MARKS in route.quirks


def _why(before: Sent | None, sent: Sent, so_far: str, expected: int, route: Route) -> CacheMiss:
    """The first thing that was another way than `before`, in the order of the bytes; `so_far` is the digest where that ended."""
    if before is None:
        return "first_request"
    old = sent.at - before.at > route.cache.kept_s > 0
    elsewhere = (before.route, before.where) != (sent.route, sent.where)
    causes: tuple[tuple[bool, CacheMiss], ...] = (
        (expected < route.cache.least_tokens, "too_short"),
        (elsewhere, "another_route"),
        (before.key != sent.key, "another_key"),
        (before.tools != sent.tools, "tools_changed"),
        (before.prompt != sent.prompt, "prompt_changed"),
        (before.fold != sent.fold, "folded"),
        (before.messages != so_far, "history_rendered"),
        (old, "expired"),
    )
    return next((miss for holds, miss in causes if holds), "not_kept")


def _slack(expected: int, route: Route) -> int:
    """How many tokens fewer are no miss."""
    return max(expected // 10, min(_BLOCK_TOKENS, route.cache.least_tokens), _SLACK_TOKENS)


def _is_same(sent: Sent, route: Route) -> bool:
    return (sent.route, sent.where, sent.key) == (route.name, _where(route), _short(_utf8(route.credential or "")))


def _where(route: Route) -> str:
    return f"{route.wire} {route.endpoint}"


def _digests(messages: Sequence[Message], blocks: int) -> tuple[str, str]:
    """The digest of all messages, and of their first so many blocks; blocks, since two messages may be sent as one."""
    pieces = [_framed(message.role, block) for message in messages for block in message.blocks]
    running = hashlib.sha256(b"".join(pieces[:blocks]))
    so_far = running.hexdigest()
    running.update(b"".join(pieces[blocks:]))
    return running.hexdigest()[:_DIGEST_CHARS], so_far[:_DIGEST_CHARS]


def _framed(role: Role, block: Block) -> bytes:
    """A block's bytes with what a wire sends around them."""
    match block:
        case Text(text):  # most of a long history
            return _utf8(f"{role}\x1e\x1eText\x1e{text}\x1e")
        case ToolCall(call_id) | ToolResult(call_id):
            around = call_id
        case Thinking(_, signature):
            around = signature or ""
        case Image():
            around = ""
    said = (piece for leaf in leaves(block) for piece in (type(leaf).__name__.encode(), payload(leaf)))
    return b"\x1e".join((_utf8(f"{role}\x1e{around}"), *said, b""))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _short(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGEST_CHARS]


def _rounded(tokens: int) -> int:
    """So far as an estimate is worth: thousands of many, hundreds of few."""
    unit = 1_000 if tokens >= 10_000 else 100 if tokens >= 1_000 else 10
    return max(round(tokens / unit) * unit, unit)
