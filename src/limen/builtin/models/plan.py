"""What to do next: fetch the addresses asked about, search, read the best hits, look further in a cut page, or answer."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from limen.builtin.models.conversation import Conversation
from limen.builtin.models.hits import HITS
from limen.builtin.models.observed import FoundHit, FoundLines
from limen.builtin.models.one_tool import WEB, commands_for
from limen.builtin.models.question import MOST_URLS, Question, is_small_talk, keywords
from limen.builtin.models.select import shows
from limen.kit.words import stem

MOST_ROUNDS = 4
# The provider that asks nobody outside.
LIBRARY = "library"
_READS = 10
# A snippet's line stands inside the section that answers: some lines before it show what it is about.
_LINES_BEFORE, _LINES = 30, 90
_FOUND_BEFORE, _FOUND_LINES = 12, 60
# From this share of the question's weight on, a passage is about the question.
ENOUGH = 0.5
_LEAST_ROOT_CHARS = 4
# Key words that are looked for in a page that the person named.
_FINDS = 4


class Call(msgspec.Struct, frozen=True):
    """A tool to call and its arguments, ready to be written as JSON."""

    name: str
    arguments: dict[str, Any]


def next_calls(turn: Conversation) -> list[Call]:
    """The calls of the next round, none made before; empty when it is time to answer."""
    question = turn.question
    named = bool(question.urls or question.references)
    if turn.rounds >= MOST_ROUNDS or (is_small_talk(question.text) and not named) or _enough(turn):
        return []
    steps = (_open_named, _search) if turn.rounds == 0 else (_go_on, _search, _search_otherwise)
    for step in steps:
        spoken = (_spoken(call, turn) for call in step(turn))
        calls = [call for call in spoken if call is not None and not _made(call, turn)]
        if calls:
            return calls[:_READS]
    return []


def _spoken(call: Call, turn: Conversation) -> Call | None:
    """The call as this session's tools take it; None where no tool of it could."""
    commands = commands_for(call.name, call.arguments) if WEB in turn.tools else None
    if commands is not None:
        return Call(WEB, commands)
    return call if call.name in turn.tools else None


def encoded(call: Call) -> str:
    """A call's arguments as JSON text, the same for the same call."""
    return msgspec.json.encode(call.arguments).decode()


def _made(call: Call, turn: Conversation) -> bool:
    return (call.name, encoded(call)) in turn.made


def _open_named(turn: Conversation) -> Iterator[Call]:
    """What the person named is read first."""
    question = turn.question
    for start in range(0, len(question.urls), MOST_URLS):
        yield Call("web_extract", {"urls": list(question.urls[start : start + MOST_URLS])})
    for reference in question.references[:_READS]:
        yield Call("read_file", {"path": reference, "start_line": 1, "lines": _LINES})


def _search(turn: Conversation) -> Iterator[Call]:
    """The question, and of the library alone the same in words that documents use: a search engine knows them, and each search of
    one is a vendor's. Not for pages that were named and could not be read."""
    question = turn.question
    if not turn.searches and not (question.urls and not turn.stretches and turn.problems):
        yield _search_for(question.query or " ".join(question.urls))
        for query in question.other_queries:
            yield Call("web_search", {"query": query, "limit": HITS, "provider": LIBRARY})


def _go_on(turn: Conversation) -> Iterator[Call]:
    """Read what was found, look further in what was cut."""
    yield from _read_found(turn)
    yield from _read_hits(turn)
    yield from _look_further(turn)


def _search_otherwise(turn: Conversation) -> Iterator[Call]:
    """Fewer words, where the whole question found nothing that fits."""
    if turn.searches:
        yield from map(_search_for, fewer_words(turn.question)[:1])


def _search_for(query: str) -> Call:
    return Call("web_search", {"query": query, "limit": HITS})


def fewer_words(question: Question) -> list[str]:
    """The question in fewer words: without those of phrasing, then without its shortest."""
    strong = [*keywords(question.text), *question.topic]
    longest = sorted(strong, key=lambda word: (-len(word), word))[: max(len(strong) - 1, 1)]
    queries = [" ".join(strong), " ".join(word for word in strong if word in longest)]
    return [query for query in queries if query and query != question.query]


