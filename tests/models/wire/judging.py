"""What the judges of every wire share: a conversation with all that can stand in one, and the vendors' declared types."""

import base64
import json

import pydantic

from limen.core.exchange import ModelRequest, Usage
from limen.core.ledger import Origin, Trust
from limen.core.message import Image, Message, Text, Thinking, ToolCall, ToolResult
from limen.core.prompt import Prompt, PromptPart
from limen.core.tool import ToolSchema
from limen.models.history import render
from limen.models.wire.bodies import encoded
from limen.testing.scripted_model import Reply, call, say

PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==")
TOOL = ToolSchema("find", "Find a phrase.", {"type": "object", "properties": {"pattern": {"type": "string"}}})

REPLIES = [
    say("Grüße, 世界 👋🏽", usage=Usage(12, 7, 3, 2)),
    Reply(text="Let me see.", thinking="hm", calls=(call("find", "call_a", pattern="é"), call("find", "call_b")), piece_chars=3),
    Reply(text="cut", stop="length"),
]


def history(signature=None):
    """A conversation; `signature` is what the first thought is signed with."""
    thought = Thinking("hm", signature, issuer="recorded/model")
    return (
        Message("user", (Text("Look at this"), Image("image/png", PIXEL, "a dot"))),
        Message("assistant", (thought, Text("Let me see."), ToolCall("c1", "find", '{"pattern":"x"}'))),
        Message("tool", (ToolResult("c1", (Text("line 1"), Image("image/png", PIXEL))),)),
        Message("assistant", (ToolCall("bad id!", "find", "{garbled"), ToolCall("c1", "find", "{}"))),
        Message("tool", (ToolResult("bad id!", (Text("no JSON"),), is_error=True),)),
        Message("assistant", (Text(" \n"), Text("Done."))),
        Message("user", (Text("And?"),)),
    )


def body_of(route, signature=None, **fields):
    """A request's bytes, past the gate `history`."""
    origin = Origin("identity", "x", Trust.OPERATOR)
    prompt = Prompt(stable=(PromptPart(Text("Be kind."), origin),), session=(PromptPart(Text("It is Monday."), origin),))
    return encoded(ModelRequest(route, prompt, render(history(signature), route).messages, (TOOL,), **fields))


def judge_of(declared):
    """Validates a body against a vendor's declared type; its iterables are validated only as they are walked."""
    config = pydantic.ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    adapter = pydantic.TypeAdapter(declared, config=config)
    return lambda body: walk(adapter.validate_json(body), json.loads(body))


def walk(value, sent):
    if isinstance(value, dict):
        return {key: walk(item, sent[key]) for key, item in value.items()}
    if isinstance(value, str | bytes | int | float | None):
        return value
    if isinstance(sent, str):  # declared as "a string or an iterable", and the validator takes a string for an iterable
        return sent
    return [walk(item, part) for item, part in zip(value, sent, strict=True)]
