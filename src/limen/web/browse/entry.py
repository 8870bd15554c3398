"""What a command brought, as an entry of the answer: a leaf with its own origin, strangers' words fenced."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from limen.core.browse import BrowseEntry, Command
from limen.core.context import CallContext
from limen.core.facts import FactAnswer
from limen.core.fault import Refusal
from limen.core.ledger import Cut, GateVerdict, Origin, OriginKind, Treatment, Trust
from limen.core.message import Image
from limen.core.ports import Shot
from limen.core.tool import refused_origin
from limen.core.untrusted import Nonce, defuse, fence
from limen.core.web import Hit, SearchAnswer
from limen.kit.found_lines import FoundLine, as_they_stand
from limen.kit.link_numbers import without_link_numbers
from limen.web.browse.browser import Found
from limen.web.browse.sections import Section
from limen.web.browse.view import View, Window, shown_lines, window
from limen.web.citing import cited_hit
from limen.web.search_call import LIBRARY

# So much of a section is shown where it is found, and so much of what else is.
_SECTION_LINES = 20
_LEAST_CHARS = 500


class Room(msgspec.Struct, frozen=True):
    """What one entry may show: lines of a page, characters of anything."""

    lines: int
    chars: int


def refused_entry(command: str, given: dict[str, Any], refusal: Refusal) -> BrowseEntry:
    """A command that was not carried out."""
    body = {"command": command, **given, "error": refusal.published()}
    asked = " ".join([command, *(value if isinstance(value, str) else repr(value) for value in given.values())])
    return BrowseEntry(body, refused_origin(asked, refusal), refusal=refusal)


async def view_entry(command: str, view: View, first: int, room: Room, nonce: Nonce, context: CallContext) -> BrowseEntry:
    """Lines of a view behind their numbers. Codes: `browse.past_end`."""
    lines = view.lines()
    if first > len(lines):
        reason = f"{view.handle} has {len(lines):,} lines, so there is no line {first:,}."
        return refused_entry(
            command, {"ref_id": view.handle}, Refusal("browse", "browse.past_end", reason, "Open an earlier line.")
        )
    shown = window(view, lines, first, most_lines=room.lines, most_chars=room.chars)
    whole = shown.first == 1 and shown.last == len(lines) and not shown.cut
    body = {
        "command": command,
        "ref_id": view.ref.name,
        "n": await _cited(view, context, shown.plain, shown.first),
        "title": defuse(view.ref.title),
        "url": view.ref.url,
        "lines": f"{shown.first}-{shown.last} of {shown.total}",
        "next_line": shown.next_line,
        "cut": shown.cut or None,
        "notices": list(view.notices) or None,
        "content": fence(shown.numbered(), nonce(), view.ref.url),
    }
    return BrowseEntry(_without_none(body), _origin(view, None if whole else Cut(sum(map(len, shown.shown)), 0)))


async def found_entry(command: str, found: Found, room: Room, nonce: Nonce, context: CallContext) -> BrowseEntry:
    """The beginning of the section of that name, then matching lines (`12: …`) among those around them (`13- …`), as they fit."""
    view = found.view
    section = found.section
    begun = None if section is None else _beginning(view, section, room)
    own = "" if begun is None else begun.numbered()
    others = [line for line in found.lines if begun is None or not begun.first <= line.line <= begun.last]
    pieces = _fitting(map(_as_found, others), max(room.chars - len(own), _LEAST_CHARS))
    shown = len(found.lines) - len(others) + len(pieces)
    text = "\n--\n".join([*([own] if own else ()), *pieces])
    plain, first = _as_they_stand(view, others[: len(pieces)])
    if begun is not None and context.sources is not None:
        await _cited(view, context, begun.plain, begun.first)
    body = {
        "command": command,
        "ref_id": view.ref.name,
        "n": await _cited(view, context, plain, first) if text else None,
        "title": defuse(view.ref.title),
        "url": view.ref.url,
        "pattern": found.pattern,
        "section": None if section is None else {"title": defuse(section.title), "lines": f"{section.line}-{section.end_line}"},
        "total": found.total,
        "shown": shown if shown < found.total else None,
        "next_line": others[len(pieces) - 1].line + 1 if pieces and shown < found.total else None,
        "notices": list(view.notices) or None,
        "content": fence(text, nonce(), view.ref.url) if text else None,
    }
    return BrowseEntry(_without_none(body), _origin(view, Cut(len(text), 0)))


async def search_entry(
    command: str, query: str, answer: SearchAnswer, room: Room, nonce: Nonce, context: CallContext
) -> BrowseEntry:
    """Hits under their handles: title and date, address, snippet."""
    hits = [await cited_hit(hit, context) for hit in answer.hits]
    pieces = _fitting(map(_as_hit, hits), room.chars)
    text = "\n\n".join(pieces)
    own = all(hit.site == LIBRARY for hit in hits)
    source = answer.source
    body = {
        "command": command,
        "q": query,
        "provider": source.provider,
        "total": len(hits),
        "shown": len(pieces) if len(pieces) < len(hits) else None,
        "age_s": source.age_s if source.cached else None,
        "rescued_from": source.rescued_from,
        "failed": list(source.engines_failed) or None,
        "ignored": list(source.ignored) or None,
        "dropped": source.dropped or None,
        "also": list(source.also) or None,
        "notices": list(source.notices) or None,
        "content": (defuse(text) if own else fence(text, nonce(), "search results")) if text else None,
    }
    trust = Trust.WORKSPACE if own else Trust.WEB
    kind: OriginKind = "tool" if own else "web"
    return BrowseEntry(_without_none(body), Origin(kind, f"search: {query}", trust, None, answer.treatment))


def shot_entry(command: str, shot: Shot) -> BrowseEntry:
    """A picture of a page, and which one it is."""
    body = {
        "command": command,
        "url": shot.url,
        "pageno": shot.page - 1,
        "pages": shot.pages,
        "size": f"{shot.width}x{shot.height}",
        **({"notices": [defuse(notice) for notice in shot.notices]} if shot.notices else {}),
    }
    alt = f"page {shot.page} of {shot.pages} of {shot.url}"
    return BrowseEntry(
        body, Origin("web", shot.url, Trust.WEB, None, Treatment(gates=shot.gates)), Image("image/png", shot.png, alt)
    )


async def fact_entry(command: str, given: dict[str, Any], answer: FactAnswer, nonce: Nonce, context: CallContext) -> BrowseEntry:
    """What a provider of facts knows, with its source."""
    if answer.refusal is not None:
        return refused_entry(command, given, answer.refusal)
    text = "\n".join(answer.lines)
    url = answer.source_url or answer.provider
    n = None
    if context.sources is not None and answer.source_url:
        n = (await context.sources.note(answer.source_url, answer.provider, read=True, text=text)).n
    body = {
        "command": command,
        **given,
        "n": n,
        "provider": answer.provider,
        "url": answer.source_url or None,
        "as_of": answer.as_of or None,
        "credit": answer.credit or None,
        "ignored": list(answer.ignored) or None,
        "content": fence(text, nonce(), url),
    }
    gates = (GateVerdict("secrets", "allow"), GateVerdict("resolve", "allow", f"resolve.{answer.provider}"))
    return BrowseEntry(_without_none(body), Origin("web", url, Trust.WEB, None, Treatment(gates=gates)))


def time_entry(command: str, offset: str, moment: str) -> BrowseEntry:
    """The time, which nobody had to be asked for."""
    return BrowseEntry({"command": command, "utc_offset": offset, "time": moment}, Origin("tool", "clock", Trust.TOOL))


def given(command: Command) -> dict[str, Any]:
    """What a command was given, as far as it says something."""
    return {key: value for key, value in msgspec.structs.asdict(command).items() if value not in (None, "", ())}


async def _cited(view: View, context: CallContext, text: str, first_line: int) -> int | None:
    """The number that an answer cites a view by, once the session numbers sources at all."""
    if context.sources is None:
        return None
    ref = view.ref
    opens = ref.name or ref.opens
    return (await context.sources.note(ref.url, ref.title, ref=opens, read=True, text=text, first_line=first_line)).n


def _beginning(view: View, section: Section, room: Room) -> Window:
    most_lines = min(section.end_line - section.line + 1, _SECTION_LINES)
    return window(view, view.lines(), section.line, most_lines=most_lines, most_chars=room.chars // 2)


def _as_hit(hit: Hit) -> str:
    number = f" [{hit.n}]" if hit.n is not None else ""
    published = f" ({hit.published})" if hit.published else ""
    size = f" {hit.width}x{hit.height}" if hit.width and hit.height else ""
    snippet = " ".join(hit.snippet.split())
    lines = [
        f"{hit.ref_id or hit.ref}{number} {' '.join(hit.title.split())}{published}",
        hit.url,
        f"picture{size}: {hit.image_url}" if hit.image_url else "",
        f"line {hit.line}: {snippet}" if hit.line is not None else snippet,
    ]
    return "\n".join(line for line in lines if line)


def _as_found(line: FoundLine) -> str:
    before = line.before.split("\n") if line.before else []
    after = line.after.split("\n") if line.after else []
    numbered = [f"{line.line - len(before) + index}- {text}" for index, text in enumerate(before)]
    numbered.append(f"{line.line}: {line.text}")
    numbered += [f"{line.line + 1 + index}- {text}" for index, text in enumerate(after)]
    return "\n".join(text for text in numbered if not text.endswith("- "))


def _fitting(pieces: Iterable[str], room_chars: int) -> list[str]:
    """The first pieces that fit; the very first one is cut where it alone does not."""
    fitting: list[str] = []
    for piece in pieces:
        if fitting and len(piece) > room_chars:
            break
        fitting.append(piece[:room_chars])
        room_chars -= len(piece) + 2
    return fitting


def _as_they_stand(view: View, found: Sequence[FoundLine]) -> tuple[str, int]:
    """Found lines with those around them as they would be quoted, and the first one's number."""
    lines, first = as_they_stand(view.lines(), found)
    return without_link_numbers("\n".join(shown_lines(view, lines))), first


def _origin(view: View, cut: Cut | None) -> Origin:
    treatment = msgspec.structs.replace(view.treatment, cut=cut)
    return Origin(view.kind, view.ref.url, view.trust, None, treatment)


def _without_none(body: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if value is not None}
