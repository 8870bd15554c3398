"""The toolbox: a session's fixed set of tools, and how a reply's calls are run through their gates."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

import anyio
import msgspec

from limen.agent.call import RAW, Approved, CallGate, CallRequest, Known, Redact, Repeated, refused, takes_raw, valid
from limen.agent.handing import Handing
from limen.agent.reports import Reports
from limen.agent.shelving import Room, Shelve
from limen.agent.toolsets import Selection
from limen.core.context import CallContext, Emit
from limen.core.event import Refused, ToolFinished, ToolStarted
from limen.core.fault import Fault, Refusal
from limen.core.ledger import Origin, Trust
from limen.core.message import Text, ToolCall, ToolResult
from limen.core.ports import Redactor, Tool
from limen.core.tool import Part, ToolAnswer, ToolOutcome, ToolSchema
from limen.kit.clock import monotonic_s
from limen.kit.grace import late_stop
from limen.kit.log import logger
from limen.kit.pipeline import pipeline
from limen.models.tool_faces import one_object

# Outermost first; the order is the contract of DESIGN's table of pipelines.
TOOL_GATES = ("known", "around_tool", "valid", "approved", "handed", "limits")
TOOL_SHAPERS = ("redact", "compact")


def schema_of(tool: Tool) -> tuple[ToolSchema, Origin]:
    """A tool's face for a request, made from its arguments' type alone."""
    parameters = _parameters(tool.spec.arguments)
    if takes_raw(tool.spec):
        parameters = {**parameters, "properties": {**parameters.get("properties", {}), RAW: _RAW}}
    return ToolSchema(tool.spec.name, tool.spec.description, parameters), Origin("tools", tool.spec.name, Trust.OPERATOR)


@lru_cache(maxsize=1_024)
def _parameters(arguments: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of a type, which nobody changes: making one costs more than all else that a turn does with a tool."""
    (schema,), components = msgspec.json.schema_components([arguments])
    body = components[arguments.__name__] if "$ref" in schema else schema
    if len(components) > 1:  # what the arguments are made of stands in its place, as not every vendor follows a reference
        body = one_object({**body, "$defs": components})
    return {key: value for key, value in body.items() if key not in ("title", "description")}


# A long output becomes a report; who needs each character of it says so.
_RAW = {"type": "boolean", "description": "Exact output, no report."}
Outcomes = list[ToolOutcome | None]

# A reply that asks for more is a model that babbles; what it asked for beyond this is refused.
MOST_CALLS = 64
# What a token of a page mostly has at least; where it has fewer, the shaper `compact` cuts what is left over.
_CHARS_A_TOKEN = 3
# So many calls that read or fetch run side by side.
_AT_ONCE = 8
# How long those may take to hand over what they have read, once their turn is to end; a reader that minds it takes a tenth.
_HAND_OVER_S = 1.0


