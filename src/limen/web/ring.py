"""The ring: vendors that answer without a key, and may stand in for one that failed."""

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

from limen.core.fault import Refusal


class Member(Protocol):
    """What a ring needs to know of its members."""

    @property
    def name(self) -> str: ...

    def unavailable(self) -> Refusal | None: ...


M = TypeVar("M", bound=Member)

# How much of a reason stands where another answer names it.
CAUSE_CHARS = 300
ALL_PAID = Refusal(
    "rescue", "rescue.all_paid", "Every free vendor is pinned to its paid tier.", "limen config get web.provider_tier shows who"
)


class Ring(msgspec.Struct, Generic[M], frozen=True):
    """Free vendors in their order, and `last`, who is asked after all. `all_paid`: each one is pinned to its paid tier."""

    free: Sequence[M] = ()
    last: M | None = None
    all_paid: bool = False

    def walk(self, session: str, failed: str = "") -> Sequence[M]:
        """Everybody but the one that failed, beginning at a place that the session decides."""
        start = sum(session.encode("utf-8", "replace")) % len(self.free) if self.free else 0
        round_robin = [*self.free[start:], *self.free[:start], *([self.last] if self.last is not None else [])]
        return [one for one in round_robin if one.name != failed and one.unavailable() is None]

    def nobody(self) -> dict[str, str]:
        """Why there is nobody in the ring, where that is the operator's doing."""
        return {"ring": told(ALL_PAID)} if self.all_paid and not self.free else {}


def told(refusal: Refusal) -> str:
    """A reason with its code, as one of several is told."""
    return f"{refusal.reason} [{refusal.code}]"
