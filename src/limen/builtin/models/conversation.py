"""A request's messages seen as a turn: what is asked, what the tools have shown since, how many rounds that took."""

from collections.abc import Sequence
from functools import cached_property

from limen.builtin.models.hits import HITS, fused
from limen.builtin.models.observed import (
    INTERRUPTED,
    FoundHit,
    FoundLines,
    Problem,
    Searched,
    Seen,
    Stretch,
    cited_alike,
    observe,
)
from limen.builtin.models.one_tool import WEB, browsed
from limen.builtin.models.question import Question, parse
from limen.builtin.models.select import Reading, weigh
from limen.core.exchange import ModelRequest
from limen.core.message import Message, ToolCall, ToolResult, text_of


class Conversation:
    """The turn that a request is part of. Derived from the request alone; the same request gives the same turn."""

    def __init__(self, request: ModelRequest) -> None:
        self._messages = request.messages
        self._start = _turn_start(request.messages)
        self.tools = frozenset(tool.name for tool in request.tools) if request.may_call else frozenset()

    @cached_property
    def question(self) -> Question:
        """What a person asks in this turn and adds while it runs; a short question is read in the light of those before it."""
        earlier = [text_of(one.blocks) for one in self._messages[: self._start] if one.role == "user"]
        return parse("\n".join(text_of(one.blocks) for one in self._this_turn if one.role == "user"), earlier)

    @cached_property
    def rounds(self) -> int:
        """How often tools were called in this turn."""
        return sum(1 for one in self._this_turn if one.role == "assistant" and _calls(one))

    @cached_property
    def seen(self) -> Sequence[Seen]:
        """All that tools have shown in this turn."""
        calls: dict[str, ToolCall] = {}
        found: list[Seen] = []
        for message in self._this_turn:
            calls.update((call.call_id, call) for call in _calls(message))
            for block in message.blocks:
                if isinstance(block, ToolResult):
                    call = calls.get(block.call_id)
                    found += observe(call, block) if call is None or call.name != WEB else browsed(call, block)
        return cited_alike(found)

    @cached_property
    def made(self) -> frozenset[tuple[str, str]]:
        """Name and arguments of every call of this turn: none is made twice."""
        return frozenset((call.name, call.arguments) for one in self._this_turn for call in _calls(one))

    @property
    def _this_turn(self) -> Sequence[Message]:
        return self._messages[self._start :]

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        return tuple(item for item in self.seen if isinstance(item, Stretch))

    @cached_property
    def hits(self) -> tuple[FoundHit, ...]:
        """Every search's hits, each place once, best first: what several searches agree on outranks what one found."""
        searches: list[list[FoundHit]] = []
        for item in self.seen:
            if isinstance(item, Searched):
                searches.append([])
            elif isinstance(item, FoundHit) and searches:
                searches[-1].append(item)
        return fused(searches, self.question.asked)

    @cached_property
    def reading(self) -> Reading:
        """The passages of all that was read, ranked."""
        return weigh(self.question, self.stretches, self.hits, among_many=any(search.hits >= HITS for search in self.searches))

    @property
    def found_lines(self) -> tuple[FoundLines, ...]:
        return tuple(item for item in self.seen if isinstance(item, FoundLines))

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(dict.fromkeys(item for item in self.seen if isinstance(item, Problem)))

    @property
    def searches(self) -> tuple[Searched, ...]:
        return tuple(item for item in self.seen if isinstance(item, Searched))

    @cached_property
    def next_call_number(self) -> int:
        """One more than any number that a call of this model carries in the window."""
        numbers = [
            int(tail) for one in self._messages for call in _calls(one) if (tail := call.call_id.rpartition("_")[2]).isdecimal()
        ]
        return max(numbers, default=0) + 1


def _calls(message: Message) -> list[ToolCall]:
    return [block for block in message.blocks if isinstance(block, ToolCall)]


def _turn_start(messages: Sequence[Message]) -> int:
    """Where the latest question stands; a message that came between a turn's tool results and its answer adds to the question."""
    start = len(messages)
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].role != "user":
            continue
        start = at
        if at == 0 or messages[at - 1].role == "assistant" or _ended_early(messages[at - 1]):
            break
    return start


def _ended_early(message: Message) -> bool:
    """Whether a turn ended with these results: calls that were interrupted never get an answer."""
    return message.role == "tool" and INTERRUPTED in text_of(message.blocks)
