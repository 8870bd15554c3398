"""One tool call on its way: the gates it passes, outermost first, and what is done to what comes back."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import Cut, GateVerdict, Origin, Trust
from limen.core.message import Text, ToolCall
from limen.core.ports import Redactor, Shelf, Tool
from limen.core.tool import ASKING_EFFECTS, Part, ToolAnswer
from limen.kit.log import failed_open
from limen.kit.pipeline import Gate, Proceed
from limen.kit.text import cut_middle


class CallRequest(msgspec.Struct, frozen=True):
    """A call with what the gates have found out about it so far."""

    call: ToolCall
    context: CallContext
    tool: Tool | None = None
    arguments: Any = None
    room_chars: int = 100_000


CallGate = Gate[CallRequest, ToolAnswer]
CallProceed = Proceed[CallRequest, ToolAnswer]


def refused(refusal: Refusal) -> ToolAnswer:
    """The answer that tells a model it was refused, why, and what would change that."""
    text = msgspec.json.encode({"error": refusal.published()}).decode()
    origin = Origin("tool", refusal.gate, Trust.TOOL)
    return ToolAnswer((Part(Text(text), origin),), is_error=True, refusal=refusal)


class Known:
    """Gate: the tool is one of this session's."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._tools = tools

    async def __call__(self, request: CallRequest, proceed: CallProceed) -> ToolAnswer:
        tool = self._tools.get(request.call.name)
        if tool is not None:
            return await proceed(msgspec.structs.replace(request, tool=tool))
        near = get_close_matches(request.call.name, self._tools, n=1)
        mend = f"Use {near[0]}." if near else f"Available tools: {', '.join(sorted(self._tools)) or 'none'}."
        return refused(Refusal("known", "tool.unknown", f"There is no tool named {request.call.name!r}.", mend))


