"""One call of a tool at a vendor's public MCP endpoint (Model Context Protocol over streamable HTTP).

Most of these endpoints take a call as it is; one that wants to be greeted first is greeted, and the call is made again.
"""

from typing import Any

import msgspec

from limen.builtin.web.calling.link import Ask, Link, Reply
from limen.builtin.web.calling.refusing import Area, kind_of_words, quoted, refuse
from limen.core.context import CallContext
from limen.core.fault import Refusal

_VERSION = "2025-06-18"
_ACCEPT = {"accept": "application/json, text/event-stream"}
_SESSION = "mcp-session-id"
_ID = 1
# What servers say when they were not greeted: plain statuses, or an error in their protocol.
_UNGREETED = frozenset({400, 404, 406})
_UNGREETED_CODES = frozenset({-32_000, -32_600, -32_001})


class _Content(msgspec.Struct, frozen=True):
    text: str | None = None


class _Result(msgspec.Struct, frozen=True):
    content: tuple[_Content, ...] = ()
    structured: Any = msgspec.field(name="structuredContent", default=None)
    is_error: bool = msgspec.field(name="isError", default=False)


class _Error(msgspec.Struct, frozen=True):
    message: str = ""
    code: int = 0


class _Message(msgspec.Struct, frozen=True):
    result: _Result | None = None
    error: _Error | None = None


class ToolText(msgspec.Struct, frozen=True):
    """What a tool gave back: its texts put together, and the JSON of its structured answer where it has one."""

    text: str
    structured: bytes = b""

    @property
    def json(self) -> bytes:
        """The structured answer, else the text, to be read as JSON."""
        return self.structured or self.text.encode("utf-8", "replace")


async def call_tool(link: Link, tool: str, arguments: dict[str, Any], area: Area, context: CallContext) -> ToolText | Refusal:
    """The tool's answer, or a refusal: the link's own, `failed` and its kind for an error that the tool tells."""
    call = {"jsonrpc": "2.0", "id": _ID, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    reply = await link.send(Ask("", body=call, headers=_ACCEPT), area, context)
    if _wants_greeting(reply):
        greeted = await _greet(link, area, context)
        if isinstance(greeted, Refusal):
            return greeted
        reply = await link.send(Ask("", body=call, headers={**_ACCEPT, **greeted}), area, context)
    if isinstance(reply, Refusal):
        return reply
    message = _message(reply)
    if message is None:
        return refuse(area, "malformed", link.name, f"{link.name} did not answer as its protocol demands.")
    if message.error is not None or message.result is None:
        return _failed(area, link.name, message.error.message if message.error else "no result")
    text = "\n".join(one.text for one in message.result.content if one.text)
    if message.result.is_error:
        return _failed(area, link.name, text)
    structured = b"" if message.result.structured is None else msgspec.json.encode(message.result.structured)
    return ToolText(text, structured)


def _failed(area: Area, vendor: str, said: str) -> Refusal:
    return refuse(area, kind_of_words(said), vendor, f"{vendor} answered: {quoted(said) or 'an error without words'}.")


def _wants_greeting(reply: Reply | Refusal) -> bool:
    if isinstance(reply, Refusal):
        return reply.detail.get("status") in _UNGREETED
    message = _message(reply)
    return message is not None and message.error is not None and message.error.code in _UNGREETED_CODES


async def _greet(link: Link, area: Area, context: CallContext) -> dict[str, str] | Refusal:
    about = {"name": "limen", "version": "1"}
    parameters = {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": about}
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": parameters}
    reply = await link.send(Ask("", body=hello, headers=_ACCEPT), area, context)
    if isinstance(reply, Refusal):
        return reply
    headers = {"mcp-protocol-version": _VERSION}
    session = reply.headers.get(_SESSION, "")
    if session and session.isascii() and session.isprintable():
        headers[_SESSION] = session
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    told = await link.send(Ask("", body=ready, headers={**_ACCEPT, **headers}), area, context)
    return told if isinstance(told, Refusal) else headers


def _message(reply: Reply) -> _Message | None:
    """The message that answers our call: the body itself, or the one among the events of a stream."""
    if "text/event-stream" not in reply.headers.get("content-type", ""):
        return _parsed(reply.body)
    for event in reply.body.replace(b"\r\n", b"\n").split(b"\n\n"):
        data = b"\n".join(line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:"))
        message = _parsed(data) if data else None
        if message is not None and (message.result is not None or message.error is not None):
            return message
    return None


def _parsed(data: bytes) -> _Message | None:
    try:
        return msgspec.json.decode(data, type=_Message)
    except (msgspec.DecodeError, RecursionError):
        return None
