"""The agent: every surface's way to a turn. Waits for its lane, loads the window, runs the loop, accounts for it."""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from functools import cached_property

import anyio
import msgspec

from limen.agent.citation import Citations, CitedSource, cited
from limen.agent.handing import Handing
from limen.agent.held import HeldWindows
from limen.agent.lanes import Lanes
from limen.agent.limits import DayRefusal, Limits, Meter, any_day
from limen.agent.recorder import Recorder
from limen.agent.reports import Reports
from limen.agent.request import schema_text
from limen.agent.shelving import Shelve
from limen.agent.sources import NamedPage, SessionSources
from limen.agent.title import QuestionTitles, Titles, beginning_of
from limen.agent.toolbox import Toolbox
from limen.agent.toolsets import Toolsets, select, unknown_toolset
from limen.agent.turn import AsksModel, Inbox, Turn, TurnEnd
from limen.agent.window import Window, WindowRoom
from limen.core.context import Approver, CallContext, Emit
from limen.core.event import Event, Lagged, Notice, Refused, ReplyFinished, TurnEnded, TurnStarted
from limen.core.exchange import RouteFailure, Usage
from limen.core.fault import Fault, Refusal
from limen.core.ledger import LedgerEntry, Origin, Trust
from limen.core.message import Text
from limen.core.ports import Redactor, Shelf, Tool
from limen.core.prompt_cache import CacheUse
from limen.core.route import Route
from limen.core.session import Session
from limen.kit.log import logger
from limen.kit.stream import Broadcast, Stream, open_stream
from limen.kit.text import clip
from limen.kit.tokens import CountTokens
from limen.models.fallback import Start
from limen.models.spending import OverBudget
from limen.net.url import parse
from limen.prompt.assemble import assemble
from limen.store.ports import Begun, SessionStore

_GRACE_S = 5.0
# A question may fill this share of the window: the answer and what it is made from need the rest.
_QUESTION_SHARE = 0.5


class AgentParts(msgspec.Struct, frozen=True):
    """What an agent is made of. `begin` turns a wish ("provider/model", or None for the default) into the route that a turn
    begins with, knowing how the session was answered last and the tokens that a window must have.

    `tools` are all there are, `toolsets` those that a session starts with (None: all), `reports` what makes reports of long
    results (None: nothing does), `result_chars` what one call may put into the window. `day`
    refuses routes for what the day has cost.
    """

    sessions: SessionStore
    lanes: Lanes
    model: AsksModel
    begin: Callable[[str | None, ReplyFinished | None, int], Awaitable[Start]]
    tools: Mapping[str, Tool]
    redactor: Redactor
    shelf: Shelf
    count: CountTokens
    toolsets: Toolsets | None = None
    reports: Reports | None = None
    handing: Handing | None = None
    result_chars: int = 100_000
    limits: Limits = Limits()
    day: DayRefusal = any_day
    room: WindowRoom = WindowRoom()
    approver: Approver | None = None
    titles: Titles = QuestionTitles()
    now: Callable[[], datetime] = lambda: datetime.now().astimezone()


class TurnRequest(msgspec.Struct, frozen=True):
    """What a surface asks for."""

    text: str
    session: str
    urls: tuple[str, ...] = ()
    model: str | None = None
    tools: bool = True
    context: bool = True
    toolsets: Toolsets | None = None


