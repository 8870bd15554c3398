"""A catalogue of what providers, and whatever stands before them, do instead of answering: each over any wire, as a step of
`model_server`. Played for ever, so that whoever tries again meets the same."""

import gzip
import json
from collections.abc import Callable, Iterator
from email.utils import formatdate
from typing import Any

import msgspec

from limen.core.message import ToolCall
from limen.core.route import WireName
from limen.kit.clock import iso_utc, wall_s
from limen.testing import chat_format, messages_format, responses_format
from limen.testing.model_server import Answer, Piece, Raw, Repeat, Step, Stream
from limen.testing.scripted_model import Reply, call, say

ASKED = call("remove", "call_a", path="/home/somebody/build")
"""The call that a reply asks for where it is broken off."""

ANSWER = "Grüße, 世界 👋🏽."
"""What is said where a fault leaves the reply whole."""

_SSE = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
_JSON = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
_PAGE = b"<!doctype html><html><title>Just a moment...</title>Enable JavaScript and cookies to continue</html>"
_BYTES = bytes(range(256)) * 4
_LATER_S = 3_000


class Fault(msgspec.Struct, frozen=True):
    """One way to fail. `step` makes what the server does, for a wire; None where nobody listens. `answers` says that the reply
    is whole nonetheless. `idle_s` and `silent_s` are how patient whoever asks should be, in seconds."""

    name: str
    step: Callable[[WireName], Step] | None
    answers: bool = False
    idle_s: float = 10.0
    silent_s: float = 60.0


def events(wire: WireName, reply: Reply) -> list[bytes]:
    """A reply as the events of a wire's stream."""
    written: dict[str, Callable[[Reply, str], Iterator[bytes]]] = {
        "chat_completions": chat_format.events,
        "anthropic_messages": messages_format.events,
        "codex_responses": responses_format.events,
    }
    return list(written[wire](reply, "m"))


def whole(wire: WireName, reply: Reply) -> dict[str, Any]:
    """A reply as a wire's one document."""
    written: dict[str, Callable[[Reply, str], dict[str, Any]]] = {
        "chat_completions": chat_format.whole,
        "anthropic_messages": messages_format.whole,
        "codex_responses": responses_format.whole,
    }
    return written[wire](reply, "m")


def error_event(wire: WireName, message: str, code: str) -> bytes:
    """An error in the midst of a wire's stream, in its vendor's shape."""
    shapes: dict[str, dict[str, Any]] = {
        "chat_completions": {"error": {"message": message, "code": code}},
        "anthropic_messages": {"type": "error", "error": {"type": code, "message": message}},
        "codex_responses": {"type": "error", "code": code, "message": message, "sequence_number": 9},
    }
    return b"event: error\ndata: " + json.dumps(shapes[wire]).encode() + b"\n\n"


def _http(status: int, message: str = "", headers: dict[str, str] | None = None, **fields: Any) -> Callable[[WireName], Step]:
    answer = Answer.of(status, {"error": {"message": message, **fields}} if message else {}, headers)
    return lambda wire: answer


def _page(status: int, title: str = "Just a moment...") -> Callable[[WireName], Step]:
    body = _PAGE.replace(b"Just a moment...", title.encode())
    return lambda wire: Answer(status, body, {"content-type": "text/html"})


def _raw(*pieces: Piece) -> Callable[[WireName], Step]:
    return lambda wire: Raw(pieces)


def _spoken(wire: WireName, reply: Reply | None = None) -> bytes:
    return b"".join(events(wire, reply or say(ANSWER)))


def _cut(share: float, *then: Piece, reply: Reply | None = None) -> Callable[[WireName], Step]:
    """A stream that ends early, at that share of its bytes."""

    def step(wire: WireName) -> Step:
        body = _spoken(wire, reply or say("Half of what there is to say, or so."))
        return Raw((_SSE, body[: int(len(body) * share)], "pause", *then))

    return step


def _in_arguments(*then: Piece) -> Callable[[WireName], Step]:
    """A stream that ends in the midst of a call's arguments, or where `then` goes on."""

    def step(wire: WireName) -> Step:
        written = events(wire, Reply(text="Let me see.", calls=(ASKED,), piece_chars=4))
        return Raw((_SSE, *written[: -_END[wire] - 3], "pause", *then))

    return step


