"""`{{ev_...}}` in a call's arguments: a kept output goes to a tool that writes, runs or sends, and never through the model."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from limen.agent.call import CallProceed, CallRequest, refused
from limen.core.evidence import Evidence
from limen.core.fault import Fault, Refusal
from limen.core.ledger import GateVerdict
from limen.core.tool import ToolAnswer
from limen.store.ports import EvidenceStore

MOST_CHARS = 10_000_000
"""So many characters one call may be handed, each place counted: ten times a long log, and no burden for the memory."""

_PLACE = re.compile(r"\{\{\s*(ev_[0-9a-f]{12})\s*\}\}")
_HANDED_TO = frozenset({"write", "run", "send"})


class Handing:
    """Gate: puts kept outputs, masked as they are stored, where the model's own arguments name them.

    It stands inside `approved`: a person, the session's history and the events see the places, and what `said` tells of them.
    Texts are read once the call may run; what they hold is text, also where it looks like a place.
    """

    def __init__(self, kept: EvidenceStore) -> None:
        self._kept = kept

    async def said(self, request: CallRequest) -> str | Refusal:
        """What a call would be handed: each id with its size, empty for nothing; or why it cannot be."""
        try:
            sizes = await self._sizes(request)
        except Fault as fault:
            return Refusal("handed", fault.code, fault.reason, fault.mend)
        return sizes if isinstance(sizes, Refusal) else _said(sizes)

    async def __call__(self, request: CallRequest, proceed: CallProceed) -> ToolAnswer:
        """Run the call with the texts in their places; its answer says in the ledger that it was handed some."""
        try:
            sizes = await self._sizes(request)
            if isinstance(sizes, Refusal):
                return refused(request.call, sizes)
            if not sizes:
                return await proceed(request)
            texts = {one: (await self._kept.show(one, 1, None)) for one in sizes}
        except Fault as fault:
            return refused(request.call, Refusal("handed", fault.code, fault.reason, fault.mend))
        whole = {one: excerpt.text for one, excerpt in texts.items() if excerpt is not None}
        if gone := next((one for one in sizes if one not in whole), None):
            return refused(request.call, _unknown(gone))
        try:
            arguments = _filled(request.arguments, whole)
        except msgspec.ValidationError as error:
            reason = f"{request.call.name} does not take what {', '.join(sizes)} holds: {error}."
            return refused(request.call, Refusal("handed", "evidence.unfit", reason, "Hand on lines of it, read before."))
        await request.context.progress(_said(sizes))
        answer = await proceed(msgspec.structs.replace(request, arguments=arguments))
        return _noted(answer)

    async def _sizes(self, request: CallRequest) -> Mapping[str, Evidence] | Refusal:
        """What the call names, by id; a refusal where nothing is kept under one, or all is too much."""
        if request.tool is None or request.tool.spec.effect not in _HANDED_TO or "{{" not in request.call.arguments:
            return {}
        sizes: dict[str, Evidence] = {}
        chars = 0
        for leaf in _leaves(msgspec.to_builtins(request.arguments)):
            for place in _PLACE.finditer(leaf):
                found = sizes.get(place[1]) or await self._kept.get(place[1])
                if found is None:
                    return _unknown(place[1])
                sizes[place[1]] = found
                chars += found.chars
        if chars > MOST_CHARS:
            reason = f"{_said(sizes)}: {chars:,} characters in all; one call may be handed {MOST_CHARS:,}."
            return Refusal("handed", "evidence.too_long", reason, "evidence_search finds the lines that matter.")
        return sizes


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _leaves(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _leaves(one)


def _filled(arguments: Any, texts: Mapping[str, str]) -> Any:
    """The arguments with texts in their places, judged again by their type. Raises msgspec.ValidationError."""

    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return _PLACE.sub(lambda place: texts[place[1]], value)
        if isinstance(value, Mapping):
            return {name: fill(one) for name, one in value.items()}
        return [fill(one) for one in value] if isinstance(value, list | tuple) else value

    return msgspec.convert(fill(msgspec.to_builtins(arguments)), type(arguments))


def _said(sizes: Mapping[str, Evidence]) -> str:
    return ", ".join(f"{one} ({kept.chars:,} characters)" for one, kept in sizes.items())


def _noted(answer: ToolAnswer) -> ToolAnswer:
    verdict = GateVerdict("handed", "changed", "evidence.handed")
    parts = tuple(part.treated(part.origin.treatment.judged(verdict)) for part in answer.parts)
    return msgspec.structs.replace(answer, parts=parts)


def _unknown(evidence_id: str) -> Refusal:
    reason = f"Nothing is kept under {evidence_id}: it was dropped, or never was here."
    return Refusal("handed", "evidence.unknown", reason, "evidence_status {} names what this session holds.")
