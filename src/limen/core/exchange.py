"""One exchange with a model: what is asked and what is answered, free of any vendor's shape."""

from typing import Literal

import msgspec

from limen.core.fault import FaultClass
from limen.core.message import Block, Message, Text, Thinking, ToolCall
from limen.core.prompt import Prompt
from limen.core.prompt_cache import CacheUse, Sent
from limen.core.route import Route
from limen.core.tool import ToolSchema

Stop = Literal["end", "tools", "length", "filter", "interrupted"]


class Usage(msgspec.Struct, frozen=True):
    """Tokens as the provider counted them: of all input, `cached_tokens` it did not have to read again and
    `cache_write_tokens` it kept for the next request. `tells_cache` False says that it counts neither aloud."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None
    tells_cache: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        costs = [usage.cost_usd for usage in (self, other) if usage.cost_usd is not None]
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            cost_usd=sum(costs) if costs else None,
            tells_cache=self.tells_cache or other.tells_cache,
        )


class RouteFailure(msgspec.Struct, frozen=True):
    """Why a route did not answer. `until` is the Unix time at which its provider takes requests again, 0 where it named none;
    `mend` what helps, where that is not to be told by the kind."""

    route: str
    kind: FaultClass
    reason: str
    until: float = 0.0
    mend: str = ""


class Left(msgspec.Struct, frozen=True):
    """What the turn of a request may still use, in tokens and US dollars. None is no ceiling."""

    tokens: int | None = None
    cost_usd: float | None = None


class Course(msgspec.Struct, frozen=True):
    """Where a request stands on its way along the routes: those that `failed` in this turn already, and the names of those whose
    failure the person has been `told` of. Those `spared` have not been asked, since they were known to be out of order; that is
    done where nobody else answers. A request that goes `alone` is for its route and no other; one that is not `patient` is tried
    once and waits for nothing, since whoever makes it has somebody else to ask."""

    failed: tuple[RouteFailure, ...] = ()
    told: tuple[str, ...] = ()
    spared: tuple[Route, ...] = ()
    alone: bool = False
    patient: bool = True


class ModelRequest(msgspec.Struct, frozen=True):
    """Everything a model is given for one reply. `output_tokens` caps the reply.

    `may_call` False asks for words only while the tools stay in place, so that the request keeps its prefix. `input_tokens` is
    its size as counted here, 0 where nobody counted. `cache_key` tells the provider which requests begin alike, and nothing of
    whose they are; `fold` is the ledger entry of the fold in the messages, 0 without one; `earlier` are the session's latest
    requests, one for each route; `left` is what may still be used.
    """

    route: Route
    prompt: Prompt
    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...] = ()
    output_tokens: int = 4_096
    may_call: bool = True
    input_tokens: int = 0
    course: Course = Course()
    cache_key: str = ""
    fold: int = 0
    earlier: tuple[Sent, ...] = ()
    left: Left = Left()


class ModelReply(msgspec.Struct, frozen=True):
    """A model's whole reply. `attempts` counts sends to its route, first one included; `failed` are the routes that did not
    answer, of which those `spared` were not asked."""

    blocks: tuple[Block, ...]
    stop: Stop
    usage: Usage
    route: Route
    attempts: int = 1
    failed: tuple[RouteFailure, ...] = ()
    spared: tuple[Route, ...] = ()
    cache: CacheUse | None = None

    @property
    def course(self) -> Course:
        """Where the turn's next request stands: whoever failed before this reply has been told of."""
        return Course(self.failed, tuple(failure.route for failure in self.failed), self.spared)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls in this reply, in order. A reply cut by its token limit or interrupted has none that may run."""
        if self.stop in ("length", "filter", "interrupted"):
            return ()
        return tuple(block for block in self.blocks if isinstance(block, ToolCall))

    @property
    def complete(self) -> bool:
        """Whether the model said all it wanted and asked for nothing more."""
        return self.stop == "end" and not self.tool_calls


class TextDelta(msgspec.Struct, frozen=True, tag="text"):
    """A piece of visible text."""

    text: str


class ThinkingDelta(msgspec.Struct, frozen=True, tag="thinking"):
    """A piece of reasoning."""

    text: str


Delta = TextDelta | ThinkingDelta


class Alive(msgspec.Struct, frozen=True, tag="alive"):
    """A sign that a reply goes on of which nothing can be shown yet, such as a call's arguments."""


ReplyBlock = Text | Thinking | ToolCall


class PartialReply:
    """Gathers a reply while it streams, so that an interrupted one is not lost. Calls are never gathered: half a call is none."""

    def __init__(self) -> None:
        self._text: list[str] = []

    def add(self, delta: Delta) -> None:
        """Take one piece; reasoning is left out, since without its signature no vendor would take it back."""
        if isinstance(delta, TextDelta):
            self._text.append(delta.text)

    def restart(self) -> None:
        """Forget what was gathered: another route begins anew."""
        self._text.clear()

    def blocks(self) -> tuple[Text, ...]:
        """What was said so far: one text, or nothing."""
        text = "".join(self._text)
        return (Text(text),) if text else ()