def _said(*pieces: bytes) -> Callable[[WireName], Step]:
    return lambda wire: Stream(pieces)


def _document(change: Callable[[WireName, dict[str, Any]], object]) -> Callable[[WireName], Step]:
    """A reply in one document, changed."""

    def step(wire: WireName) -> Step:
        shape = whole(wire, say(ANSWER))
        change(wire, shape)
        return Answer.of(200, shape)

    return step


_END = {"chat_completions": 3, "anthropic_messages": 3, "codex_responses": 2}
"""How many events the end of a reply with a call takes."""
_CONTENT = {"chat_completions": "choices", "anthropic_messages": "content", "codex_responses": "output"}


def _emptied(wire: WireName, shape: dict[str, Any]) -> None:
    shape[_CONTENT[wire]] = []


def _nulled(wire: WireName, shape: dict[str, Any]) -> None:
    if wire == "chat_completions":
        shape["choices"][0]["message"]["content"] = None
    elif wire == "anthropic_messages":
        shape["content"] = [{"type": "text", "text": None}]
    else:
        shape["output"][0]["content"] = None


def _unknown(_wire: WireName, shape: dict[str, Any]) -> None:
    shape["a_field_of_next_year"] = {"with": [1, None, {"more": "in it"}]}


def _misnamed(wire: WireName) -> Step:
    return Stream((json.dumps(whole(wire, say(ANSWER))).encode(),))


def _padded(wire: WireName) -> Step:
    padding = json.dumps({"type": "ping", "padding": "x" * 10_000_000}).encode()
    return Stream((b"data: " + padding + b"\n\n", _spoken(wire)))


def _twice(wire: WireName) -> Step:
    return Stream((_spoken(wire, Reply(calls=(ASKED, ToolCall(ASKED.call_id, "find", "{}")))),))


def _by_byte(wire: WireName) -> Step:
    body = _spoken(wire)
    return Raw((_SSE, *(body[at : at + 1] for at in range(len(body)))))


