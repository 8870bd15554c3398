"""What the providers of facts share: the way to a vendor, and the answer with its name, its page and its credit."""

from abc import ABC, abstractmethod
from datetime import UTC, date, datetime
from typing import ClassVar, Generic, NamedTuple, TypeVar

from limen.builtin.web.calling.link import Reply
from limen.builtin.web.calling.provider import Setup, link_of
from limen.builtin.web.calling.refusing import Kind
from limen.builtin.web.facts.table import fact_vendor
from limen.core.context import CallContext
from limen.core.facts import FactAnswer, FactRequest, no_fact
from limen.core.fault import Refusal
from limen.kit.clock import Clock, wall_s

Asked = TypeVar("Asked", bound=FactRequest)


class Known(NamedTuple):
    """What a vendor knows: lines, the page where a person finds the same, since when it is true, and what was not done."""

    lines: tuple[str, ...]
    page: str
    as_of: str = ""
    ignored: tuple[str, ...] = ()


class FactSource(ABC, Generic[Asked]):
    """A vendor of facts: it says which requests of a kind it covers (`_covers`), and what it knows (`_know`)."""

    name: ClassVar[str]
    asked: type[Asked]

    def __init__(self, setup: Setup, now: Clock = wall_s) -> None:
        self._about = fact_vendor(self.name)
        self._setup = setup
        self._now = now
        self._link = link_of(self._about.vendor, setup, self._classify)

    def covers(self, request: FactRequest) -> bool:
        """Whether it may be asked."""
        return isinstance(request, self.asked) and self._covers(request)

    async def look_up(self, request: FactRequest, context: CallContext) -> FactAnswer:
        """What the vendor knows. Raises TypeError for a request of another kind."""
        if not isinstance(request, self.asked):
            raise TypeError(f"{self.name} knows nothing of a {type(request).__name__}")
        known = await self._know(request, context)
        if isinstance(known, Refusal):
            return no_fact(self.name, known)
        return FactAnswer(known.lines, self.name, known.page, known.as_of, self._about.credit, known.ignored)

    @abstractmethod
    def _covers(self, request: Asked) -> bool: ...

    @abstractmethod
    async def _know(self, request: Asked, context: CallContext) -> Known | Refusal: ...

    def _today(self) -> date:
        """The day it is in UTC."""
        return datetime.fromtimestamp(self._now(), UTC).date()

    @staticmethod
    def _classify(reply: Reply) -> Kind | None:
        """What an answer means where the vendor uses a status in a way of its own."""
        return None
