"""One tool call on its way: the gates it passes, outermost first, and the masking of what comes back."""

import json
from collections.abc import Awaitable, Callable, Mapping
from difflib import get_close_matches
from typing import Any

import anyio
import anyio.to_thread
import msgspec

from limen.agent.toolsets import Selection
from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict
from limen.core.message import Text, ToolCall
from limen.core.ports import Redactor, Tool
from limen.core.tool import ASKING_EFFECTS, Part, ToolAnswer, ToolSpec, refused_origin
from limen.kit.log import failed_open
from limen.kit.pipeline import Gate, Proceed

# Masking a text of this size takes about 10 ms, during which the event loop would stand still.
_IN_THREAD_CHARS = 200_000
RAW = "raw"
"""The argument that asks for an output as it is, up to what has room."""


class CallRequest(msgspec.Struct, frozen=True):
    """A call with what the gates have found out about it so far."""

    call: ToolCall
    context: CallContext
    tool: Tool | None = None
    arguments: Any = None


CallGate = Gate[CallRequest, ToolAnswer]
CallProceed = Proceed[CallRequest, ToolAnswer]


def refused(call: ToolCall, refusal: Refusal) -> ToolAnswer:
    """The answer that tells a model it was refused, why, and what would change that."""
    text = msgspec.json.encode({"error": refusal.published()}).decode()
    return ToolAnswer((Part(Text(text), refused_origin(call.name, refusal)),), is_error=True, refusal=refusal)


class Known:
    """Gate: the tool is one of this session's, and it is on in this turn."""

    def __init__(self, tools: Selection) -> None:
        self._tools = tools.offered
        self._on = tools.on

    async def __call__(self, request: CallRequest, proceed: CallProceed) -> ToolAnswer:
        name = request.call.name
        tool = self._tools.get(name)
        if tool is not None and name in self._on:
            return await proceed(msgspec.structs.replace(request, tool=tool))
        if tool is not None:
            mend = f"Use one of these: {', '.join(sorted(self._on))}." if self._on else "Answer without tools."
            return refused(request.call, Refusal("known", "tool.off", f"{name} is switched off in this turn.", mend))
        near = get_close_matches(name, self._on, n=1)
        mend = f"Use {near[0]}." if near else f"Available tools: {', '.join(sorted(self._on)) or 'none'}."
        return refused(request.call, Refusal("known", "tool.unknown", f"There is no tool named {name!r}.", mend))


