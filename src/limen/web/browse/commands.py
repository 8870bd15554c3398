"""Commands as a model writes them, taken one by one: what is wrong with one costs that one."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from limen.core.browse import COMMANDS, Command, ImageQuery, ResponseLength, SearchQuery
from limen.core.fault import Refusal
from limen.kit.text import clip

MOST_QUERIES, MOST_IMAGE_QUERIES, MOST_COMMANDS = 4, 2, 10
# More queries than this bring more than a short answer holds.
SHORT_QUERIES = 3
# Other names under which models give what a command is about.
_OTHER_NAMES = {"ref_id": ("ref", "url", "href", "id"), "q": ("query",), "pattern": ("query", "q"), "lineno": ("line",)}
_GIVEN_CHARS = 200
# So many get an answer each; a list that is longer is a slip, of which one word is enough.
_MOST_TOLD = 2 * MOST_COMMANDS
_MANY = f"One call carries out {MOST_COMMANDS} commands."


class BadCommand(msgspec.Struct, frozen=True):
    """A command that is not carried out: its name, what it was given, and why not."""

    name: str
    given: str
    refusal: Refusal


def read_commands(lists: Mapping[str, Any], length: ResponseLength) -> list[Command | BadCommand]:
    """The commands of a call in the order in which they are answered.

    Codes of the bad ones: `browse.invalid_command`, `browse.too_many_queries`, `browse.too_many_image_queries`,
    `browse.too_many_commands`, `browse.response_too_short`.
    """
    commands: list[Command | BadCommand] = []
    counts: dict[str, int] = {}
    given_all = list(_each(lists))
    for kind, given in given_all[:_MOST_TOLD]:
        name = str(kind.__struct_config__.tag)
        counts[name] = counts.get(name, 0) + 1
        excess = _excess(kind, counts[name], len(commands), length)
        commands.append(BadCommand(name, _shown(given), excess) if excess is not None else _read(kind, name, given))
    if len(given_all) > _MOST_TOLD:
        rest = len(given_all) - _MOST_TOLD
        commands.append(BadCommand("web", f"{rest:,} more commands", _too_many("too_many_commands", _MANY)))
    return commands


def _each(lists: Mapping[str, Any]) -> Iterator[tuple[type[Command], Any]]:
    for kind in COMMANDS:
        for given in _listed(lists.get(str(kind.__struct_config__.tag))):
            yield kind, given


def _listed(given: Any) -> list[Any]:
    """A list of commands; one alone, or a list written as JSON text, is meant as one."""
    if isinstance(given, str) and given.lstrip()[:1] in ("[", "{"):
        try:
            given = msgspec.json.decode(given)
        except msgspec.DecodeError:
            return [given]
    if given is None or given is UNSET or given == "":
        return []
    return list(given) if isinstance(given, list | tuple) else [given]


def _read(kind: type[Command], name: str, given: Any) -> Command | BadCommand:
    fields = [field.name for field in msgspec.structs.fields(kind)]
    values = given if isinstance(given, dict) else {fields[0]: given}
    for field in fields:
        other = next((one for one in _OTHER_NAMES.get(field, ()) if one in values and one not in fields), None)
        if field not in values and other is not None:
            values = {**values, field: values[other]}
    try:
        return msgspec.convert({key: values[key] for key in fields if values.get(key) is not None}, kind, strict=False)
    except msgspec.ValidationError as error:
        reason = f"{name} {_shown(given)} cannot be read: {error}."
        refusal = Refusal("browse", "browse.invalid_command", reason, f"It takes: {', '.join(fields)}.")
        return BadCommand(name, _shown(given), refusal)


def _excess(kind: type[Command], count: int, before: int, length: ResponseLength) -> Refusal | None:
    if before >= MOST_COMMANDS:
        return _too_many("too_many_commands", _MANY)
    if kind is SearchQuery and count > MOST_QUERIES:
        return _too_many("too_many_queries", f"One call makes {MOST_QUERIES} searches.")
    if kind is ImageQuery and count > MOST_IMAGE_QUERIES:
        return _too_many("too_many_image_queries", f"One call makes {MOST_IMAGE_QUERIES} searches for pictures.")
    if kind is SearchQuery and count > SHORT_QUERIES and length == "short":
        reason = f"More than {SHORT_QUERIES} searches need a longer answer."
        return Refusal("browse", "browse.response_too_short", reason, 'Call again with "response_length": "medium".')
    return None


def _too_many(what: str, reason: str) -> Refusal:
    return Refusal("browse", f"browse.{what}", reason, "Call again for the rest.")


def _shown(given: Any) -> str:
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=repr)
    return clip(text, _GIVEN_CHARS)
