"""A call's arguments on their way back to a vendor: some servers parse them, and fail a request over what a model garbled."""

import json
from collections.abc import Iterator
from typing import Any

from limen.kit.secret.echo import Echoes

_KEY = "_unparsed_arguments"


def wrap(arguments: str) -> str:
    """`arguments` unchanged when they are a JSON object that any parser takes, else inside one; `unwrap` takes it out again."""
    parsed = _parsed(arguments)
    if isinstance(parsed, dict) and set(parsed) != {_KEY} and _spells_whole_characters(arguments, parsed):
        return arguments
    return json.dumps({_KEY: arguments}, ensure_ascii=not _is_whole(arguments))


def unwrap(arguments: str) -> str:
    """What `wrap` was given."""
    parsed = _parsed(arguments)
    if isinstance(parsed, dict) and set(parsed) == {_KEY}:
        return str(parsed[_KEY])
    return arguments


def is_object(arguments: str) -> bool:
    """Whether arguments are a whole JSON object: a cut one hardly ever is."""
    return isinstance(_parsed(arguments), dict)


def masked_arguments(arguments: str, known: Echoes) -> str:
    """`arguments` without known secrets, also those that escapes hide; JSON still where it was, and as it was where it holds
    none."""
    try:
        given = json.loads(arguments)
        if not known.find(arguments) and not any(map(known.find, _strings(given))):
            return arguments
        masked = json.dumps(_masked(given, known), ensure_ascii=False)
        return masked if _is_whole(masked) else json.dumps(_masked(given, known))
    except (ValueError, RecursionError):
        return known.masked(arguments)


def _strings(given: Any) -> Iterator[str]:
    if isinstance(given, str):
        yield given
    elif isinstance(given, dict):
        yield from given
        for value in given.values():
            yield from _strings(value)
    elif isinstance(given, list):
        for value in given:
            yield from _strings(value)


def _masked(given: Any, known: Echoes) -> Any:
    match given:
        case str():
            return known.masked(given)
        case dict():
            return {known.masked(name): _masked(value, known) for name, value in given.items()}
        case list():
            return [_masked(value, known) for value in given]
        case int() | float() if known.find(json.dumps(given)):
            return known.masked(json.dumps(given))
        case _:
            return given


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None


def _spells_whole_characters(arguments: str, parsed: Any) -> bool:
    """False for half of a surrogate pair, behind `\\u` or bare: JSON by its grammar, yet strict parsers refuse it."""
    if "\\u" not in arguments:
        return _is_whole(arguments)
    try:
        return _is_whole(json.dumps(parsed, ensure_ascii=False))
    except RecursionError:
        return False


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
