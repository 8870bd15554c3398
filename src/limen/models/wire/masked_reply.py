"""One reply without the keys that a provider, or whatever stands before it, sends back in it."""

import hashlib
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from limen.core.exchange import Delta, ModelReply, TextDelta, ThinkingDelta
from limen.core.message import Block, Text, Thinking, ToolCall
from limen.kit.secret.echo import Echoes, EchoMask
from limen.models.wire.arguments import masked_arguments

Said = TypeVar("Said", Text, Thinking)

_NOTHING = Thinking("")


class MaskedReply:
    """Masks known keys in what is shown of a reply while it streams, and in the reply itself.

    A tool gets the mask in place of a key, in arguments that are JSON still.
    """

    def __init__(self, known: Echoes) -> None:
        self._known = known
        self._masks: dict[type[Delta], EchoMask] = {ThinkingDelta: EchoMask(known), TextDelta: EchoMask(known)}

    def shown(self, delta: Delta) -> Iterator[Delta]:
        """What can be shown once this piece has come."""
        kind = type(delta)
        for other, mask in self._masks.items():
            if other is not kind and (text := mask.pause()):
                yield other(text)
        if text := self._masks[kind].add(delta.text):
            yield kind(text)

    def rest(self) -> Iterator[Delta]:
        """What was held back until the end."""
        for kind, mask in self._masks.items():
            if text := mask.rest():
                yield kind(text)

    def whole(self, reply: ModelReply) -> ModelReply:
        """The reply as it is stored. Texts are looked at as one, since a key may be cut by the end of a block."""
        texts = self._masked_texts([block for block in reply.blocks if isinstance(block, Text)])
        thoughts = self._masked_texts([block for block in reply.blocks if isinstance(block, Thinking)])
        blocks = tuple(self._block(block, texts, thoughts) for block in reply.blocks)
        if blocks == reply.blocks:
            return reply
        return msgspec.structs.replace(reply, blocks=tuple(block for block in blocks if block != _NOTHING))

    def _masked_texts(self, blocks: list[Said]) -> Iterator[str]:
        return iter(self._known.masked_each([block.text for block in blocks]))

    def _block(self, block: Block, texts: Iterator[str], thoughts: Iterator[str]) -> Block:
        match block:
            case Text():
                return Text(next(texts))
            case Thinking(text, signature, issuer):
                masked = next(thoughts)
                if masked == text and not self._known.find(signature or ""):
                    return block
                return Thinking(masked, None, issuer) if masked else _NOTHING  # signed or sealed, it is taken back only as it was
            case ToolCall(call_id, name, arguments):
                return ToolCall(self._call_id(call_id), self._known.masked(name), masked_arguments(arguments, self._known))
            case _:
                return block

    def _call_id(self, call_id: str) -> str:
        """An id that holds a key becomes another that tells the calls of a reply apart as well."""
        return f"call_{hashlib.sha256(call_id.encode()).hexdigest()[:16]}" if self._known.find(call_id) else call_id
