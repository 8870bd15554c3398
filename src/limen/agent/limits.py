"""What a turn may spend, and what it has spent."""

import msgspec

from limen.core.exchange import Usage
from limen.core.fault import Refusal
from limen.kit.clock import Clock, monotonic_s


class Limits(msgspec.Struct, frozen=True):
    """A turn's ceilings: model replies, tokens in and out, seconds, US dollars. None is no ceiling."""

    steps: int = 25
    tokens: int | None = None
    time_s: float | None = 600.0
    cost_usd: float | None = None


class Meter:
    """Counts a turn's spending against its limits."""

    def __init__(self, limits: Limits, clock: Clock = monotonic_s) -> None:
        self._limits = limits
        self._clock = clock
        self._started = clock()
        self.steps = 0
        self.usage = Usage()

    def spend(self, usage: Usage) -> None:
        """Book one reply."""
        self.steps += 1
        self.usage = self.usage + usage

    @property
    def elapsed_s(self) -> float:
        return self._clock() - self._started

    def reached(self) -> Refusal | None:
        """The first ceiling that has been reached, or None while there is room."""
        limits, usage = self._limits, self.usage
        if self.steps >= limits.steps:
            return _reached("steps", f"{self.steps} model replies", "limits.steps")
        if limits.tokens is not None and usage.input_tokens + usage.output_tokens >= limits.tokens:
            return _reached("tokens", f"{usage.input_tokens + usage.output_tokens} tokens", "limits.tokens")
        if limits.time_s is not None and self.elapsed_s >= limits.time_s:
            return _reached("time", f"{self.elapsed_s:.0f} s", "limits.time_s")
        if limits.cost_usd is not None and (usage.cost_usd or 0.0) >= limits.cost_usd:
            return _reached("cost", f"${usage.cost_usd or 0.0:.4f}", "limits.cost_usd")
        return None


def _reached(what: str, spent: str, key: str) -> Refusal:
    return Refusal(
        "limits", f"limits.{what}", f"The turn reached its limit of {what}: {spent}.", f"limen config set {key} NUMBER"
    )
