"""Conversations as the extractive model gets them, written down briefly."""

import json

import msgspec

from limen.builtin.models.extractive import ExtractiveModel
from limen.core.exchange import ModelReply, ModelRequest, TextDelta
from limen.core.message import Message, Text, ToolCall, ToolResult, text_of
from limen.core.prompt import Prompt
from limen.core.route import Route
from limen.core.tool import ToolSchema

ROUTE = Route("limen", "embedded", "extractive")
TOOLS = ("web_search", "web_extract", "read_file", "find")


def user(text):
    return Message("user", (Text(text),))


def said(text):
    return Message("assistant", (Text(text),))


def called(*calls):
    """An assistant's calls: (name, arguments), numbered from 1."""
    return Message(
        "assistant",
        tuple(ToolCall(f"call_{at}", name, msgspec.json.encode(given).decode()) for at, (name, given) in enumerate(calls, 1)),
    )


def gave(*results, is_error=False):
    """What came back for the calls numbered from 1: a text as it is, anything else as JSON."""
    texts = [result if isinstance(result, str) else json.dumps(result) for result in results]
    return Message("tool", tuple(ToolResult(f"call_{at}", (Text(text),), is_error) for at, text in enumerate(texts, 1)))


def hits(*found):
    return {"results": [{"n": at, "position": at, "url": f"file:///docs/{at}", **hit} for at, hit in enumerate(found, 1)]}


def file(content, *, n=1, ref="lib:1", start=1, next_line=None, title="asyncio tasks"):
    lines = content.count("\n") + 1
    return {
        "n": n, "ref": ref, "path": ref, "title": title, "url": f"file:///docs/{n}", "start_line": start,
        "end_line": start + lines - 1, "total_lines": start + lines, "next_line": next_line, "content": content,
    }  # fmt: skip


def page(content, *, n=1, url="https://docs.example/a", **source):
    return {"url": url, "title": "Page", "content": content, "error": None, "n": n, "source": {"final_url": url, **source}}


def request(messages, tools=TOOLS, may_call=True):
    schemas = tuple(ToolSchema(name, "", {}) for name in tools)
    return ModelRequest(ROUTE, Prompt(), tuple(messages), schemas, may_call=may_call)


async def ask(*messages, **options):
    """The model's reply, checked against the port's promise: deltas that make up the text, then one reply, last."""
    items = [item async for item in ExtractiveModel().send(request(messages, **options))]
    *deltas, reply = items
    assert isinstance(reply, ModelReply)
    assert all(isinstance(delta, TextDelta) for delta in deltas)
    assert "".join(delta.text for delta in deltas) == text_of(reply.blocks)
    return reply


async def calls(*messages, **options):
    """The calls of the reply as (name, arguments)."""
    return [(call.name, json.loads(call.arguments)) for call in (await ask(*messages, **options)).tool_calls]


async def answer(*messages, **options):
    """The text of a reply that ends the turn."""
    reply = await ask(*messages, **options)
    assert reply.complete
    return text_of(reply.blocks)
