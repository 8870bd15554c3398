"""A setting written as text, on a command line or in a variable, read by its key's type; and back into text."""

import json
import re
import types
from collections.abc import Callable
from typing import Any, Literal, Union, get_args, get_origin

import msgspec

from limen.config.fallback_entry import FallbackEntry
from limen.config.keys import Key, bare
from limen.core.fault import ConfigFault

_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
# `[fd00::1]:8080` begins like JSON and is none.
_BRACKETED_HOST = re.compile(r"\[[0-9A-Fa-f]*:")
# One entry between brackets with the comma behind it: quoted either way, or a word.
_ENTRY = re.compile(r"""\s*(?:"[^"\\]*"|'[^']*'|(?P<word>[^\s,"'\[\]{}](?:[^,\[\]{}]*[^\s,\[\]{}])?))\s*(?:,\s*|\Z)""")
_NONE = frozenset({"", "none", "null", "~"})


def parse_value(key: Key, text: str, place: str = "") -> Any:
    """`text` as a value of `key`. Raises ConfigFault `config.bad_value`, which does not quote the text.

    Lists are JSON, YAML in one line, or words between commas; `none` empties a setting that may be empty.
    """
    try:
        text.encode()
        if "\0" in text:
            raise ValueError("a NUL character")
        return key.convert(_plain(key.type, text.strip()))
    except (ValueError, msgspec.ValidationError, RecursionError) as error:
        raise bad_value(key, place) from error


def bad_value(key: Key, place: str = "") -> ConfigFault:
    """The fault for a value that does not fit its key."""
    return ConfigFault(
        "config.bad_value", f"`{key.name}` must be {key.expects}", f"limen config explain {key.name}", place=place or key.name
    )


def is_list(key: Key) -> bool:
    """Whether a key takes a list."""
    return get_origin(_without_none(key.type)) is tuple


def list_entries(key: Key, text: str, place: str = "") -> tuple[str, ...]:
    """`text` as entries of a list, whether they fit the key or not. Raises ConfigFault `config.bad_value`."""
    try:
        return tuple(msgspec.convert(_list(text.strip()), list[str]))
    except (ValueError, msgspec.ValidationError, RecursionError) as error:
        raise bad_value(key, place) from error


def parse_free(text: str) -> Any:
    """A value whose type nobody declared: JSON where it is JSON, else text."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text


def show_value(value: Any) -> str:
    """A value as `limen config set` would take it back."""
    if value is None:
        return "none"
    if isinstance(value, tuple):
        value = [entry.written() if isinstance(entry, FallbackEntry) else entry for entry in value]
    return value if isinstance(value, str) else json.dumps(msgspec.to_builtins(value), ensure_ascii=False)


def _without_none(annotated: Any) -> Any:
    kind, _ = bare(annotated)
    if get_origin(kind) in (Union, types.UnionType):
        kind, _ = bare(next(member for member in get_args(kind) if member is not type(None)))
    return kind


def _plain(annotated: Any, text: str) -> Any:
    kind, _ = bare(annotated)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        inner = next(member for member in get_args(kind) if member is not type(None))
        return None if text.lower() in _NONE else _plain(inner, text)
    if origin is Literal or kind is str:
        return text
    if origin is tuple:
        return _list(text)
    if origin is dict:
        return json.loads(text)
    return _READ[kind](text)


def _bool(text: str) -> bool:
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    raise ValueError("neither true nor false")


_READ: dict[Any, Callable[[str], Any]] = {bool: _bool, int: int, float: float}


def _list(text: str) -> list[Any]:
    if text.startswith("[") and not _BRACKETED_HOST.match(text):
        return _bracketed(text)
    if text.lower() in _NONE:
        return []
    return [item.strip() for item in text.split(",") if item.strip()]


def _bracketed(text: str) -> list[Any]:
    """A list as JSON, or as YAML has it in one line: words that need no quotes."""
    try:
        items: list[Any] = json.loads(text)
    except ValueError:
        items = []
        position, end = 1, len(text) - 1
        while position < end:
            match = _ENTRY.match(text, position, end)
            if match is None:
                raise
            items.append(match["word"] or match[0].strip(" \t,")[1:-1])
            position = match.end()
        if not text.endswith("]"):
            raise
    return items


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)
