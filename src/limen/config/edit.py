"""Changing the settings file from a command: typed, one writer at a time, whole or not at all."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec

from limen.config.file import read_text
from limen.config.keys import Key, changed_elsewhere, find, is_free, is_section, unknown
from limen.config.migrate import migrate
from limen.config.parse import parse
from limen.config.paths import Home
from limen.config.rewrite import by_hand, with_value, without
from limen.config.schema import VERSION
from limen.config.value import bad_value, is_list, list_entries, parse_free, parse_value
from limen.core.fault import ConfigFault
from limen.kit.atomic import UnsafePath, write_private
from limen.kit.filelock import FileLock, LockBusy

# How long another process may take with the file, in seconds.
WAIT_S = 10.0


class Edited(msgspec.Struct, frozen=True):
    """What an edit did to the file. `value` is None after an unset; `changed` is False where the file said so already.

    `was` is what the file said before, None where it did not speak of the key.
    """

    key: str
    value: Any
    file: Path
    changed: bool
    was: Any = None


def set_value(home: Home, name: str, text: str, *, wait_s: float = WAIT_S) -> Edited:
    """Write a setting, given as text, into the settings file, which is made where it is missing.

    Raises ConfigFault: `config.unknown_key`, `config.bad_value`, `config.by_hand` (the file is written in a way that only
    an editor can change), `config.busy`, `config.not_written`, and what `load` raises for the file. The file is then as it was.
    """
    value = msgspec.json.decode(msgspec.json.encode(_typed(name, text)))  # lists, as YAML gives them, not tuples
    path = tuple(name.split("."))

    def change(before: str) -> str:
        start = before if before.strip() else f"{before}version: {VERSION}\n"
        return with_value(start, path, value, str(home.config_file))

    changed, was = edit_file(home, change, lambda values: _put(values, path, value), wait_s)
    return Edited(name, value, home.config_file, changed, _at(was, path))


def change_list(home: Home, name: str, *, add: Sequence[str] = (), remove: Sequence[str] = (), wait_s: float = WAIT_S) -> Edited:
    """Add entries to a setting that is a list, and take others out, each given as text as `set_value` takes it.

    What the file does not say yet begins with the default. An entry that is there already is not added twice, one that is not
    there is not missed. Raises as `set_value` does, and `config.no_list`.
    """
    key = _list_key(name)
    path = tuple(name.split("."))
    added = [entry for text in add for entry in list_entries(key, text)]
    removed = {entry for text in remove for entry in list_entries(key, text)}
    wanted: list[Any] = []

    def change(before: str) -> str:
        current = _entries(key, _at(parse(before, str(home.config_file)).values, path))
        wanted[:] = [entry for entry in current if entry not in removed]
        wanted.extend(entry for entry in dict.fromkeys(added) if entry not in wanted and entry not in removed)
        if wanted == current:
            return before
        _fitting(key, wanted)
        start = before if before.strip() else f"{before}version: {VERSION}\n"
        return with_value(start, path, wanted, str(home.config_file))

    changed, was = edit_file(home, change, lambda values: _put(values, path, wanted), wait_s)
    return Edited(name, wanted, home.config_file, changed, _at(was, path))


def _list_key(name: str) -> Key:
    key = find(name)
    if key is None:
        raise unknown(name)
    if key.own_command:
        raise changed_elsewhere(key)
    if not is_list(key):
        reason = f"`{name}` takes one value, not a list: {key.expects}"
        raise ConfigFault("config.no_list", reason, f"limen config set {name} VALUE", place=name)
    return key


def _entries(key: Key, said: Any) -> list[Any]:
    """The list that a file holds, or the default where it holds none."""
    if said is None:
        return list(key.default or ())
    if not isinstance(said, list):
        raise bad_value(key)
    return said


def _fitting(key: Key, entries: list[Any]) -> None:
    try:
        key.convert(entries)
    except msgspec.ValidationError as error:
        raise bad_value(key) from error


def unset_value(home: Home, name: str, *, wait_s: float = WAIT_S) -> Edited:
    """Take a setting out of the file, so that weaker layers hold again; raises as `set_value` does.

    A name that the schema does not know may be taken out too, so that a mistake can be mended.
    """
    path = tuple(name.split("."))
    if not all(path):
        raise unknown(name)

    def change(before: str) -> str:
        after = without(before, path, str(home.config_file))
        if after == before and find(name) is None and not is_free(name) and not is_section(name):
            raise unknown(name)
        return after

    changed, was = edit_file(home, change, lambda values: _drop(values, path), wait_s)
    return Edited(name, None, home.config_file, changed, _at(was, path))


def _typed(name: str, text: str) -> Any:
    key = find(name)
    if key is not None and key.own_command:
        raise changed_elsewhere(key)
    if key is not None and name != "version":
        return parse_value(key, text)
    if is_free(name) and name.count(".") > 1:
        return parse_free(text)
    if name == "version":
        raise ConfigFault("config.fixed", "`version` is written by Limen alone", "limen config check", place=name)
    raise unknown(name)


def edit_file(
    home: Home, change: Callable[[str], str], expect: Callable[[dict[str, Any]], None], wait_s: float
) -> tuple[bool, dict[str, Any]]:
    """Change the file's text under the lock; what it then says must be what `expect` makes of what it said before.

    Answers whether anything changed, and what the file said before. Raises ConfigFault as `set_value` does.
    """
    file = home.config_file
    migrate(read_text(file) or "", home)
    home.ensure()
    try:
        with FileLock(home.config_lock, wait_s):
            before = read_text(file) or ""
            after = change(before)
            said = parse(before, str(file)).values
            if after == before:
                return False, said
            _check(str(file), before, after, expect)
            write_private(file, after)
    except LockBusy as error:
        raise ConfigFault("config.busy", f"another process is changing {file}", "try again", place=str(file)) from error
    except UnsafePath as error:
        raise ConfigFault("config.not_written", f"{file} {error.why}", f"edit what {file} points to", place=str(file)) from error
    except OSError as error:
        reason = f"{file} could not be written: {error.strerror}; it is as it was"
        raise ConfigFault("config.not_written", reason, f"make room and {home.path} writable", place=str(file)) from error
    return True, said


def _check(file: str, before: str, after: str, expect: Callable[[dict[str, Any]], None]) -> None:
    wanted = deepcopy(parse(before, file).values)
    if not before.strip():
        wanted["version"] = VERSION
    expect(wanted)
    try:
        reads = parse(after, file).values
    except ConfigFault as fault:
        raise by_hand(file, None, "the file uses YAML that a command cannot change safely") from fault
    if reads != wanted:
        raise by_hand(file, None, "the file uses YAML that a command cannot change safely")


def _at(values: dict[str, Any], path: tuple[str, ...]) -> Any:
    """What stands at a path; None where nothing does."""
    found: Any = values
    for part in path:
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _put(values: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for part in path[:-1]:
        if values.get(part) is None:
            values[part] = {}
        values = values[part]
    values[path[-1]] = value


def _drop(values: dict[str, Any], path: tuple[str, ...]) -> None:
    """Remove a key and the sections that this leaves empty."""
    inner = values.get(path[0])
    if len(path) > 1 and isinstance(inner, dict):
        _drop(inner, path[1:])
        if inner:
            return
    values.pop(path[0], None)