async def valid(request: CallRequest, proceed: CallProceed) -> ToolAnswer:
    """Gate: the arguments are JSON that fits the tool's type; a name that differs only in its spelling of words is healed."""
    tool = _tool(request)
    fields = {field.encode_name: field.name for field in msgspec.structs.fields(tool.spec.arguments)}
    try:
        given = msgspec.json.decode(request.call.arguments or "{}", type=dict[str, Any])
    except msgspec.DecodeError as error:
        return refused(_invalid(f"The arguments are not a JSON object: {error}.", fields))
    healed, strangers = _heal(given, fields)
    if strangers:
        near = get_close_matches(strangers[0], fields, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return refused(_invalid(f"{tool.spec.name} takes no argument {strangers[0]!r}.{hint}", fields))
    try:
        arguments = msgspec.convert(healed, tool.spec.arguments, strict=False)
    except msgspec.ValidationError as error:
        return refused(_invalid(f"{error}.", fields))
    return await proceed(msgspec.structs.replace(request, arguments=arguments))


def _invalid(reason: str, fields: Mapping[str, str]) -> Refusal:
    return Refusal("valid", "tool.invalid_arguments", reason, f"Accepted arguments: {', '.join(fields) or 'none'}.")


def _heal(given: dict[str, Any], fields: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Arguments under their own names (`startLine` and `start-line` are `start_line`), and the names nobody knows."""
    plain = {_plain(name): name for name in fields}
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


async def approved(request: CallRequest, proceed: CallProceed) -> ToolAnswer:
    """Gate: reading and fetching run at once; every other effect needs a person's word, and without a person there is none."""
    spec = _tool(request).spec
    if spec.effect not in ASKING_EFFECTS:
        return await proceed(request)
    approver = request.context.approver
    verdict = "nobody" if approver is None else await approver.ask(spec.name, spec.effect, request.call.arguments)
    if verdict == "allow":
        return await proceed(request)
    if verdict == "deny":
        return refused(Refusal("approved", "approval.denied", f"A person refused this call of {spec.name}."))
    return refused(
        Refusal(
            "approved",
            "approval.nobody",
            f"{spec.name} has the effect {spec.effect!r}, which needs approval, and nobody can be asked here.",
        )
    )


class Repeated:
    """Gate: the same call that failed twice is not tried a third time in one turn."""

    def __init__(self, allowed: int = 2) -> None:
        self._allowed = allowed
        self._failures: dict[tuple[str, str], int] = {}

    async def __call__(self, request: CallRequest, proceed: CallProceed) -> ToolAnswer:
        key = (request.call.name, request.call.arguments)
        if self._failures.get(key, 0) >= self._allowed:
            reason = f"This exact call of {request.call.name} has failed {self._allowed} times in this turn."
            return refused(Refusal("limits", "tool.repeated", reason, "Change the arguments or go another way."))
        answer = await proceed(request)
        if answer.is_error:
            self._failures[key] = self._failures.get(key, 0) + 1
        return answer


class Redact:
    """Shaper: secrets in text are masked; when masking itself fails, the text is withheld."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    async def __call__(self, answer: ToolAnswer) -> ToolAnswer:
        return msgspec.structs.replace(answer, parts=tuple(self._masked(part) for part in answer.parts))

    def _masked(self, part: Part) -> Part:
        if not isinstance(part.block, Text):
            return part
        try:
            redaction = self._redactor.redact(part.block.text)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, an unmasked text must not pass
            failed_open("redact.failed", error)
            withheld = Refusal("redact", "redact.failed", "The text could not be checked for secrets and is withheld.")
            return Part(refused(withheld).parts[0].block, part.origin)
        if not redaction.count:
            return part
        treatment = msgspec.structs.replace(
            part.origin.treatment,
            redacted=redaction.count,
            gates=(*part.origin.treatment.gates, GateVerdict("redact", "changed", "redact.masked")),
        )
        return Part(Text(redaction.text), msgspec.structs.replace(part.origin, treatment=treatment))


class Shelve:
    """Keeps the whole of a text that is too long for the room it has, and leaves its head and tail."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    async def __call__(self, answer: ToolAnswer, request: CallRequest) -> ToolAnswer:
        if not answer.parts:
            return answer
        limit = min(_tool(request).spec.limit_chars if request.tool else request.room_chars, request.room_chars)
        share = max(limit // len(answer.parts), 1_000)
        evidence_id = answer.evidence_id
        parts = []
        for part in answer.parts:
            if isinstance(part.block, Text) and len(part.block.text) > share:
                part, evidence_id = await self._cut(part, part.block.text, share, request)
            parts.append(part)
        return msgspec.structs.replace(answer, parts=tuple(parts), evidence_id=evidence_id)

    async def _cut(self, part: Part, text: str, limit_chars: int, request: CallRequest) -> tuple[Part, str]:
        context = request.context
        kept = await self._shelf.keep(text, session=context.session, tool=request.call.name, source=part.origin.source)
        cut = cut_middle(text, limit_chars - 200)
        if cut is None:
            return part, kept.id
        left_out = len(text) - len(cut.head) - len(cut.tail)
        footer = (
            f"\n[{left_out} of {len(text)} characters are left out here; the whole is {kept.id}: "
            f'read_file {{"path": "{kept.id}", "start_line": {cut.gap_start_line}}}]\n'
        )
        treatment = msgspec.structs.replace(
            part.origin.treatment,
            chars_in=len(text),
            cut=Cut(len(cut.head), len(cut.tail)),
            compacted=kept.id,
            gates=(*part.origin.treatment.gates, GateVerdict("compact", "changed", "compact.cut")),
        )
        origin = msgspec.structs.replace(part.origin, treatment=treatment)
        return Part(Text(cut.head + footer + cut.tail), origin), kept.id


def _tool(request: CallRequest) -> Tool:
    if request.tool is None:
        raise AssertionError("the gate `known` stands outside every gate that needs a tool")
    return request.tool
