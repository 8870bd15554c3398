"""A provider's prompt cache: what it was sent, and how much of a request it had kept and need not read anew."""

from collections.abc import Sequence
from typing import Literal

import msgspec

CacheTtl = Literal["5m", "1h"]

CacheMiss = Literal[
    "first_request", "another_route", "another_key", "tools_changed", "prompt_changed", "folded", "history_rendered", "expired",
    "too_short", "not_reported", "not_kept",
]  # fmt: skip
"""Why a request was not read from the cache, or less of it than was sent before.

`history_rendered`: thinking, pictures or results of the history are sent in another form than before. `not_reported`: the
provider says nothing of its cache. `not_kept`: the bytes were the same and young enough, and the provider had dropped them.
"""


class PromptCache(msgspec.Struct, frozen=True):
    """What is known of a provider's cache: a request of fewer tokens is not kept, one that is older neither.

    `kept_s` 0 is no age at all, as with a server that keeps the last request until another comes. Five minutes and 1,024 tokens
    are what most vendors document at the least.
    """

    least_tokens: int = 1_024
    kept_s: float = 300.0


class Sent(msgspec.Struct, frozen=True):
    """The latest request to one route, as far as the next must know it: digests of its parts, in the order of their bytes.

    `where` is wire and endpoint, `messages` the digest over its `blocks` blocks, `fold` the entry of the fold in it, 0 without
    one. `tokens` are the provider's own count of it, `at` is Unix seconds.
    """

    route: str
    where: str
    key: str
    tools: str
    prompt: str
    messages: str
    blocks: int
    fold: int
    tokens: int
    at: float


class CacheUse(msgspec.Struct, frozen=True):
    """What one request had of the cache, in tokens: how many were sent before and could have been read from it, and were.

    `miss` says why it were much fewer, or none; `ago_s` how long before the route was asked last, 0 where it never was. `sent`
    is the session's latest request to each of its latest routes, this one first. A request that no provider counted, such as one
    to a model without a network, has no figures.
    """

    input_tokens: int
    expected_tokens: int
    cached_tokens: int
    miss: CacheMiss | None = None
    ago_s: float = 0.0
    sent: tuple[Sent, ...] = ()

    @property
    def counted(self) -> bool:
        """Whether there are figures to show."""
        return self.input_tokens > 0


class CacheAccount(msgspec.Struct, frozen=True):
    """What several requests had of the cache together; `worst` is the one that lost most of those that missed it."""

    input_tokens: int
    cached_tokens: int
    worst: CacheUse | None = None

    @classmethod
    def of(cls, uses: Sequence[CacheUse]) -> "CacheAccount":
        """The account of these requests, in their order."""
        missed = [use for use in uses if use.miss is not None]
        return cls(
            sum(use.input_tokens for use in uses),
            sum(use.cached_tokens for use in uses),
            max(missed, key=lambda use: use.expected_tokens - use.cached_tokens, default=None),
        )
