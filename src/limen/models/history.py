"""History as a route's model may be given it: calls with their results right behind them, legal ids, thinking for its issuer.

The window keeps history free of any vendor's rules; this applies them at send time, the same way each time. What it leaves
out or adds is said in `Rendered`, so that the audit of a request can account for every leaf.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence

import msgspec

from limen.core.message import Block, Image, Leaf, Message, Role, Text, Thinking, ToolCall, ToolResult
from limen.core.route import Route
from limen.kit.text import writable
from limen.models import quirks
from limen.models.pairing import Pairing, pair
from limen.models.signatures import signs_call, wire_of
from limen.models.tool_faces import legal_name

MISSING_RESULT = Text("[no result was recorded for this call]")
EMPTY_RESULT = Text("[the tool gave no output]")
ORPHAN_RESULT = Text("[what follows is a tool's result whose call is no longer in this conversation]")
TOOL_PICTURES = Text("[pictures from the tool results above]")
EMPTY_MESSAGE = Text("[an empty message]")
BEGINNING = Text("[the conversation began before this]")

# Letters, digits, dash and underscore, up to 64: what every vendor of a chat protocol takes.
_LEGAL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SHORT_ID = re.compile(r"[A-Za-z0-9]{9}")
# What every vendor's models can see.
_SEEN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class Rendered(msgspec.Struct, frozen=True):
    """Messages to send, and what that changed: leaves that stay behind, leaves that only this rendering put in."""

    messages: tuple[Message, ...]
    left_out: tuple[Leaf, ...] = ()
    put_in: tuple[Leaf, ...] = ()


def render(messages: Sequence[Message], route: Route) -> Rendered:
    """Bring `messages` into the order and shape that `route` takes. Pure: the same history gives the same messages."""
    return _Rendering(route).run(messages)


class _Rendering:
    def __init__(self, route: Route) -> None:
        self._route = route
        self._is_anthropic = route.wire == "anthropic_messages"
        self._merges = quirks.ALTERNATE in route.quirks
        self._short_ids = quirks.SHORT_IDS in route.quirks
        self._out: list[Message] = []
        self._left_out: list[Leaf] = []
        self._put_in: list[Leaf] = []
        self._ids: set[str] = set()

    def run(self, messages: Sequence[Message]) -> Rendered:
        pairing = pair(messages)
        for number, message in enumerate(messages):
            if self._out and self._passes(message):
                self._out.append(message)  # nothing in it depends on the route; most of a long history is such
                continue
            match message.role:
                case "assistant":
                    self._assistant(number, message, pairing)
                case "user":
                    self._user(message)
                case "tool":
                    self._orphans(number, message, pairing)
        return Rendered(tuple(self._out), tuple(self._left_out), tuple(self._put_in))

    def _passes(self, message: Message) -> bool:
        if message.role == "tool" or not message.blocks or (self._merges and message.role == self._out[-1].role == "user"):
            return False
        return all(map(self._is_plain, message.blocks))

    def _is_plain(self, block: Block) -> bool:
        return type(block) is Text and writable(block.text) == block.text and not self._is_refused(block)

    def _is_refused(self, block: Text) -> bool:
        """Whether the route takes no text like this: Anthropic none that is blank."""
        return self._is_anthropic and (not block.text or block.text.isspace())

    def _whole(self, block: Text) -> Text:
        """A text with replacement characters for halves of surrogate pairs, which many a server refuses even behind `\\u`."""
        text = writable(block.text)
        if text == block.text:
            return block
        whole = Text(text)
        self._left_out.append(block)
        self._put_in.append(whole)
        return whole

    def _user(self, message: Message) -> None:
        shown = self._visible(message.blocks)
        if not shown and message.blocks:
            self._put_in.append(EMPTY_MESSAGE)
            shown = [EMPTY_MESSAGE]
        self._add("user", shown)

    def _assistant(self, number: int, message: Message, pairing: Pairing) -> None:
        said: list[Block] = []
        answers: list[ToolResult] = []
        for index, block in enumerate(message.blocks):
            match block:
                case ToolCall(call_id, name, arguments):
                    call = ToolCall(self._legal_id(call_id), legal_name(name), writable(arguments))
                    if (name, arguments) != (call.name, call.arguments):
                        self._left_out.append(block)
                        self._put_in.append(call)
                    said.append(call)
                    answers.append(self._result(pairing.result_of.get((number, index)), call.call_id))
                case Text() if not self._is_refused(block):
                    said.append(self._whole(block))
                case Thinking() if self._takes_back(block, message.blocks[index + 1 : index + 2]):
                    said.append(block)
                case Text() | Thinking():
                    self._left_out.append(block)
        if any(isinstance(block, Text | ToolCall) for block in said):
            self._add("assistant", sorted(said, key=_chat_order) if self._route.wire == "chat_completions" else said)
            self._results(answers)
        else:
            self._left_out.extend(block for block in said if isinstance(block, Thinking))

    def _takes_back(self, block: Thinking, behind: Sequence[Block]) -> bool:
        """Whether the route's model wants its own reasoning again, and this is its own, over the protocol it came by."""
        if block.issuer != self._route.name or writable(block.text) != block.text:
            return False
        if block.signature:
            return wire_of(block.signature) == self._route.wire and (not signs_call(block) or _is_call(behind))
        wanted = self._route.wire == "chat_completions" and quirks.REPLAY_REASONING in self._route.quirks
        return wanted and bool(block.text.strip())

    def _result(self, result: ToolResult | None, call_id: str) -> ToolResult:
        if result is None:
            self._put_in.append(MISSING_RESULT)
            return ToolResult(call_id, (MISSING_RESULT,), is_error=True)
        if not result.blocks:
            self._put_in.append(EMPTY_RESULT)
            return ToolResult(call_id, (EMPTY_RESULT,), is_error=result.is_error)
        return msgspec.structs.replace(result, call_id=call_id)

    def _results(self, results: Sequence[ToolResult]) -> None:
        if not results:
            return
        pictures: list[Text | Image] = []
        shown: list[Block] = []
        for result in results:
            blocks = self._visible(result.blocks)
            if self._route.wire == "chat_completions" and quirks.TOOL_IMAGES not in self._route.quirks:
                pictures.extend(block for block in blocks if isinstance(block, Image))
                blocks = [block for block in blocks if isinstance(block, Text)]
            if not blocks:
                self._put_in.append(EMPTY_RESULT)
                blocks = [EMPTY_RESULT]
            shown.append(msgspec.structs.replace(result, blocks=tuple(blocks)))
        self._add("tool", shown)
        if pictures:
            self._put_in.append(TOOL_PICTURES)
            self._add("user", [TOOL_PICTURES, *pictures])

    def _orphans(self, number: int, message: Message, pairing: Pairing) -> None:
        for index, block in enumerate(message.blocks):
            if isinstance(block, ToolResult) and (number, index) in pairing.orphans:
                self._put_in.append(ORPHAN_RESULT)
                self._add("user", [ORPHAN_RESULT, *self._visible(block.blocks)])

    def _visible(self, blocks: Iterable[Block]) -> list[Text | Image]:
        shown: list[Text | Image] = []
        for block in blocks:
            if isinstance(block, Image) and (quirks.NO_IMAGES in self._route.quirks or block.media_type not in _SEEN):
                words = Text(f"[picture: {writable(block.alt)}]" if block.alt else "[picture]")
                self._left_out.append(block)
                self._put_in.append(words)
                shown.append(words)
            elif isinstance(block, Text) and self._is_refused(block):
                self._left_out.append(block)
            elif isinstance(block, Text):
                shown.append(self._whole(block))
            elif isinstance(block, Image):
                shown.append(block)
        return shown

    def _add(self, role: Role, blocks: Sequence[Block]) -> None:
        if not blocks:
            return
        last = self._out[-1] if self._out else None
        if last is None and role == "assistant" and self._is_anthropic:
            self._put_in.append(BEGINNING)
            self._out.append(Message("user", (BEGINNING,)))
        if self._merges and last is not None and last.role == role == "user":
            self._out[-1] = Message("user", (*last.blocks, *blocks))
            return
        self._out.append(Message(role, tuple(blocks)))

    def _legal_id(self, call_id: str) -> str:
        pattern = _SHORT_ID if self._short_ids else _LEGAL_ID
        legal = call_id if pattern.fullmatch(call_id) else self._hashed(call_id)
        count = 2
        unique = legal
        while unique in self._ids:
            unique = self._hashed(f"{legal}\0{count}")
            count += 1
        self._ids.add(unique)
        return unique

    def _hashed(self, text: str) -> str:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return digest[:9] if self._short_ids else "call_" + digest[:20]


def _chat_order(block: Block) -> int:
    """Chat Completions has a field for each kind of block, in this order; a call's signature stands beside the call."""
    return (Thinking, Text, ToolCall).index(ToolCall if signs_call(block) else type(block))


def _is_call(blocks: Sequence[Block]) -> bool:
    return bool(blocks) and isinstance(blocks[0], ToolCall)