def _dripping(wire: WireName) -> Step:
    body = _spoken(wire)
    size = max(len(body) // 120, 1)
    return Raw((_SSE, *(piece for at in range(0, len(body), size) for piece in (body[at : at + size], "pause"))))


def _squeezed(share: float) -> Callable[[WireName], Step]:
    def step(wire: WireName) -> Step:
        body = gzip.compress(_spoken(wire))
        return Raw((_SSE.replace(b"\r\n\r\n", b"\r\ncontent-encoding: gzip\r\n\r\n"), body[: int(len(body) * share)], "pause"))

    return step


def _declared(wire: WireName, body: bytes, head: bytes) -> Step:
    return Raw((head + f"content-length: {len(body)}\r\n\r\n".encode(), body))


def _lengthy(wire: WireName) -> Step:
    return Stream((_spoken(wire, Reply(text="word " * 4_000, piece_chars=1)),))


def _half_a_document(wire: WireName) -> Step:
    body = json.dumps(whole(wire, say(ANSWER))).encode()
    return Answer(200, body[: len(body) // 2], {"content-type": "application/json"})


def _broken_off(wire: WireName) -> Step:
    return Stream((*events(wire, say("Half of it"))[:-3], error_event(wire, "Overloaded", "overloaded_error")))


def _full_in_stream(wire: WireName) -> Step:
    return Stream((error_event(wire, "prompt is too long", "invalid_request_error"),))


def _hinted(wire: WireName) -> Step:
    return Raw((b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" + _SSE, _spoken(wire)))


_LATER = wall_s() + _LATER_S

FAULTS: tuple[Fault, ...] = (
    Fault("connection refused", None),
    Fault("closed at once", _raw()),
    Fault("reset at once", _raw("reset")),
    Fault("reset in the head", _raw(b"HTTP/1.1 200 OK\r\ncontent-ty", "pause", "reset")),
    Fault("not HTTP at all", _raw(b"SSH-2.0-OpenSSH_9.7\r\n\r\n")),
    Fault("a head without an end", _raw(b"HTTP/1.1 200 OK\r\n", Repeat(b"x-more: " + b"x" * 9_000 + b"\r\n"))),
    Fault("reset in the body", _cut(0.5, "reset")),
    Fault("ended in the body", _cut(0.5)),
    Fault("shorter than its content-length", lambda wire: Raw((_JSON + b"content-length: 9999\r\n\r\n", b'{"id": '))),
    Fault("a chunk's size is no number", _raw(_SSE.replace(b"\r\n\r\n", b"\r\ntransfer-encoding: chunked\r\n\r\n"), b"zz\r\nx")),
    Fault("reset in a call's arguments", _in_arguments("reset")),
    Fault("ended in a call's arguments", _in_arguments()),
    Fault("done in a call's arguments", _in_arguments(b"data: [DONE]\n\n")),
    Fault("a stall before the head", _raw("hang"), idle_s=0.2),
    Fault("a stall in the text", _cut(0.6, "hang"), idle_s=0.2),
    Fault("a stall in a call's arguments", _in_arguments("hang"), idle_s=0.2),
    Fault("nothing but signs of life", _raw(_SSE, Repeat(b": still here\n\n")), silent_s=0.4),
    Fault("nothing but pings", _raw(_SSE, Repeat(b'event: ping\ndata: {"type": "ping"}\n\n')), silent_s=0.4),
    Fault("blanks in place of an answer", _raw(_JSON + b"\r\n", Repeat(b" ")), silent_s=0.4),
    Fault("429 that names no time", _http(429, "Rate limit reached", code="rate_limit_exceeded")),
    Fault("429, retry-after in seconds", _http(429, "Rate limit reached", {"retry-after": "7"})),
    Fault("429, retry-after-ms", _http(429, "Rate limit reached", {"retry-after-ms": "7000"})),
    Fault("429, retry-after as a date", _http(429, "Rate limit", {"retry-after": formatdate(_LATER, usegmt=True)})),
    Fault("429, reset as a span", _http(429, "Rate limit", {"x-ratelimit-reset-requests": "50m0s"})),
    Fault("429, reset in Unix seconds", _http(429, "Rate limit", {"x-ratelimit-reset": str(int(_LATER))})),
    Fault("429, reset in Unix milliseconds", _http(429, "Rate limit", {"x-ratelimit-reset": str(int(_LATER * 1_000))})),
    Fault("429, reset as a timestamp", _http(429, "Rate limit", {"anthropic-ratelimit-tokens-reset": iso_utc(_LATER)})),
    Fault("429, a field says when", _http(429, "Rate limit", resets_in_seconds=_LATER_S)),
    Fault("429, words say when", _http(429, "Rate limit reached. Please try again in 50m.")),
    Fault("429, the day's quota", _http(429, "You exceeded your current quota", code="insufficient_quota")),
    Fault("429, credits required", _http(429, "Out of usage credits", error_code="credits_required")),
    Fault("429 of a vendor behind the provider", _http(429, "Upstream model provider is temporarily unavailable")),
    Fault("400, the window is full", _http(400, "This model's maximum context length is 8192 tokens.")),
    Fault("400, a parameter is refused", _http(400, "Unsupported parameter: 'seed'", code="unsupported_parameter")),
    Fault("400, no such model", _http(400, "gpt-99 is not a valid model ID")),
    Fault("400, filtered", _http(400, "The prompt was filtered", code="content_filter")),
    Fault("401", _http(401, "Incorrect API key provided", code="invalid_api_key")),
    Fault("402", _http(402, "Insufficient credits")),
    Fault("403", _http(403, "You have no access to this model")),
    Fault("403, a page of a firewall", _page(403)),
    Fault("404, no such model", _http(404, "The model `gpt-99` does not exist", code="model_not_found")),
    Fault("404, no such path", lambda wire: Answer(404, b"404 page not found", {"content-type": "text/plain"})),
    Fault("408", _http(408, "Request timed out")),
    Fault("413", _http(413, "Request too large")),
    Fault("422", lambda wire: Answer.of(422, {"detail": [{"loc": ["body", "n"], "msg": "Field required", "input": "429"}]})),
    Fault("307", lambda wire: Answer(307, b"", {"location": "https://elsewhere.example/v1"})),
    Fault("500", _http(500, "The server had an error")),
    Fault("500, the window is full", _http(500, "the request exceeds the available context size")),
    Fault("502, a page", _page(502, "502 Bad Gateway")),
    Fault("503", _http(503, "Service unavailable")),
    Fault("504", _http(504, "upstream request timeout")),
    Fault("529", _http(529, "Overloaded", type="overloaded_error")),
    Fault("204", lambda wire: Answer(204)),
    Fault("200, a login page", _page(200, "Log in")),
    Fault("200, a page that is called a stream", lambda wire: Stream((_PAGE,))),
    Fault("200, plain text", lambda wire: Answer(200, b"Service is starting", {"content-type": "text/plain"})),
    Fault("200, bytes of no kind", lambda wire: Answer(200, _BYTES, {"content-type": "application/octet-stream"})),
    Fault("200, without a type", lambda wire: Answer(200, b"ok")),
    Fault("200, an error object", _http(200, "Overloaded", code=529)),
    Fault("200, an empty object", lambda wire: Answer.of(200, {})),
    Fault("200, null", lambda wire: Answer.of(200, None)),
    Fault("200, empty", lambda wire: Answer(200, b"", {"content-type": "application/json"})),
    Fault("200, half a document", _half_a_document),
    Fault("200, not UTF-8", lambda wire: Answer(200, b'{"id": "\xff\xfe"}', {"content-type": "application/json"})),
    Fault("no choices", _document(_emptied)),
    Fault("null content", _document(_nulled)),
    Fault("an empty stream", _said()),
    Fault("an event that is no JSON", _said(b"data: {broken\n\n")),
    Fault("an event of NaN", _said(b'data: {"choices": NaN, "index": NaN, "output_index": NaN}\n\n')),
    Fault("an event nested 100,000 deep", _said(b'data: {"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n\n")),
    Fault("an event of 20 MB", _said(b"data: " + b"x" * 20_000_000 + b"\n\n")),
    Fault("an error in the midst of the text", _broken_off),
    Fault("the window is full, in the stream", _full_in_stream),
    Fault("content-encoding lies", _raw(_SSE.replace(b"\r\n\r\n", b"\r\ncontent-encoding: gzip\r\n\r\n"), b"this is not gzip")),
    Fault("a compressed stream is cut", _squeezed(0.5)),
    Fault("filtered whole", lambda wire: Reply(stop="filter")),
    Fault("a reply without a word", lambda wire: Reply()),
    Fault("a call at the token limit", lambda wire: Reply(text="Now", calls=(ASKED,), stop="length"), answers=True),
    Fault("two calls with one id", _twice, answers=True),
    Fault("unknown fields", _document(_unknown), answers=True),
    Fault("a document that is called a stream", _misnamed, answers=True),
    Fault("the wrong content type", lambda wire: Stream((_spoken(wire),), "text/plain"), answers=True),
    Fault("a byte-order mark in front", lambda wire: Stream((b"\xef\xbb\xbf", _spoken(wire))), answers=True),
    Fault("an event of 10 MB", _padded, answers=True),
    Fault("every byte alone, UTF-8 in pieces", _by_byte, answers=True),
    Fault("a slow drip, longer than the idle time", _dripping, answers=True, idle_s=1.0),
    Fault("20,000 tiny deltas", _lengthy, answers=True),
    Fault("compressed", _squeezed(1.0), answers=True),
    Fault("signs of life before the reply", lambda wire: Stream((b": wait\n\n" * 500, _spoken(wire))), answers=True),
    Fault("garbage behind the end", lambda wire: Stream((_spoken(wire), b"data: {broken\n\n\xff\xff")), answers=True),
    Fault("reset behind the end", lambda wire: Raw((_SSE, _spoken(wire), "pause", "reset")), answers=True),
    Fault("a stall behind the end", lambda wire: Raw((_SSE, _spoken(wire), "hang")), answers=True),
    Fault("HTTP/1.0", lambda wire: Raw((_SSE.replace(b"1.1", b"1.0"), _spoken(wire))), answers=True),
    Fault("103 before the head", _hinted, answers=True),
    Fault("CRLF between lines", lambda wire: Stream((_spoken(wire).replace(b"\n", b"\r\n"),)), answers=True),
)  # fmt: skip
"""What is tried over every wire, in the order of the table in the docs."""