class Toolbox:
    """Runs calls for one turn. Neighbours that read or fetch run at once; every other call waits for those before it, and those
    behind it wait for it.

    One call's result has at most `limit_chars` characters; of a longer one the whole is kept on the shelf.
    """

    def __init__(
        self,
        tools: Selection,
        redactor: Redactor,
        shelve: Shelve,
        *,
        reports: Reports | None = None,
        handing: Handing | None = None,
        limit_chars: int = 100_000,
        around: Sequence[CallGate] = (),
    ) -> None:
        self._tools = tools.offered
        self._on = tools.on
        self._redact = Redact(redactor)
        self._reports = reports
        self._shelve = shelve
        self._limit_chars = limit_chars
        handed, said = ([handing], handing.said) if handing is not None else ([], None)
        gates: list[CallGate] = [Known(tools), *around, valid, Approved(said), *handed, Repeated()]
        self._proceed = pipeline(gates, self._run)

    @property
    def may_call(self) -> bool:
        """False where the session has tools and this turn may use none of them."""
        return bool(self._on) or not self._tools

    def schemas(self) -> list[tuple[ToolSchema, Origin]]:
        """The schemas of all tools that the session is offered, by name."""
        return [schema_of(self._tools[name]) for name in sorted(self._tools)]

    async def run(
        self, calls: Sequence[ToolCall], context: CallContext, emit: Emit, outcomes: Outcomes, *, room_tokens: int = 25_000
    ) -> None:
        """Run a reply's calls, each of whose results may have `room_tokens`.

        `outcomes` has a place for each call, filled as the calls end: whoever cancels this finds there what was done. A tool's
        failure is never raised: that is the outcome's business.
        """
        numbered = list(enumerate(calls))
        for together, group in groupby(numbered[:MOST_CALLS], key=lambda pair: self._runs_at_once(pair[1])):
            if together:
                await self._at_once(list(group), context, emit, outcomes, room_tokens)
                continue
            for index, call in group:
                await self._one(index, call, context, emit, outcomes, room_tokens)
        for index, call in numbered[MOST_CALLS:]:
            refusal = Refusal(
                "limits", "tool.too_many_calls", f"One reply may make {MOST_CALLS} calls.", "Call again for the rest."
            )
            outcomes[index] = outcome_of(call, refused(call, refusal))
            await emit(Refused(refusal))

    async def _at_once(
        self, calls: Sequence[tuple[int, ToolCall]], context: CallContext, emit: Emit, outcomes: Outcomes, room_tokens: int
    ) -> None:
        """Calls that change nothing, side by side. Where the turn is to end, they are told, and keep what they have by then."""
        places = anyio.CapacityLimiter(_AT_ONCE)
        async with late_stop(_HAND_OVER_S) as stopping, anyio.create_task_group() as tasks:
            told = msgspec.structs.replace(context, cancelled=lambda: stopping() or context.cancelled())

            async def one(index: int, call: ToolCall) -> None:
                async with places:
                    if not stopping():
                        await self._one(index, call, told, emit, outcomes, room_tokens)

            for index, call in calls:
                tasks.start_soon(one, index, call)

    def _runs_at_once(self, call: ToolCall) -> bool:
        tool = self._tools.get(call.name)
        return tool is None or tool.spec.effect in ("read", "fetch")

    async def _one(
        self, index: int, call: ToolCall, context: CallContext, emit: Emit, outcomes: Outcomes, room_tokens: int
    ) -> None:
        started = monotonic_s()
        await emit(ToolStarted(call, context.asked_by))
        room = self._room(call, room_tokens)
        room_chars = min(room.chars, room.tokens * _CHARS_A_TOKEN)
        own = msgspec.structs.replace(context, call_id=call.call_id, room_chars=room_chars)
        answer = await self._proceed(CallRequest(call, own))
        with anyio.CancelScope(shield=True):  # what a tool has done is told to the model, also by a turn that ends here
            shown = await self._redact(answer)
            answer = await self._shelve(await self._reported(shown, own, call), room, session=context.session, tool=call.name)
        took_s = monotonic_s() - started
        outcomes[index] = outcome_of(call, answer, took_s)
        if answer.refusal is not None:
            await emit(Refused(answer.refusal))
        await emit(ToolFinished(call.call_id, call.name, answer.is_error, took_s, answer.refusal, answer.evidence_id))

    async def _reported(self, answer: ToolAnswer, context: CallContext, call: ToolCall) -> ToolAnswer:
        tool = self._tools.get(call.name)
        if self._reports is None or tool is None or answer.refusal is not None:
            return answer
        return await self._reports(answer, session=context.session, tool=call.name, verbatim=tool.spec.output == "verbatim")

    def _room(self, call: ToolCall, tokens: int) -> Room:
        tool = self._tools.get(call.name)
        return Room(min(tool.spec.limit_chars, self._limit_chars) if tool is not None else self._limit_chars, tokens)

    async def _run(self, request: CallRequest) -> ToolAnswer:
        if request.tool is None:
            raise AssertionError("no call reaches a tool that is not known")
        try:
            return await request.tool.run(request.arguments, request.context)
        except Fault as fault:
            return refused(request.call, Refusal(request.call.name, fault.code, fault.reason, fault.mend))
        except Exception as error:  # noqa: BLE001 - the tool call is a border: the model is told, the turn goes on
            logger.exception("tool %s failed", request.call.name)
            reason = f"{request.call.name} failed unexpectedly: {type(error).__name__}: {error}"
            return refused(request.call, Refusal(request.call.name, "tool.failed", reason))


def outcome_of(call: ToolCall, answer: ToolAnswer, took_s: float = 0.0) -> ToolOutcome:
    """An answer as a result for the window; an empty answer becomes a visible one."""
    parts = answer.parts or (Part(Text("(no output)"), Origin("tool", call.name, Trust.TOOL)),)
    block = ToolResult(call.call_id, tuple(part.block for part in parts), answer.is_error, answer.evidence_id)
    origins = tuple(
        msgspec.structs.replace(part.origin, parent=part.origin.parent or f"{call.name} {call.call_id}") for part in parts
    )
    return ToolOutcome(call, block, origins, answer.refusal, took_s)


def not_run(call: ToolCall, code: str, reason: str) -> ToolOutcome:
    """The outcome of a call that never started."""
    return outcome_of(call, refused(call, Refusal("turn", code, reason)))
