"""The layer of a settings file. One bad section disables that section alone; what forbids something goes on forbidding it."""

import re
from collections.abc import Iterator
from typing import Any, get_args

import msgspec

from limen.config.fallback_entry import read_entries
from limen.config.keys import SECTIONS, Key, bare, find, is_free, is_section, unknown
from limen.config.layer import Layer, Reading
from limen.config.parsed import Parsed
from limen.config.problem import Level, Problem
from limen.config.value import bad_value, is_list, show_value

# Sections that hold further sections under names of the user's.
_NAMED = ("providers", "plugins")
# Lists whose entries are judged one by one.
_CHAINS = ("fallback_providers", "fallback_model")
_MAPPING = "a mapping of keys to values"
_NO_BLANK = re.compile(r"[a-z_]+:\S.*")


def file_layer(parsed: Parsed, file: str) -> Reading:
    """What a parsed file says. `file` is how its places are named."""
    reader = _FileReader(parsed, file)
    for name, value in parsed.values.items():
        if name == "version":
            continue
        if name not in SECTIONS:
            reader.unknown(name)
        elif name in _CHAINS:
            reader.chain(name, value)
        elif name in _NAMED:
            reader.named(name, value)
        else:
            reader.section(name, value)
    return Reading(Layer("file", reader.values, reader.places, reader.ignored), tuple(reader.problems))


class _FileReader:
    def __init__(self, parsed: Parsed, file: str) -> None:
        self._lines = parsed.lines
        self._file = file
        self.values: dict[str, Any] = {}
        self.places: dict[str, str] = {}
        self.ignored: dict[str, str] = {}
        self.problems: list[Problem] = []

    def named(self, name: str, value: Any) -> None:
        """`providers` and `plugins`: each entry is a section of its own."""
        if value is None:
            return
        if not isinstance(value, dict):
            self._bad(name, name, f"`{name}` must be {_MAPPING}")
            return
        for entry, inner in value.items():
            path = f"{name}.{entry}"
            if not is_free(f"plugins.{entry}"):
                self._bad(path, path, f"`{entry}` cannot be a name here: use letters, digits, '-' and '_'")
            elif name == "plugins":
                self._plugin(path, inner)
            else:
                self.section(path, inner)

    def _plugin(self, path: str, value: Any) -> None:
        if isinstance(value, dict | None):
            self._put(path, value or {})
        else:
            self._bad(path, path, f"`{path}` must be {_MAPPING}")

    def chain(self, name: str, value: Any) -> None:
        """A list of routes, of which those hold that can be read."""
        entries, problems = read_entries(name, value, self._place)
        self.problems.extend(problems)
        if entries:
            self._put(name, entries)

    def section(self, path: str, value: Any) -> None:
        """A section of known keys: all of it, or only what tightens where any of it is bad."""
        good: dict[str, Any] = {}
        bad: list[tuple[str, Key | None, Any]] = []
        for name, key, inner in self._leaves(path, value):
            try:
                if key is None:
                    raise msgspec.ValidationError
                good[name] = key.convert(inner)
            except msgspec.ValidationError:
                bad.append((name, key, inner))
        if bad:
            kept = {name: value for name, value in good.items() if (key := find(name)) is not None and key.tightens}
            self.ignored.update((name, self._place(name)) for name in good.keys() - kept.keys())
            good = kept
        for name, key, inner in bad:
            self.ignored[name] = self._place(name)
            self._bad(name, path, f"`{name}` must be {_MAPPING}" if key is None else bad_value(key).reason, inner)
            if key is not None and (strict := _strict(key, inner)) is not msgspec.UNSET:
                good[name] = strict
        for name, read in good.items():
            self._put(name, read)

    def _leaves(self, path: str, value: Any) -> Iterator[tuple[str, Key | None, Any]]:
        """Each key under `path` with its value; without a Key where a mapping is missing. Unknown keys are reported."""
        if value is None:
            return
        if not isinstance(value, dict):
            yield path, None, value
            return
        for part, inner in value.items():
            name = f"{path}.{part}"
            if "." not in part and (key := find(name)) is not None:
                yield name, key, inner
            elif "." not in part and is_section(name):
                yield from self._leaves(name, inner)
            else:
                self.unknown(name)

    def unknown(self, name: str) -> None:
        fault = unknown(name)
        level: Level = "error" if name.startswith("security.") else "warning"
        mend = f"write it in steps, or: limen config set {name} VALUE" if find(name) is not None else fault.mend
        self.problems.append(Problem(level, fault.code, fault.reason, mend, self._place(name), name))

    def _bad(self, name: str, section: str, reason: str, value: Any = None) -> None:
        key = find(name)
        level: Level = "error" if section.startswith("security") or (key is not None and key.tightens) else "warning"
        text = f"{reason}; until then {_effect(key, section)}"
        self.problems.append(Problem(level, "config.bad_value", text, _mend(name, key, value), self._place(name), name))

    def _put(self, name: str, value: Any) -> None:
        self.values[name] = value
        self.places[name] = self._place(name)

    def _place(self, name: str) -> str:
        parts = tuple(name.split("."))
        while parts:
            if line := self._lines.get(parts):
                return f"{self._file}:{line}"
            parts = parts[:-1]
        return self._file


def _mend(name: str, key: Key | None, value: Any) -> str:
    """What to do about a value that does not fit; the usual slips by their own names."""
    last = name.rpartition(".")[2]
    if key is None:
        slip = isinstance(value, str) and _NO_BLANK.fullmatch(value) is not None
        return "put a blank behind the `:`" if slip else f"limen config unset {name}"
    if is_list(key) and isinstance(value, str):
        return f"put brackets around the value: `{last}: […]`, or limen config unset {name}"
    return f"limen config set {name} VALUE, or limen config unset {name}"


def _effect(key: Key | None, section: str) -> str:
    """What holds in place of a bad value."""
    if key is not None and key.strict is not msgspec.UNSET:
        return f"it counts as `{show_value(key.strict)}`"
    if key is not None and key.tightens and is_list(key):
        return "the entries that can be read hold"
    if section.startswith("security"):
        return "`security` opens nothing"
    return f"`{section}` is left out" if section.partition(".")[0] in _NAMED else f"`{section}` has its default values"


def _strict(key: Key, value: Any) -> Any:
    """What stands in for an unreadable value of a key that tightens: its strict value, or the entries that can be read."""
    if key.strict is not msgspec.UNSET or not key.tightens or not is_list(key):
        return key.strict
    entries = value if isinstance(value, list) else [value]
    return tuple(entry for entry in entries if _fits(entry, get_args(bare(key.type)[0])[0]))


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True
