"""A route: which model answers, over which wire, from where, and why that one."""

import shlex
from typing import Literal

import msgspec

from limen.core.prompt_cache import PromptCache

CUSTOM = "custom"
"""The provider of servers that are known by their address."""

WireName = Literal["chat_completions", "anthropic_messages", "codex_responses", "embedded"]

Effort = Literal["", "minimal", "low", "medium", "high", "xhigh", "max"]
"""How hard a model shall think; "" leaves that to it, and asks for no reasoning where that has to be asked for."""


class Price(msgspec.Struct, frozen=True):
    """US dollars per million tokens, as they were on the day `as_of` (empty where it is no matter of time).

    A request with more than `long_tokens` of input costs `long` instead, where there is one.
    """

    input_usd: float
    output_usd: float
    cached_input_usd: float | None = None
    cache_write_usd: float | None = None
    as_of: str = ""
    long_tokens: int = 0
    long: "Price | None" = None


class Route(msgspec.Struct, frozen=True):
    """One way to a model. `because` says who chose the route.

    `credential` names where the key is kept, never the key; `pool` names all keys that may be used, where there are several.
    """

    provider: str
    wire: WireName
    model: str
    endpoint: str = ""
    credential: str | None = None
    pool: tuple[str, ...] = ()
    quirks: frozenset[str] = frozenset()
    window_tokens: int = 128_000
    output_tokens: int = 4_096
    price: Price | None = None
    effort: Effort = ""
    cache: PromptCache = PromptCache()
    because: str = ""

    @property
    def name(self) -> str:
        """How people write it: `provider/model`."""
        return f"{self.provider}/{self.model}"

    @property
    def typed(self) -> str:
        """What is typed in a shell to mean it: its name, or the address of a server that is known by nothing else."""
        if self.provider != CUSTOM or not self.endpoint or self.credential is not None:
            return shlex.quote(self.name.rstrip("/"))
        return shlex.quote(f"{self.endpoint}#{self.model}" if self.model else self.endpoint)

    @property
    def references(self) -> tuple[str, ...]:
        """Where all keys are kept that may be used."""
        return self.pool or ((self.credential,) if self.credential is not None else ())
