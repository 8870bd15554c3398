"""Tools as every vendor takes them: names of plain letters, and schemas that are one object. Pure: the same bytes each time."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from limen.core.message import ToolCall
from limen.core.tool import ToolSchema

# OpenAI and Anthropic take letters, digits, dash and underscore, up to 64; Google wants no digit in front.
_LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_STEM_CHARS = 54
_COMBINED = ("allOf", "anyOf", "oneOf")
_REFUSED = frozenset({*_COMBINED, "not", "if", "then", "else", "enum", "$schema", "$id", "$ref", "$defs", "definitions"})
"""What several vendors refuse at the top of a tool's schema. The tool itself still checks what it is called with."""
_DEEPEST = 12


def legal_name(name: str) -> str:
    """`name` where every vendor takes it, else one made of it, which no other name gives."""
    if _LEGAL.fullmatch(name):
        return name
    stem = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:_STEM_CHARS]
    lead = "" if _LEGAL.fullmatch(stem[:1]) else "_"
    return f"{lead}{stem}_{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def faces(tools: Sequence[ToolSchema]) -> tuple[ToolSchema, ...]:
    """The tools as a request may carry them. Of several with one name the first counts: a call could not tell them apart."""
    named: dict[str, ToolSchema] = {}
    for tool in tools:
        named.setdefault(legal_name(tool.name), tool)
    return tuple(_face(name, tool) for name, tool in named.items())


def true_name(name: str, tools: Iterable[ToolSchema]) -> str:
    """The tool that is meant by a name in a reply; the name itself where none is."""
    return next((tool.name for tool in tools if legal_name(tool.name) == name), name)


def renamed(call: ToolCall, tools: Iterable[ToolSchema]) -> ToolCall:
    """A call of a reply with its tool's true name."""
    name = true_name(call.name, tools)
    return call if name == call.name else msgspec.structs.replace(call, name=name)


def _face(name: str, tool: ToolSchema) -> ToolSchema:
    parameters = one_object(tool.parameters)
    if name == tool.name and parameters is tool.parameters:
        return tool
    return ToolSchema(name, tool.description, parameters)


def one_object(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema as one object without alternatives at its top: what all demand is demanded, what one knows is known."""
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict) and not _REFUSED & schema.keys():
        return schema
    defined = {**_mapping(schema.get("definitions")), **_mapping(schema.get("$defs"))}
    return _merged(_inlined(schema, defined, 0))


def _merged(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = dict(_mapping(schema.get("properties")))
    demanded = _names(schema.get("required"))
    for key in _COMBINED:
        branches = [_merged(branch) for branch in _sequence(schema.get(key)) if isinstance(branch, Mapping)]
        properties = {**_gathered(branches, "allOf" if key == "allOf" else "anyOf"), **properties}
        wanted = [frozenset(_names(branch.get("required"))) for branch in branches]
        if wanted:
            shared = frozenset.union(*wanted) if key == "allOf" else frozenset.intersection(*wanted)
            demanded += [name for name in properties if name in shared and name not in demanded]
    kept = {key: value for key, value in schema.items() if key not in _REFUSED and key not in ("type", "properties", "required")}
    return {"type": "object", "properties": properties, **({"required": demanded} if demanded else {}), **kept}


def _gathered(branches: Sequence[Mapping[str, Any]], combined: str) -> dict[str, Any]:
    """The properties of all branches; what they say differently of one stands side by side in it."""
    gathered: dict[str, list[Any]] = {}
    for branch in branches:
        for name, said in branch["properties"].items():
            meanings = gathered.setdefault(name, [])
            meanings += [] if said in meanings else [said]
    return {name: meanings[0] if len(meanings) == 1 else {combined: meanings} for name, meanings in gathered.items()}


def _inlined(value: Any, defined: Mapping[str, Any], depth: int) -> Any:
    """A schema with what it refers to in its place; what refers to itself ends as anything at all."""
    if isinstance(value, list):
        return [_inlined(item, defined, depth) for item in value]
    if not isinstance(value, dict):
        return value
    ref = value.get("$ref")
    if isinstance(ref, str):
        named = defined.get(ref.rpartition("/")[2])
        beside = {key: item for key, item in value.items() if key != "$ref"}
        if depth >= _DEEPEST or not isinstance(named, dict):
            return beside
        return {**_inlined(named, defined, depth + 1), **_inlined(beside, defined, depth)}
    return {key: _inlined(item, defined, depth) for key, item in value.items() if key not in ("$defs", "definitions")}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _sequence(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _names(value: Any) -> list[str]:
    return [name for name in _sequence(value) if isinstance(name, str)]
