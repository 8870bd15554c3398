"""What a turn's tools gave back, parsed once: hits, stretches of text, found lines and refusals.

Anything that does not have a known tool's shape is taken as plain text: a tool from a plug-in may still hold the answer.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from limen.core.message import ToolCall, ToolResult, text_of
from limen.core.untrusted import unfence
from limen.kit.cut_page import stretches

_WEB = ("http://", "https://")
_PLAIN_TOOLS_CHARS = 400_000
# The code of a call's result whose turn was interrupted before it ended.
INTERRUPTED = "turn.interrupted"

T = TypeVar("T")


class Stretch(msgspec.Struct, frozen=True):
    """Text that was read, from line `first_line` of its source (None: unknown). `n` is the source's number for citing.

    `opens` is what `read_file` and `find` take to go on, empty when nothing does; `requested` is what was asked for, where
    `source` came instead; `next_line` is where the unseen part starts.
    """

    text: str
    n: int | None = None
    title: str = ""
    source: str = ""
    opens: str = ""
    requested: str = ""
    first_line: int | None = 1
    next_line: int | None = None


class FoundHit(msgspec.Struct, frozen=True):
    """A search result: `opens` is its reference or address, `line` where its snippet stands, `position` its place from 1."""

    opens: str
    position: int = 1
    url: str = ""
    title: str = ""
    snippet: str = ""
    line: int | None = None
    n: int | None = None


class FoundLines(msgspec.Struct, frozen=True):
    """Lines of one source that hold what was looked for."""

    opens: str
    pattern: str
    lines: tuple[int, ...]


class Problem(msgspec.Struct, frozen=True):
    """Something that was refused or failed: what was tried, why not, and how to mend it."""

    what: str
    code: str
    reason: str
    mend: str = ""


class Searched(msgspec.Struct, frozen=True):
    """A search that was answered: what was asked, and how many hits it had."""

    query: str
    hits: int


Seen = Stretch | FoundHit | FoundLines | Problem | Searched


class ToolError(msgspec.Struct, frozen=True):
    """A tool's failure as its JSON says it."""

    code: str = "tool.failed"
    reason: str = ""
    mend: str = ""


class _Hit(msgspec.Struct, frozen=True):
    title: str = ""
    url: str = ""
    snippet: str = ""
    ref: str = ""
    line: int | None = None
    n: int | None = None


class _Search(msgspec.Struct, frozen=True):
    results: tuple[_Hit, ...]
    error: ToolError | None = None


class _PageSource(msgspec.Struct, frozen=True):
    final_url: str = ""
    stored_path: str | None = None
    next_line: int | None = None


class _Page(msgspec.Struct, frozen=True):
    url: str = ""
    title: str = ""
    content: str = ""
    error: ToolError | None = None
    n: int | None = None
    source: _PageSource = _PageSource()


class _Extract(msgspec.Struct, frozen=True):
    results: tuple[_Page, ...]
    error: ToolError | None = None


class _File(msgspec.Struct, frozen=True):
    content: str
    n: int | None = None
    ref: str = ""
    path: str = ""
    title: str = ""
    url: str = ""
    start_line: int = 1
    next_line: int | None = None


class _Match(msgspec.Struct, frozen=True):
    line: int


class _Find(msgspec.Struct, frozen=True):
    matches: tuple[_Match, ...]
    ref: str = ""


class _Failure(msgspec.Struct, frozen=True):
    error: ToolError


class _Asked(msgspec.Struct, frozen=True):
    """What the calls of this model say; a foreign call says nothing of it."""

    query: str = ""
    urls: tuple[str, ...] = ()
    path: str = ""
    ref: str = ""
    pattern: str = ""

    @property
    def subject(self) -> str:
        return self.query or ", ".join(self.urls) or self.path or self.ref


def observe(call: ToolCall | None, result: ToolResult) -> list[Seen]:
    """All that one tool result says; `call` is what it answers, None when that has left the window."""
    text = text_of((result,))
    name = call.name if call else ""
    asked = _decode(call.arguments, _Asked) if call else None
    asked = asked or _Asked()
    failure = _decode(text, _Failure)
    if failure is not None:
        return [_problem(name, asked.subject, failure.error)]
    if result.is_error and not _is_json(text):
        return [Problem(_named(name, asked.subject), "tool.failed", text.strip()[:500])]
    return _parse(name, asked, text) or _as_text(name, asked, text)


def cited_alike(seen: Sequence[Seen]) -> tuple[Seen, ...]:
    """What was read on from a stored page is cited as the page that it is a part of."""
    pages = {item.opens: item for item in seen if isinstance(item, Stretch) and item.opens and item.source.startswith(_WEB)}

    def as_page(item: Seen) -> Seen:
        page = pages.get(item.opens) if isinstance(item, Stretch) else None
        return item if page is None else msgspec.structs.replace(item, n=page.n, title=page.title, source=page.source)

    return tuple(as_page(item) for item in seen)


def _parse(name: str, asked: _Asked, text: str) -> list[Seen]:
    if name == "web_search" and (found := _decode(text, _Search)) is not None:
        hits = (_hit(hit, position) for position, hit in enumerate(found.results, 1) if hit.ref or hit.url)
        return [Searched(asked.query, len(found.results)), *hits]
    if name == "web_extract" and (pages := _decode(text, _Extract)) is not None:
        return [seen for page in pages.results for seen in _page(page)]
    if name == "read_file" and (file := _decode(text, _File)) is not None:
        return [_file(file)]
    if name == "find" and (lines := _decode(text, _Find)) is not None:
        return [FoundLines(lines.ref or asked.ref, asked.pattern, tuple(match.line for match in lines.matches if match.line > 0))]
    return []


def _hit(hit: _Hit, position: int) -> FoundHit:
    opens = hit.url if hit.url.startswith(_WEB) and not hit.ref.startswith("lib:") else hit.ref or hit.url
    return FoundHit(opens, position, hit.url, hit.title, unfence(hit.snippet), hit.line, hit.n)


def _page(page: _Page) -> list[Seen]:
    if page.error is not None:
        return [_problem("web_extract", page.url, page.error)]
    source = page.source
    whole = Stretch(
        "", page.n, page.title, source.final_url or page.url, source.stored_path or "", page.url, next_line=source.next_line
    )
    head, *tail = (
        msgspec.structs.replace(whole, text=one.text, first_line=one.first_line)
        for one in stretches(unfence(page.content), source.next_line)
    )
    return [head, *(msgspec.structs.replace(one, next_line=None) for one in tail)]


def _file(file: _File) -> Stretch:
    opens = file.ref or file.path
    first = max(file.start_line, 1)
    return Stretch(unfence(file.content), file.n, file.title, file.url or opens, opens, file.path, first, file.next_line)


def _problem(name: str, subject: str, error: ToolError) -> Problem:
    return Problem(_named(name, subject), error.code, error.reason, error.mend)


def _named(name: str, subject: str) -> str:
    return f"{name or 'a tool'} {subject}".strip()


def _as_text(name: str, asked: _Asked, text: str) -> list[Seen]:
    text = unfence(text)[:_PLAIN_TOOLS_CHARS]
    return [Stretch(text, None, _named(name, asked.subject), first_line=None)] if text.strip() else []


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeError):
        return False
    return True


def _decode(text: str, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
