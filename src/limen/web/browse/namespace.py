"""The commands of the tool `web`, carried out here: side by side, answered in their order, each at its own cost."""

from collections.abc import Sequence

import anyio
import msgspec

from limen.core.browse import (
    BrowseEntry,
    BrowseRequest,
    Click,
    Command,
    Finance,
    Find,
    ImageQuery,
    Open,
    Screenshot,
    SearchQuery,
    Sports,
    Time,
    Weather,
)
from limen.core.context import CallContext
from limen.core.facts import FactAnswer, time_at
from limen.core.fault import Fault, Refusal
from limen.core.ports import Screenshooter, Shot
from limen.core.untrusted import Nonce
from limen.core.web import SearchAnswer, SearchRequest
from limen.kit.clock import Clock, wall_s
from limen.kit.text import clip
from limen.web.browse.answer import CHARS_PER_TOKEN
from limen.web.browse.browser import Browser, Found
from limen.web.browse.entry import (
    Room,
    fact_entry,
    found_entry,
    given,
    refused_entry,
    search_entry,
    shot_entry,
    time_entry,
    view_entry,
)
from limen.web.browse.facts import Facts
from limen.web.browse.queries import Queries
from limen.web.browse.view import SCALES, Scale, View

_PICTURED = ("http://", "https://", "lib:")
# What an entry needs beside its content: addresses, titles, the fence.
_FRAME_CHARS = 800
_LEAST_CHARS = 1_000

Result = View | Found | SearchAnswer | FactAnswer | Shot | str | Refusal


class HereNamespace:
    """The `BrowseNamespace` that needs nobody else."""

    name = "here"

    def __init__(
        self, browser: Browser, queries: Queries, facts: Facts, shooter: Screenshooter, nonce: Nonce, *, clock: Clock = wall_s
    ) -> None:
        self._browser = browser
        self._queries = queries
        self._facts = facts
        self._shooter = shooter
        self._nonce = nonce
        self._clock = clock

    def unavailable(self) -> Refusal | None:
        """It is always there."""
        return None

    async def run(self, request: BrowseRequest, context: CallContext) -> Sequence[BrowseEntry]:
        """An entry for each command, in their order. Handles are given in that order too, whoever was done first."""
        scale = SCALES[request.response_length]
        results: dict[int, Result] = {}
        total = len(request.commands)

        async def one(index: int, command: Command) -> None:
            results[index] = await self._guarded(command, scale, context)
            if total > 1:
                await context.progress(f"{len(results)} of {total} commands", len(results), total)

        async with anyio.create_task_group() as group:
            for index, command in enumerate(request.commands):
                group.start_soon(one, index, command)
        room = _room(request, scale)
        return [await self._entry(command, results[index], room, context) for index, command in enumerate(request.commands)]

    async def _guarded(self, command: Command, scale: Scale, context: CallContext) -> Result:
        try:
            return await self._done(command, scale, context)
        except Fault as fault:
            return Refusal(command.name, fault.code, fault.reason, fault.mend)

    async def _done(self, command: Command, scale: Scale, context: CallContext) -> Result:
        match command:
            case SearchQuery():
                return await self._queries.pages(_search(command, scale), context)
            case ImageQuery():
                return await self._queries.pictures(_search(command, scale), context)
            case Open(ref_id=target, lineno=line):
                return await self._browser.view(target, context, again=line is not None)
            case Click(ref_id=target, id=number):
                return await self._browser.click(target, number, context)
            case Find(ref_id=target, pattern=pattern):
                return await self._browser.find(target, pattern, context)
            case Screenshot():
                return await self._shot(command, context)
            case Time(utc_offset=offset):
                return time_at(offset, self._clock())
            case Weather() | Finance() | Sports():
                return await self._facts.look_up(command, context)

    async def _shot(self, command: Screenshot, context: CallContext) -> Shot | Refusal:
        where = await self._browser.address(command.ref_id, context)
        if isinstance(where, Refusal):
            return where
        address, context = where
        if not address.startswith(_PICTURED):  # a model pictures what it may read, not files
            reason = f"There is no picture of {clip(address, 80)}."
            return Refusal("screenshot", "screenshot.unsupported", reason, "Name a web address, or a document of the library.")
        return await self._shooter.shoot(address, command.pageno + 1, context)

    async def _entry(self, command: Command, result: Result, room: Room, context: CallContext) -> BrowseEntry:
        handles, nonce, name = self._browser.handles, self._nonce, command.name
        await _tell_tried(command, result, context)
        match result:
            case Refusal():
                return refused_entry(name, given(command), result)
            case SearchAnswer(refusal=Refusal() as refusal, treatment=treatment):
                behind = msgspec.structs.replace(refusal, passed=treatment.gates[:-1])
                return refused_entry(name, given(command), behind)
            case SearchAnswer():
                answer = await handles.of_hits(result, "image" if isinstance(command, ImageQuery) else "search", context)
                return await search_entry(name, getattr(command, "q", ""), answer, room, nonce, context)
            case View():
                view = await handles.of_view(result, context)
                return await view_entry(name, view, first_line(command, view), room, nonce, context)
            case Found():
                found = msgspec.structs.replace(result, view=await handles.of_view(result.view, context))
                return await found_entry(name, found, room, nonce, context)
            case FactAnswer():
                return await fact_entry(name, given(command), result, nonce, context)
            case Shot():
                return shot_entry(name, result)
            case str():
                return time_entry(name, getattr(command, "utc_offset", ""), result)


def first_line(command: Command, view: View) -> int:
    """Where a view is shown from: the line asked for, else the one that its hit names, else the first."""
    asked = command.lineno if isinstance(command, Open) else None
    return max(asked or view.ref.line or 1, 1)


def _search(command: SearchQuery | ImageQuery, scale: Scale) -> SearchRequest:
    recency = command.recency if command.recency and command.recency > 0 else None
    return SearchRequest(command.q, scale.hits, allowed_domains=command.domains, recency_days=recency)


def _room(request: BrowseRequest, scale: Scale) -> Room:
    """What each entry may show: the answer's room is shared out before, so that nothing is cut behind."""
    share = request.output_tokens * CHARS_PER_TOKEN // max(len(request.commands), 1) - _FRAME_CHARS
    return Room(scale.lines, max(min(scale.chars, share), _LEAST_CHARS))


async def _tell_tried(command: Command, result: Result, context: CallContext) -> None:
    """Tell the turn what became of an address it was asked to read."""
    if context.sources is None or not isinstance(command, Open):
        return
    if isinstance(result, View):
        await context.sources.tried(result.ref.opens, None)
    elif isinstance(result, Refusal) and command.ref_id.startswith(("http://", "https://")):
        await context.sources.tried(command.ref_id, result)