async def valid(request: CallRequest, proceed: CallProceed) -> ToolAnswer:
    """Gate: the arguments are JSON that fits the tool's type; a name that differs only in its spelling of words is healed.

    `raw`, which every tool takes whose output may become a report, is no business of the tool: it stands in the answer.
    """
    tool = _tool(request)
    fields = {field.encode_name: field.name for field in msgspec.structs.fields(tool.spec.arguments)}
    try:
        given = _decoded(request.call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        return refused(request.call, _invalid(f"The arguments are not a JSON object: {error}.", fields))
    raw = takes_raw(tool.spec) and given.pop(RAW, False)
    healed, strangers = _heal(given, fields, tool.spec.aliases)
    if strangers:
        near = get_close_matches(strangers[0], fields, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return refused(request.call, _invalid(f"{tool.spec.name} takes no argument {strangers[0]!r}.{hint}", fields))
    try:
        arguments = msgspec.convert(healed, tool.spec.arguments, strict=False)
    except msgspec.ValidationError as error:
        return refused(request.call, _invalid(f"{error}.", fields))
    answer = await proceed(msgspec.structs.replace(request, arguments=arguments))
    return msgspec.structs.replace(answer, raw=True) if raw in (True, 1, "true", "True") else answer


def takes_raw(spec: ToolSpec) -> bool:
    """Whether a call may ask for the exact output: where it may become a report, and the tool has no such argument itself."""
    return spec.output == "compact" and RAW not in spec.arguments.__struct_encode_fields__


def _decoded(text: str) -> dict[str, Any]:
    """The arguments' object. Models also write the numbers that JSON lacks, NaN and infinities; the tool's type judges them.

    Raises ValueError, RecursionError.
    """
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        given = json.loads(text)
        if isinstance(given, dict):
            return given
        raise ValueError(str(error)) from error


def _invalid(reason: str, fields: Mapping[str, str]) -> Refusal:
    return Refusal("valid", "tool.invalid_arguments", reason, f"Accepted arguments: {', '.join(fields) or 'none'}.")


def _heal(given: dict[str, Any], fields: Mapping[str, str], aliases: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Arguments under their own names (`startLine` and `start-line` are `start_line`), and the names nobody knows."""
    plain = {_plain(alias): name for alias, name in aliases.items()} | {_plain(name): name for name in fields}
    healed: dict[str, Any] = {}
    strangers = []
    for name, value in given.items():
        own = name if name in fields else plain.get(_plain(name))
        if own is None or own in healed:
            strangers.append(name)
        else:
            healed[own] = value
    return healed, strangers


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


Says = Callable[[CallRequest], Awaitable[str | Refusal]]
"""What more a person should know of a call, or why nobody need be asked."""


class Approved:
    """Gate: reading and fetching run at once; every other effect needs a person's word, and without a person there is none.

    Who is asked is told where the call comes from a model that they did not choose, and what kept outputs it hands on.
    """

    def __init__(self, handed: Says | None = None) -> None:
        self._handed = handed

    async def __call__(self, request: CallRequest, proceed: CallProceed) -> ToolAnswer:
        spec, context = _tool(request).spec, request.context
        if spec.effect not in ASKING_EFFECTS:
            return await proceed(request)
        handed = "" if self._handed is None else await self._handed(request)
        if isinstance(handed, Refusal):
            return refused(request.call, handed)
        stand_in = f"{context.asked_by}, in place of {context.asked_for}: " if context.asked_for else ""
        question = stand_in + request.call.arguments + (f"\nhands on {handed}" if handed else "")
        verdict = "nobody" if context.approver is None else await context.approver.ask(spec.name, spec.effect, question)
        if verdict == "allow":
            return await proceed(request)
        if verdict == "deny":
            return refused(request.call, Refusal("approved", "approval.denied", f"A person refused this call of {spec.name}."))
        reason = f"{spec.name} has the effect {spec.effect!r}, which needs approval, and nobody can be asked here."
        return refused(request.call, Refusal("approved", "approval.nobody", reason))


class Repeated:
    """Gate: the same call that failed twice is not tried a third time in one turn."""

    def __init__(self, allowed: int = 2) -> None:
        self._allowed = allowed
        self._failures: dict[tuple[str, str], int] = {}

    async def __call__(self, request: CallRequest, proceed: CallProceed) -> ToolAnswer:
        key = (request.call.name, request.call.arguments)
        if self._failures.get(key, 0) >= self._allowed:
            reason = f"This exact call of {request.call.name} has failed {self._allowed} times in this turn."
            return refused(request.call, Refusal("limits", "tool.repeated", reason, "Change the arguments or go another way."))
        answer = await proceed(request)
        if answer.is_error:
            self._failures[key] = self._failures.get(key, 0) + 1
        return answer


def withheld(part: Part, error: Exception) -> Part:
    """A leaf in place of one whose secrets could not be masked."""
    failed_open("redact.failed", error)
    refusal = Refusal("redact", "redact.failed", "The text could not be checked for secrets and is withheld.")
    return Part(Text(msgspec.json.encode({"error": refusal.published()}).decode()), part.origin)


class Redact:
    """Shaper: secrets in text are masked; when masking itself fails, the text is withheld."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    async def __call__(self, answer: ToolAnswer) -> ToolAnswer:
        parts = []
        for part in answer.parts:
            large = isinstance(part.block, Text) and len(part.block.text) > _IN_THREAD_CHARS
            masked = await anyio.to_thread.run_sync(self._masked, part) if large else self._masked(part)
            parts.append(self._named(masked))
        return msgspec.structs.replace(answer, parts=tuple(parts))

    def _masked(self, part: Part) -> Part:
        if not isinstance(part.block, Text):
            return part
        try:
            redaction = self._redactor.redact(part.block.text)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, an unmasked text must not pass
            return withheld(part, error)
        if not redaction.count:
            return part
        verdict = GateVerdict("redact", "changed", "redact.masked")
        return part.treated(part.origin.treatment.judged(verdict, redacted=redaction.count), redaction.text)

    def _named(self, part: Part) -> Part:
        """The part under a source that holds no secret: what was asked for may have been refused for holding one."""
        try:
            source = self._redactor.redact(part.origin.source).text
        except Exception as error:  # noqa: BLE001 - whatever went wrong, an unmasked source must not pass
            failed_open("redact.failed", error)
            source = part.origin.kind
        if source == part.origin.source:
            return part
        return msgspec.structs.replace(part, origin=msgspec.structs.replace(part.origin, source=source))


def _tool(request: CallRequest) -> Tool:
    if request.tool is None:
        raise AssertionError("the gate `known` stands outside every gate that needs a tool")
    return request.tool
