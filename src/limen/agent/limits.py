"""What a turn may spend, and what it has spent."""

from collections.abc import Awaitable, Callable

import msgspec

from limen.core.event import Notice
from limen.core.exchange import Left, ModelReply, Usage
from limen.core.fault import Refusal
from limen.core.route import Route
from limen.kit.clock import Clock, monotonic_s

DayRefusal = Callable[[Route], Awaitable[Refusal | None]]
"""Why a route may not be asked for what the day has cost already, by all turns and jobs together."""


class Limits(msgspec.Struct, frozen=True):
    """A turn's ceilings: model replies, tokens in and out, seconds, US dollars; and those of a day. None is no ceiling."""

    steps: int = 25
    tokens: int | None = None
    time_s: float | None = 600.0
    cost_usd: float | None = None
    cost_usd_per_day: float | None = None


async def any_day(route: Route) -> Refusal | None:
    """The `DayRefusal` where days have no limit."""
    return None


class Meter:
    """Counts a turn's spending against its limits. `aside` is what small jobs of its tools have used; it counts for the cost."""

    def __init__(self, limits: Limits, clock: Clock = monotonic_s, day: DayRefusal = any_day) -> None:
        self._limits = limits
        self._clock = clock
        self._day = day
        self._started = clock()
        self._told_unpriced = False
        self.steps = 0
        self.usage = Usage()
        self.aside = Usage()

    def spend(self, usage: Usage) -> None:
        """Book one reply."""
        self.steps += 1
        self.usage = self.usage + usage

    def spend_aside(self, usage: Usage) -> None:
        """Book what a tool's own question to a model has used."""
        self.aside = self.aside + usage

    @property
    def elapsed_s(self) -> float:
        return self._clock() - self._started

    @property
    def left(self) -> Left:
        """What the turn may still use."""
        limits = self._limits
        return Left(
            None if limits.tokens is None else limits.tokens - self._tokens,
            None if limits.cost_usd is None else limits.cost_usd - self._cost_usd,
        )

    @property
    def _tokens(self) -> int:
        return self.usage.input_tokens + self.usage.output_tokens

    @property
    def _cost_usd(self) -> float:
        return (self.usage.cost_usd or 0.0) + (self.aside.cost_usd or 0.0)

    async def refusal(self, route: Route) -> Refusal | None:
        """Why `route` may not be asked now: the turn's first ceiling that has been reached, or the day's."""
        return self.reached() or await self._day(route)

    def reached(self) -> Refusal | None:
        """The turn's first ceiling that has been reached, or None while there is room."""
        limits = self._limits
        if self.steps >= limits.steps:
            return _reached("steps", f"{self.steps} model replies", "limits.steps")
        if limits.tokens is not None and self._tokens >= limits.tokens:
            return _reached("tokens", f"{self._tokens} tokens", "limits.tokens")
        if limits.time_s is not None and self.elapsed_s >= limits.time_s:
            return _reached("time", f"{self.elapsed_s:.0f} s", "limits.time_s")
        if limits.cost_usd is not None and self._cost_usd >= limits.cost_usd:
            return _reached("cost", f"${self._cost_usd:.4f}", "limits.cost_usd")
        return None

    def overrun(self) -> Notice | None:
        """What the person must know of a turn whose last reply went beyond a limit, as nobody knows before how long one gets."""
        limits = self._limits
        if limits.tokens is not None and self._tokens > limits.tokens:
            text = f"The answer took the turn beyond its limit: {self._tokens:,} of {limits.tokens:,} tokens."
            return Notice("limits.overrun", text, "limen config set limits.tokens NUMBER")
        if limits.cost_usd is not None and self._cost_usd > limits.cost_usd:
            text = f"The answer took the turn beyond its limit: ${self._cost_usd:.4f} of ${limits.cost_usd:.4f}."
            return Notice("limits.overrun", text, "limen config set limits.cost_usd NUMBER")
        return None

    def unpriced(self, reply: ModelReply) -> Notice | None:
        """What the person must know, once in a turn, of a reply whose cost nobody can tell although cost is limited."""
        limited = [
            key
            for key, limit in (
                ("limits.cost_usd", self._limits.cost_usd),
                ("limits.cost_usd_per_day", self._limits.cost_usd_per_day),
            )
            if limit is not None
        ]
        if not limited or reply.usage.cost_usd is not None or self._told_unpriced:
            return None
        self._told_unpriced = True
        text = f"No price is known for {reply.route.name}, so {' and '.join(limited)} cannot hold. A limit of tokens does."
        return Notice("limits.price_unknown", text, "limen config set limits.tokens NUMBER")


def _reached(what: str, spent: str, key: str) -> Refusal:
    return Refusal(
        "limits", f"limits.{what}", f"The turn reached its limit of {what}: {spent}.", f"limen config set {key} NUMBER"
    )