def _read_hits(turn: Conversation) -> Iterator[Call]:
    """The best hits that no reading has shown yet."""
    fresh = [hit for hit in turn.hits if not _is_read(hit, turn)]
    local = [hit for hit in fresh if not _is_address(hit.opens)]
    remote = list(dict.fromkeys(hit.opens for hit in fresh if _is_address(hit.opens)))
    yield from (_read(opens, line) for opens, line in _windows(local))
    if remote:
        yield Call("web_extract", {"urls": remote[:3]})


def _windows(hits: Sequence[FoundHit]) -> Iterable[tuple[str, int]]:
    """Where to start reading each document; hits close to each other share one reading."""
    starts: list[tuple[str, int]] = []
    for hit in hits:
        start = max((hit.line or 1) - _LINES_BEFORE, 1)
        if not any(opens == hit.opens and known <= start <= known + _LINES // 2 for opens, known in starts):
            starts.append((hit.opens, start))
    return starts[:_READS]


def _read(opens: str, start: int, lines: int = _LINES) -> Call:
    return Call("read_file", {"path": opens, "start_line": start, "lines": lines})


def _read_found(turn: Conversation) -> Iterator[Call]:
    """The neighbourhoods of found lines: of the rarest word first, and where other words of the question stand close by."""
    for found in sorted(turn.found_lines, key=lambda found: len(found.lines)):
        yield from (_read(found.opens, max(line - _FOUND_BEFORE, 1), _FOUND_LINES) for line in _spread(found, turn)[:2])


def _spread(found: FoundLines, turn: Conversation) -> list[int]:
    """Found lines that no reading has shown, those in company first, not two from the same neighbourhood."""
    others = [other.lines for other in turn.found_lines if other.opens == found.opens and other is not found]

    def company(line: int) -> int:
        return sum(any(0 <= other - line < _FOUND_LINES - _FOUND_BEFORE for other in lines) for lines in others)

    chosen: list[int] = []
    for line in sorted(found.lines, key=lambda line: -company(line)):
        shown = any(shows(stretch, found.opens, line) for stretch in turn.stretches)
        if not shown and not any(abs(line - other) < _FOUND_LINES for other in chosen):
            chosen.append(line)
    return chosen


def _look_further(turn: Conversation) -> Iterator[Call]:
    """A page that was cut may have further down what its shown part lacks, or names in its table of contents alone."""
    roots = [_root(word) for word in keywords(turn.question.text)]
    named = bool(turn.question.urls or turn.question.references)
    looked_into = {found.opens for found in turn.found_lines}
    shown = {stretch.opens: "" for stretch in turn.stretches if stretch.next_line is not None and stretch.opens}
    for stretch in turn.stretches:
        if stretch.opens in shown:
            shown[stretch.opens] += stretch.text.lower()
    for opens, text in shown.items():
        missing = [root for root in roots if root not in text]
        patterns = (
            sorted(roots, key=len, reverse=True)[:_FINDS]
            if named and opens not in looked_into
            else [max(missing, key=len)]
            if missing
            else []
        )
        yield from (Call("find", {"ref": opens, "pattern": pattern}) for pattern in patterns)


def _root(word: str) -> str:
    """What all forms of a word start with, where that is enough to tell it from others."""
    root = stem(word.lower())
    return root if len(root) >= _LEAST_ROOT_CHARS else word.lower()


def _enough(turn: Conversation) -> bool:
    if turn.question.wants_overview:
        return bool(turn.stretches)
    return turn.reading.fits and turn.reading.coverage >= ENOUGH and not _named_and_not_looked_into(turn)


def _named_and_not_looked_into(turn: Conversation) -> bool:
    """Whether the person named a page that has more: its head may name everything and say nothing of it."""
    named = bool(turn.question.urls or turn.question.references)
    if not named or "find" not in turn.tools or not any(stretch.next_line is not None for stretch in turn.stretches):
        return False
    made = {name for name, _ in turn.made}
    return "find" not in made or ("read_file" not in made and any(_spread(found, turn) for found in turn.found_lines))


def _is_read(hit: FoundHit, turn: Conversation) -> bool:
    return any(shows(stretch, hit.opens, hit.line or 1) for stretch in turn.stretches)


def _is_address(opens: str) -> bool:
    return opens.startswith(("http://", "https://"))
