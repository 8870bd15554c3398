"""An agent over a real store with a scripted model and tools of two lines."""

from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import msgspec

from limen.agent.agent import Agent, AgentParts
from limen.agent.lanes import Lanes
from limen.agent.limits import Limits
from limen.agent.reports import Reports
from limen.agent.window import WindowRoom
from limen.core.event import ReplyDelta
from limen.core.exchange import Course, ModelReply, TextDelta
from limen.core.fault import ToolFault
from limen.core.ledger import Origin, Trust
from limen.core.message import Text
from limen.core.route import Route
from limen.core.tool import Part, ToolAnswer, ToolSpec
from limen.evidence.redactor import SecretRedactor
from limen.evidence.shelf import EvidenceShelf
from limen.kit.redact import SecretTable
from limen.models.fallback import Start
from limen.store.sqlite.database import Database
from limen.store.sqlite.evidence import SqliteEvidence
from limen.store.sqlite.sessions import SqliteSessions

REDACTOR = SecretRedactor(SecretTable())
ROUTE = Route("test", "embedded", "scripted", window_tokens=8_000, because="test")


class EchoArguments(msgspec.Struct):
    text: Annotated[str, msgspec.Meta(min_length=1)]
    repeat_times: int = 1


class Echo:
    """Gives back what it was given."""

    def __init__(self, effect="read", name="echo", trust=Trust.TOOL, toolset="test"):
        self.spec = ToolSpec(name, toolset, "Repeat a text.", EchoArguments, effect)
        self.trust = trust
        self.calls = []

    async def run(self, arguments, context):
        self.calls.append(arguments)
        if arguments.text == "fail":
            raise ToolFault("echo.failed", "It failed.", "Say something else.")
        if arguments.text == "crash":
            raise ZeroDivisionError("oops")
        text = arguments.text * arguments.repeat_times
        return ToolAnswer((Part(Text(text), Origin("tool", f"echo {arguments.text[:20]}", self.trust)),))


class Straight:
    """Asks a wire and passes its deltas on."""

    def __init__(self, wire):
        self.wire = wire

    async def ask(self, request, emit, partial=None, refit=None):
        reply = None
        async for piece in self.wire.send(request):
            if isinstance(piece, ModelReply):
                reply = piece
                continue
            if partial is not None:
                partial.add(piece)
            if isinstance(piece, TextDelta):
                await emit(ReplyDelta(piece.text))
        return reply


@asynccontextmanager
async def open_agent(
    folder: Path,
    model,
    *tools,
    limits=None,
    room=None,
    route=ROUTE,
    count=len,
    owner="me",
    watch=None,
    course=None,
    compactor=None,
    shelf=None,
    **more,
):
    """`watch` wraps whatever the agent waits for; a `compactor` makes reports of long results, whose wholes go to the `shelf`;
    `more` are further parts."""
    database = await Database.open(folder / "limen.db")
    sessions, evidence = SqliteSessions(database), SqliteEvidence(database)

    async def begin(_wish, _latest, _window_tokens):
        return Start(route, course or Course())

    seen = watch or (lambda part: part)
    shelf = shelf or EvidenceShelf(evidence, REDACTOR)
    parts = AgentParts(
        reports=None if compactor is None else Reports(compactor, shelf, REDACTOR),
        sessions=seen(sessions),
        lanes=Lanes(seen(sessions), owner),
        model=seen(Straight(model)),
        begin=begin,
        tools={tool.spec.name: seen(tool) for tool in tools},
        redactor=REDACTOR,
        shelf=seen(shelf),
        count=count,
        limits=limits or Limits(),
        room=room or WindowRoom(),
        **more,
    )
    try:
        yield Agent(parts), sessions, evidence
    finally:
        await database.close()


async def play(agent, text, **options):
    """Run one turn to its end: its events and its outcome."""
    async with agent.turn(text, **options) as turn:
        events = [event async for event in turn]
    return events, turn.outcome
