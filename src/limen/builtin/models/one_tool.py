"""The one tool `web` in the place of the single ones: their calls as its commands, its entries as what they would have shown."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from limen.builtin.models.observed import FoundHit, FoundLines, Problem, Searched, Seen, Stretch, ToolError, observe
from limen.core.message import ToolCall, ToolResult, text_of
from limen.core.untrusted import unfence
from limen.kit.link_numbers import without_link_numbers

WEB = "web"
_REF = re.compile(r"turn\d+(?:search|image|view|fetch)\d+")
_LINE = re.compile(r"(\d+): (.*)")
_HIT = re.compile(r"(\S+)(?: \[(\d+)\])? ?(.*)")
_SNIPPET = re.compile(r"(?:line (\d+): )?(.*)", re.DOTALL)
_ADDRESS = ("http://", "https://")


class _Entry(msgspec.Struct, frozen=True):
    command: str = ""
    content: str = ""
    ref_id: str = ""
    q: str = ""
    pattern: str = ""
    title: str = ""
    url: str = ""
    n: int | None = None
    next_line: int | None = None
    error: ToolError | None = None


class _Opened(msgspec.Struct, frozen=True):
    ref_id: str = ""


class _Asked(msgspec.Struct, frozen=True):
    """What this model's own calls say; another's may say it otherwise."""

    open: tuple[_Opened, ...] = ()


class _Entries(msgspec.Struct, frozen=True):
    results: tuple[_Entry, ...]


def commands_for(name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """What the tool `web` is asked in the place of a single tool's call; None where it cannot do that.

    Documents and files are its business only under a ref of its own.
    """
    if name == "web_search":
        return {"search_query": [{"q": arguments["query"]}], "response_length": "medium"}
    if name == "web_extract":
        return {"open": [{"ref_id": url} for url in arguments["urls"]], "response_length": "long"}
    if name == "read_file" and _REF.fullmatch(arguments["path"]):
        return {"open": [{"ref_id": arguments["path"], "lineno": arguments["start_line"]}], "response_length": "medium"}
    if name == "find" and _REF.fullmatch(arguments["ref"]):
        return {"find": [{"ref_id": arguments["ref"], "pattern": arguments["pattern"]}]}
    return None


def browsed(call: ToolCall, result: ToolResult) -> list[Seen]:
    """All that an answer of the tool `web` shows; one of another shape is taken as any tool's."""
    try:
        answer = msgspec.json.decode(text_of((result,)), type=_Entries)
        asked = msgspec.json.decode(call.arguments, type=_Asked)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return observe(call, result)
    # What was opened by one handle has got another since.
    opened = iter([one.ref_id for one in asked.open])
    return [seen for entry in answer.results for seen in _seen(entry, next(opened, "") if entry.command == "open" else "")]


def _seen(entry: _Entry, requested: str) -> Iterator[Seen]:
    if entry.error is not None:
        what = entry.q or requested or entry.ref_id
        yield Problem(f"{WEB} {entry.command} {what}".strip(), entry.error.code, entry.error.reason, entry.error.mend)
        return
    text = unfence(entry.content)
    match entry.command:
        case "search_query":
            hits = list(_hits(text))
            yield Searched(entry.q, len(hits))
            yield from hits
        case "open" | "click":
            first, shown = _lines(text)
            yield Stretch(shown, entry.n, entry.title, entry.url, entry.ref_id, requested, first, entry.next_line)
        case "find":
            numbers = tuple(int(match[1]) for line in text.split("\n") if (match := _LINE.match(line)))
            yield FoundLines(entry.ref_id, entry.pattern, numbers)
        case _ if text.strip():
            yield Stretch(text, entry.n, entry.title or entry.command, entry.url, first_line=None)


def _hits(text: str) -> Iterator[FoundHit]:
    for position, block in enumerate(filter(None, text.split("\n\n")), 1):
        head, _, rest = block.partition("\n")
        url, _, snippet = rest.partition("\n")
        named, told = _HIT.match(head), _SNIPPET.match(snippet)
        if named is None or told is None:
            continue
        line, number = told[1], named[2]
        opens = url if url.startswith(_ADDRESS) else named[1]
        yield FoundHit(opens, position, url, named[3], told[2], int(line) if line else None, int(number) if number else None)


def _lines(text: str) -> tuple[int, str]:
    """The first line's number, and the lines as they stand, with those that were left out for being empty."""
    shown: list[str] = []
    first = 1
    for line in text.split("\n"):
        match = _LINE.match(line)
        if match is None:
            shown.append(line)
            continue
        number = int(match[1])
        first = number if not shown else first
        shown += [""] * (number - first - len(shown))
        shown.append(match[2])
    return first, without_link_numbers("\n".join(shown))
