"""Changing the list of other routes in the settings file: one entry at a time, comments kept, the older setting moved."""

import re
from typing import Any

from limen.config.edit import WAIT_S, Edited, edit_file
from limen.config.fallback_entry import FallbackEntry, read_entry
from limen.config.parse import parse
from limen.config.paths import Home
from limen.config.rewrite import without
from limen.config.rewrite_list import with_item, without_item
from limen.config.schema import VERSION
from limen.core.fault import ConfigFault

CHAIN = "fallback_providers"
OLDER = "fallback_model"
_AT = re.compile(rf"({CHAIN}|{OLDER})\[([0-9]+)\]")


def add_entry(home: Home, entry: FallbackEntry, *, at: int | None = None, wait_s: float = WAIT_S) -> Edited:
    """Put an entry into the list, as number `at` from 1, else as the last; what stands under the older name moves there first.

    Raises ConfigFault as `set_value` does.
    """
    file = str(home.config_file)
    wanted: list[Any] = []

    def change(before: str) -> str:
        said = parse(before, file).values
        current = _listed(said.get(CHAIN))
        text = before if before.strip() else f"{before}version: {VERSION}\n"
        older = [_today(one) for one in _listed(said.get(OLDER))]
        if OLDER in said:
            text = without(text, (OLDER,), file)
        for one in older:
            text = with_item(text, CHAIN, len(current), one, file)
            current.append(one)
        place = len(current) if at is None else min(max(at - 1, 0), len(current))
        text = with_item(text, CHAIN, place, entry.written(), file)
        current.insert(place, entry.written())
        wanted[:] = current
        return text

    def expect(values: dict[str, Any]) -> None:
        values.pop(OLDER, None)
        values[CHAIN] = wanted

    changed, was = edit_file(home, change, expect, wait_s)
    return Edited(CHAIN, wanted, home.config_file, changed, was.get(CHAIN))


def remove_entry(home: Home, at: str, *, wait_s: float = WAIT_S) -> Edited:
    """Take out the entry that stands at `fallback_providers[N]` or `fallback_model[N]`, the first being [1].

    Raises ConfigFault as `unset_value` does, and `fallback.unknown` where there is no such entry.
    """
    match = _AT.fullmatch(at)
    if match is None:
        raise no_entry(at)
    name, index = match[1], int(match[2]) - 1
    wanted: list[Any] = []

    def change(before: str) -> str:
        wanted[:] = _listed(parse(before, str(home.config_file)).values.get(name))
        if not 0 <= index < len(wanted):
            raise no_entry(at)
        del wanted[index]
        return without_item(before, name, index, str(home.config_file))

    def expect(values: dict[str, Any]) -> None:
        if wanted:
            values[name] = wanted
        else:
            values.pop(name, None)

    changed, was = edit_file(home, change, expect, wait_s)
    return Edited(name, list(wanted), home.config_file, changed, was.get(name))


def clear_entries(home: Home, *, wait_s: float = WAIT_S) -> Edited:
    """Take all other routes out of the file, under either name; raises as `unset_value` does."""
    file = str(home.config_file)

    def change(before: str) -> str:
        return without(without(before, (CHAIN,), file), (OLDER,), file)

    def expect(values: dict[str, Any]) -> None:
        values.pop(CHAIN, None)
        values.pop(OLDER, None)

    changed, was = edit_file(home, change, expect, wait_s)
    gone = [*_listed(was.get(CHAIN)), *_listed(was.get(OLDER))]
    return Edited(CHAIN, None, home.config_file, changed, gone or None)


def no_entry(what: str) -> ConfigFault:
    """The fault for an entry that does not exist."""
    return ConfigFault("fallback.unknown", f"no entry of the chain is {what!r}", "limen fallback list", place=CHAIN)


def _listed(said: Any) -> list[Any]:
    if said is None:
        return []
    return list(said) if isinstance(said, list) else [said]


def _today(said: Any) -> Any:
    """An entry in the words of today; what cannot be read stays as it is, to be named where it then stands."""
    entry = read_entry(said, OLDER, "")
    return entry.written() if isinstance(entry, FallbackEntry) else said