class TurnOutcome(msgspec.Struct, frozen=True):
    """A finished turn: what was said, what it rests on, what crossed the threshold, what it cost.

    `pages` says what became of each URL that the request named; `unheard` are steering messages that came too late for the model;
    `unverified` are quotations of the answer that stand in nothing that was read, shown or said in the session; `failed` are the
    routes that did not answer in place of `route`; `cache` is what each request had of its provider's cache;
    `aside` is what the turn's tools have asked a model on their own, which `usage` is without.
    """

    session: str
    turn: str
    answer: str
    end: TurnEnd
    route: Route | None
    sources: tuple[CitedSource, ...] = ()
    usage: Usage = Usage()
    entries: tuple[LedgerEntry, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    took_s: float = 0.0
    pages: tuple[NamedPage, ...] = ()
    unheard: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    failed: tuple[RouteFailure, ...] = ()
    cache: tuple[CacheUse, ...] = ()
    aside: Usage = Usage()


class TurnHandle:
    """A running turn, as its owner holds it: iterate for its events; `outcome` stands once it has ended."""

    def __init__(
        self, session: str, turn: str, stream: Stream[Event, TurnOutcome], inbox: Inbox, scope: anyio.CancelScope
    ) -> None:
        self.session = session
        self.turn = turn
        self._stream = stream
        self._inbox = inbox
        self._scope = scope

    def __aiter__(self) -> AsyncIterator[Event]:
        return aiter(self._stream)

    @property
    def outcome(self) -> TurnOutcome:
        """The account of the turn, also of one whose owner left it early. Raises RuntimeError while it still runs."""
        if self._stream.result is None:
            raise RuntimeError("the turn has not ended: its outcome is there when its events have ended, or behind its block")
        return self._stream.result

    def steer(self, text: str) -> bool:
        """Add a message that the model sees before its next reply; False where the turn has ended and nobody would see it."""
        return self._inbox.put(text)

    def interrupt(self) -> None:
        """Stop the turn now; what was said is kept and its last events still come."""
        self._scope.cancel()


class Agent:
    """Runs turns. Holds nothing of a running turn itself, so that any number may run side by side."""

    def __init__(self, parts: AgentParts) -> None:
        self._parts = parts
        self._windows = HeldWindows()
        self.observers: Broadcast[Event] = Broadcast(lambda missed: Lagged(missed, 0))

    def turn(
        self,
        text: str,
        *,
        session: str | None = None,
        urls: Sequence[str] = (),
        model: str | None = None,
        tools: bool = True,
        context: bool = True,
        toolsets: Collection[str] | None = None,
    ) -> AbstractAsyncContextManager[TurnHandle]:
        """Run one turn beside the block; leaving the block early interrupts it. A new session is made when none is named.

        A session keeps the toolsets that it began with; `toolsets` names those that this turn has, and so those of a new
        session, `tools` False takes all away. None leaves what the session has, or what the configuration says.
        """
        key = session or new_session_key(self._parts.now())
        sound = text.encode("utf-8", "replace").decode()  # a lone surrogate is no character and fits no file
        return self._open(
            TurnRequest(sound, key, tuple(urls), model, tools, context, None if toolsets is None else frozenset(toolsets))
        )

    @asynccontextmanager
    async def _open(self, request: TurnRequest) -> AsyncIterator[TurnHandle]:
        run = _Run(self._parts, request, f"t_{secrets.token_hex(6)}", self._windows)

        async def produce(emit: Emit) -> TurnOutcome:
            outcome = await run.run(self.observers, emit)
            answered = outcome.end.reason == "answered" and outcome.route is not None
            route = outcome.route.name if outcome.route is not None else ""
            answer = outcome.answer if answered else ""
            self._parts.titles.ended(request.session, request.text, answer, route, first=run.is_first)
            return outcome

        async with open_stream(produce) as stream:
            yield TurnHandle(request.session, run.turn, stream, run.inbox, run.scope)


class _Run:
    """One turn from its lane to its account."""

    def __init__(self, parts: AgentParts, request: TurnRequest, turn: str, windows: HeldWindows) -> None:
        self.turn = turn
        self.inbox = Inbox()
        self.scope = anyio.CancelScope()
        self._parts = parts
        self._request = request
        self._windows = windows
        self._meter = Meter(parts.limits, day=parts.day)
        self._start: Start | None = None
        self._end = TurnEnd("interrupted", "turn.interrupted", "The turn was interrupted.")
        self.is_first = False
        self._window = Window(request.session, turn, parts.sessions, parts.count, parts.room)
        self._sources = SessionSources(request.session, parts.sessions)

    async def run(self, observers: Broadcast[Event], emit: Emit) -> TurnOutcome:
        recorder = Recorder(self._request.session, self.turn, self._parts.sessions, observers, emit)
        try:
            with self.scope:
                await self._guarded(recorder)
        except anyio.get_cancelled_exc_class():
            pass  # its owner has left; this task ends here anyway, and the owner may still ask what became of the turn
        finally:
            unheard = self.inbox.close()
            with anyio.move_on_after(_GRACE_S, shield=True):
                await recorder.emit(self._ended)
        answer = self._window.last_reply()
        with anyio.CancelScope(shield=True):
            citations = await cited(answer, self._sources, self._parts.sessions, self._request.session)
        return self._outcome(answer, citations, recorder, tuple(unheard))

    async def _guarded(self, recorder: Recorder) -> None:
        """Run under the session's lane; faults become the turn's end, since every turn has one."""
        try:
            refusal = self._unfit() or await self._held(recorder)
        except Fault as fault:
            logger.info("turn %s failed: %s", self.turn, fault)
            self._end = TurnEnd("limit" if isinstance(fault, OverBudget) else "failed", fault.code, fault.reason, fault.mend)
            return
        if refusal is not None:
            await recorder.emit(Refused(refusal))
            self._end = TurnEnd.refusal("refused", refusal)

    async def _held(self, recorder: Recorder) -> Refusal | None:
        async with self._parts.lanes.hold(self._request.session) as lane:
            recorder.stores = True
            if isinstance(lane, Refusal):
                return lane
            self._end = await self._in_lane(lane.begun, recorder.emit)
            lane.last = recorder.last(self._ended)
        return None

    def _unfit(self) -> Refusal | None:
        if not self._request.text.strip() and not self._request.urls:
            return Refusal("turn", "turn.empty", "The question is empty.", 'Ask something: limen ask "…"')
        wrong = [(url, parsed) for url in self._request.urls if isinstance(parsed := parse(url), Refusal)]
        if wrong:
            url, refusal = wrong[0]
            return msgspec.structs.replace(refusal, reason=f"{clip(url, 80)!r}: {refusal.reason}")
        return unknown_toolset(self._request.toolsets or (), self._parts.tools)

    async def _in_lane(self, begun: Begun, emit: Emit) -> TurnEnd:
        session = begun.session
        text = _question(self._request)
        tokens = self._parts.count(text)
        latest = begun.latest_reply if isinstance(begun.latest_reply, ReplyFinished) else None
        start = await self._parts.begin(self._request.model, latest, int(tokens / _QUESTION_SHARE))
        self._start, route = start, start.route
        await emit(TurnStarted(session.key, self.turn, route))
        for notice in start.notices:
            await emit(notice)
        too_large = _too_large(tokens, route)
        if too_large is not None:
            await emit(Refused(too_large))
            return TurnEnd.refusal("refused", too_large)
        held = self._windows.take(session.key, session.created_at)
        await self._window.load(begun.numbers, route.window_tokens, emit, held)
        self._window.note_sent(latest.cache if latest is not None else None)
        try:
            return await self._answer(session, text, start, emit)
        finally:
            self._windows.keep(session.key, session.created_at, self._window.held())

    async def _answer(self, session: Session, text: str, start: Start, emit: Emit) -> TurnEnd:
        toolbox = self._toolbox()
        await self._freeze(toolbox, emit)
        await self._window.admit((Text(text), [Origin("user", "user", Trust.USER)]), role="user", emit=emit)
        limit_s = self._parts.limits.time_s
        context = CallContext(
            session=self._request.session,
            turn=self.turn,
            approver=self._parts.approver,
            sources=self._sources,
            deadline=None if limit_s is None else anyio.current_time() + limit_s,
            cancelled=lambda: self.scope.cancel_called,
            spend=self._meter.spend_aside,
        )
        await self._note_route(session.route, start.route)
        turn = Turn(self._window, self._parts.model, toolbox, self.inbox, self._meter, start, context)
        try:
            end = await self._within_time(turn, emit)
        finally:
            self._start = Start(turn.route, turn.course)
        await self._note_route(start.route.name, turn.route)
        return end

    async def _note_route(self, noted: str, route: Route) -> None:
        if noted != route.name:
            await self._parts.sessions.set_route(self._request.session, route.name)

    def _toolbox(self) -> Toolbox:
        parts, request = self._parts, self._request
        tools = select(
            parts.tools,
            starts_with=parts.toolsets,
            frozen=self._window.tool_names,
            wanted=request.toolsets,
            use=request.tools,
        )
        shelve = Shelve(parts.shelf, parts.count)
        limit_chars = parts.result_chars
        return Toolbox(tools, parts.redactor, shelve, reports=parts.reports, handing=parts.handing, limit_chars=limit_chars)

    async def _within_time(self, turn: Turn, emit: Emit) -> TurnEnd:
        limit_s = self._parts.limits.time_s
        with anyio.move_on_after(limit_s if limit_s is not None else float("inf")):
            return await turn.run(emit)
        refusal = self._meter.reached() or Refusal("limits", "limits.time", f"The turn reached its limit of {limit_s} s.")
        return TurnEnd.refusal("limit", refusal)

    async def _freeze(self, toolbox: Toolbox, emit: Emit) -> None:
        """Freeze the prompt at the session's first turn, and again, said aloud, when the tools are no longer the same."""
        schemas = toolbox.schemas()
        if not self._window.is_new:
            frozen = set(self._window.tool_texts)
            if not self._request.tools or frozen == {schema_text(schema) for schema, _ in schemas}:
                return
            await emit(Notice("context.tools_changed", "The tools of this session have changed; its prompt is built anew."))
        else:
            self.is_first = True
            await self._parts.sessions.rename(self._request.session, beginning_of(self._request.text, self._parts.redactor))
        prompt = assemble(session=self._request.session, now=self._parts.now(), tools={schema.name for schema, _ in schemas})
        await self._window.freeze(prompt, schemas, emit)

    @cached_property
    def _ended(self) -> TurnEnded:
        """The event of the turn's end, once that stands."""
        end, meter = self._end, self._meter
        return TurnEnded(end.reason, meter.steps, meter.usage, meter.elapsed_s, end.code, end.text, end.mend)

    def _outcome(self, answer: str, citations: Citations, recorder: Recorder, unheard: tuple[str, ...]) -> TurnOutcome:
        return TurnOutcome(
            session=self._request.session,
            turn=self.turn,
            answer=answer,
            end=self._end,
            route=self._start.route if self._start else None,
            failed=self._start.course.failed if self._start else (),
            sources=citations.sources,
            usage=self._meter.usage,
            aside=self._meter.aside,
            cache=tuple(recorder.cache),
            entries=tuple(recorder.entries),
            refusals=tuple(recorder.refusals),
            took_s=self._meter.elapsed_s,
            pages=self._sources.named(self._request.urls),
            unheard=unheard,
            unverified=citations.unverified,
        )


def _too_large(tokens: int, route: Route) -> Refusal | None:
    room = int(route.window_tokens * _QUESTION_SHARE)
    if tokens <= room:
        return None
    reason = f"The question has about {tokens:,} tokens; {route.name} has room for {room:,}."
    return Refusal("turn", "turn.too_large", reason, "Save it as a file, `limen library add FILE`, and ask about it.")


def _question(request: TurnRequest) -> str:
    return "\n".join(part for part in (request.text.strip(), *request.urls) if part)


def new_session_key(now: datetime) -> str:
    """A key that sorts by time and is short enough to type: `20261130-101502-a1b2`."""
    return f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
