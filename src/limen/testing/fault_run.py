"""Runs faults against the wires behind all model gates, and says what came of each: its class, what was done, what was seen."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import anyio
import httpx2
import msgspec

from limen.core.event import Event, Notice
from limen.core.exchange import ModelReply, ModelRequest
from limen.core.fault import FaultClass, ModelFault
from limen.core.message import Message, Text, text_of
from limen.core.prompt import Prompt
from limen.core.route import Route, WireName
from limen.core.tool import ToolSchema
from limen.models.credentials import Keyring
from limen.models.fallback import Fallback
from limen.models.gates import model_gates
from limen.models.health import Health
from limen.models.model import Model
from limen.models.pool import Credentials
from limen.models.recovery import RECOVERY
from limen.models.resting import rest_of
from limen.models.retelling import History
from limen.models.retry import Retry, RetryLimits
from limen.models.spending import Budget, Spending
from limen.models.wire.dialects import DIALECTS
from limen.models.wire.http import Endpoint, Patience
from limen.models.wire.stream import HttpWire
from limen.testing.faults import ANSWER, FAULTS, Fault
from limen.testing.health import MemoryHealth
from limen.testing.model_server import model_server
from limen.testing.scripted_model import say
from limen.testing.spend import MemorySpend

WIRES: tuple[WireName, ...] = ("chat_completions", "anthropic_messages", "codex_responses")
RETRIES = 2
_TOOL = ToolSchema("remove", "Remove a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
_NO_KEYS = Keyring((), lambda _name: None)
# Nobody waits for a run that hangs.
_LONGEST_S = 60.0


class Seen(msgspec.Struct, frozen=True):
    """One run: how often the server was asked, and either the reply or the fault. `told` are the notices on the way."""

    hits: int
    told: tuple[str, ...]
    reply: ModelReply | None = None
    fault: ModelFault | None = None

    @property
    def fault_class(self) -> FaultClass | None:
        """The row of the action table that was gone by."""
        return self.fault.fault_class if self.fault is not None else None

    @property
    def words(self) -> str:
        """What a person reads in the end."""
        if self.fault is not None:
            return f"{self.fault.reason} ({self.fault.mend})"
        assert self.reply is not None
        shown = text_of(self.reply.blocks)
        calls = ", ".join(call.name for call in self.reply.tool_calls)
        named = "the reply" if shown in (ANSWER, "") or len(shown) > 1_000 else repr(shown)
        return named + (f" and the calls {calls}" if calls else "") + (", cut" if self.reply.stop == "length" else "")


class Row(msgspec.Struct, frozen=True):
    """A fault over one wire: alone, and with another route behind it, which nobody needs where the reply is whole."""

    fault: Fault
    wire: WireName
    alone: Seen
    over: Seen | None

    def cells(self) -> tuple[str, str, str, str]:
        """Class, action, hits and what was seen, as the table has them."""
        name = self.alone.fault_class
        hits = f"{self.alone.hits}" + (f" / {self.over.hits}" if self.over is not None else "")
        words = " ".join(self.alone.words.split()).replace("|", "\\|")
        return name or "–", action_of(name) if name else "none", hits, words


def action_of(name: FaultClass) -> str:
    """What the action table does about a class, in words."""
    row = RECOVERY[name]
    retries = RETRIES if row.retries is None else row.retries
    steps = [f"retry {retries} times" if retries > 1 else "retry once"] if retries else []
    steps += ["another key"] if row.rotate else []
    return ", ".join([*steps, {"fall back": "another route", "fold": "fold, another route", "give up": "give up"}[row.then]])


async def run(fault: Fault, wire: WireName) -> Row:
    """Play a fault over a wire. Raises TimeoutError for one that hangs."""
    with anyio.fail_after(_LONGEST_S):
        alone = await _ask(fault, wire, spare=False)
        over = None if fault.answers else await _ask(fault, wire, spare=True)
    return Row(fault, wire, alone, over)


async def table() -> tuple[Row, ...]:
    """Every fault over every wire."""
    return tuple([row for fault in FAULTS for row in await rows(fault)])


async def rows(fault: Fault) -> tuple[Row, ...]:
    """A fault over every wire, side by side."""
    found: dict[WireName, Row] = {}

    async def one(wire: WireName) -> None:
        found[wire] = await run(fault, wire)

    async with anyio.create_task_group() as group:
        for wire in WIRES:
            group.start_soon(one, wire)
    return tuple(found[wire] for wire in WIRES)


def markdown(found: tuple[Row, ...]) -> str:
    """Rows as lines of a table, those of one fault in one line where they are alike."""
    lines: list[str] = []
    for fault in dict.fromkeys(row.fault.name for row in found):
        cells: dict[tuple[str, ...], list[str]] = {}
        for row in found:
            if row.fault.name == fault:
                cells.setdefault(row.cells(), []).append(row.wire)
        for said, wires in cells.items():
            named = fault if len(cells) == 1 else f"{fault} ({', '.join(f'`{wire}`' for wire in wires)})"
            lines.append(f"| {named} | {' | '.join(said)} |")
    return "\n".join(lines) + "\n"


async def _ask(fault: Fault, wire: WireName, *, spare: bool) -> Seen:
    events: list[Event] = []

    async def emit(event: Event) -> None:
        events.append(event)

    async with _staged(fault, wire, spare=spare) as (model, request, received):
        reply: ModelReply | None = None
        failed: ModelFault | None = None
        try:
            reply = await model.ask(request, emit)
        except ModelFault as error:
            failed = error
    origin = request.route.endpoint.removesuffix("/v1")
    told = tuple(event.text.replace(origin, "ENDPOINT") for event in events if isinstance(event, Notice))
    retried = sum(isinstance(event, Notice) and event.code == "model.retrying" for event in events)
    if failed is not None:
        reason = failed.reason.replace(origin, "ENDPOINT")
        failed = ModelFault(failed.kind, reason, failed.mend, failed.status, failed.retry_after_s)
    return Seen(len(received) if fault.step else 1 + retried, told, reply, failed)


@asynccontextmanager
async def _staged(fault: Fault, wire: WireName, *, spare: bool) -> AsyncIterator[tuple[Model, ModelRequest, list[object]]]:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(model_server(then=fault.step(wire) if fault.step else None))
        other = await stack.enter_async_context(model_server(then=say(ANSWER)))
        client = await stack.enter_async_context(httpx2.AsyncClient(trust_env=False))
        url = server.url if fault.step else "http://127.0.0.1:9/v1"  # the port "discard", where nobody listens
        route = Route("first", wire, "m", url)
        chain = [Route("second", wire, "m", other.url)] if spare else []
        endpoint = Endpoint(lambda _route: client, _NO_KEYS, Patience(5.0, fault.idle_s, fault.silent_s))
        health = Health(MemoryHealth())
        gates = model_gates(
            fallback=Fallback(chain, health, _as_it_is, lambda route: rest_of(route, health, _NO_KEYS)),
            budget=Budget(Spending(MemorySpend())),
            history=History(),
            credentials=Credentials(_NO_KEYS, health),
            retry=Retry(RetryLimits(RETRIES), sleep=_at_once, chance=lambda: 0.0),
        )
        model = Model({name: HttpWire(endpoint, dialect) for name, dialect in DIALECTS.items()}, gates)
        request = ModelRequest(route, Prompt(), (Message("user", (Text("Hello?"),)),), (_TOOL,))
        yield model, request, server.received  # type: ignore[misc]  # only counted


async def _as_it_is(route: Route) -> Route:
    return route


async def _at_once(_seconds: float) -> None:
    await anyio.lowlevel.checkpoint()
