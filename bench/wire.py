"""What the chat wire costs beside the JSON module on the same bytes: rendering and encoding a long history, splitting it
again for the audit, and reading a stream.

    .venv/bin/python bench/wire.py
"""

import json
import statistics
import time

from limen.core.exchange import ModelRequest
from limen.core.message import Message, Text, ToolCall, ToolResult
from limen.core.prompt import Prompt
from limen.core.route import Route
from limen.models.history import render
from limen.models.wire.chat_body import encode
from limen.models.wire.chat_reply import ChatGathering
from limen.testing.carried.chat import split

EXCHANGES = 500
CHUNKS = 5_000
ROUTE = Route("bench", "chat_completions", "model")
CHUNK = json.dumps({"id": "c", "choices": [{"index": 0, "delta": {"content": " word"}, "finish_reason": None}]})


def history() -> tuple[Message, ...]:
    """A conversation of 1,500 messages, about 1 MB."""
    messages: list[Message] = []
    for number in range(EXCHANGES):
        messages.append(Message("user", (Text("question " * 20),)))
        messages.append(Message("assistant", (Text("x" * 200), ToolCall(f"c{number}", "find", '{"pattern":"abc"}'))))
        messages.append(Message("tool", (ToolResult(f"c{number}", (Text("result " * 200),)),)))
    return tuple(messages)


def median_s(run) -> float:
    """Median seconds of seven runs."""
    figures = []
    for _ in range(7):
        started = time.perf_counter()
        run()
        figures.append(time.perf_counter() - started)
    return statistics.median(figures)


def read_stream() -> None:
    gathering = ChatGathering(ROUTE, b"")
    for _ in range(CHUNKS):
        list(gathering.add(CHUNK))


def main() -> None:
    messages = history()
    body = encode(ModelRequest(ROUTE, Prompt(), render(messages, ROUTE).messages))
    shape = json.loads(body)
    dump_s = median_s(lambda: json.dumps(shape, ensure_ascii=False).encode())
    load_s = median_s(lambda: json.loads(body))
    chunks_s = median_s(lambda: [json.loads(CHUNK) for _ in range(CHUNKS)])
    rows = [
        ("render and encode", median_s(lambda: encode(ModelRequest(ROUTE, Prompt(), render(messages, ROUTE).messages))), dump_s),
        ("split", median_s(lambda: split(body)), load_s),
        ("read a stream", median_s(read_stream), chunks_s),
    ]
    print(f"{len(messages):,} messages, {len(body):,} bytes; {CHUNKS:,} chunks")
    print(f"{'':<20}{'ms':>9}{'json ms':>9}{'ratio':>7}")
    for name, ours_s, floor_s in rows:
        print(f"{name:<20}{ours_s * 1_000:>9.1f}{floor_s * 1_000:>9.1f}{ours_s / floor_s:>7.1f}")


if __name__ == "__main__":
    main()
