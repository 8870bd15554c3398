"""Tool calls of one streamed reply, put together from their pieces."""

from collections.abc import Iterator

import msgspec

from limen.core.message import Block, Thinking
from limen.models.signatures import CALL
from limen.models.wire.arguments import is_object
from limen.models.wire.calls import CallsNamed
from limen.models.wire.chat_shapes import CallShape


class _Call:
    """A call in the making."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self.signature = ""
        self.arguments: list[str] = []

    @property
    def text(self) -> str:
        """The arguments so far; a call without any has an empty object."""
        return "".join(self.arguments).strip() or "{}"


class CallGathering:
    """Takes pieces of calls in the order they came."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []

    def add(self, shape: CallShape) -> int:
        """Take one piece; returns how many characters of arguments it held."""
        call = self._call_for(shape)
        call.id = call.id or (shape.id or "")
        call.signature = call.signature or shape.signature
        if shape.function is None:
            return 0
        call.name = call.name or (shape.function.name or "")
        arguments = shape.function.arguments
        if arguments is None:
            return 0
        written = arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()
        call.arguments.append(written)
        return len(written)

    def _call_for(self, shape: CallShape) -> _Call:
        """By index; a new id beside a name starts another call, since some servers count none of them, or all as 0."""
        same = [call for call in self._calls if call.index == shape.index] if shape.index is not None else self._calls[-1:]
        named = shape.function is not None and bool(shape.function.name)
        if same:
            call = same[-1]
            another = bool(shape.id) and bool(call.id) and shape.id != call.id
            uncounted = shape.index is None and bool(call.name)
            if not (named and (another or uncounted)):
                return call
        call = _Call(len(self._calls) if shape.index is None else shape.index)
        self._calls.append(call)
        return call

    @property
    def whole(self) -> bool:
        """Whether every call's arguments are a JSON object: a cut one hardly ever is."""
        return all(is_object(call.text) for call in self._calls)

    def finished(self, seed: str, issuer: str) -> Iterator[Block]:
        """The calls, each behind its signature. Ids that are missing or stand twice are made from `seed`, the same each time."""
        named = CallsNamed(seed)
        for call in self._calls:
            if call.signature:
                yield Thinking("", CALL + call.signature, issuer)
            yield named.call(call.id, call.name, call.text)
