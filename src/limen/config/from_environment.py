"""The layer of environment variables: `LIMEN_<SECTION>_<KEY>` for every key of the schema."""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from limen.config.keys import ANY, KEYS, SECTIONS, Key, find, variable_of
from limen.config.layer import Layer, Reading
from limen.config.problem import Level, Problem
from limen.config.value import parse_value
from limen.core.fault import ConfigFault

_PREFIX = "LIMEN_"
# Read elsewhere: they say where this configuration lies.
_PLACES = frozenset({"LIMEN_HOME", "LIMEN_PROFILE", "LIMEN_MODEL"})
_BY_VARIABLE = {variable_of(name): key for name, key in KEYS.items() if ANY not in name and name not in ("version", "plugins")}
_HEARD = [variable for variable, key in _BY_VARIABLE.items() if key.variable]
_PROVIDER = re.compile(
    r"LIMEN_PROVIDERS_(?P<name>\w+?)_(?P<field>"
    + "|".join(sorted((key.rpartition(".")[2].upper() for key in KEYS if ANY in key), key=len, reverse=True))
    + ")"
)


def environment_layer(env: Mapping[str, str], providers: Iterable[str] = ()) -> Reading:
    """What the environment says. `providers` are the names already known, so that `-` and `_` in them can be told apart."""
    names = {name.replace("-", "_").lower(): name for name in providers}
    values: dict[str, Any] = {}
    places: dict[str, str] = {}
    ignored: dict[str, str] = {}
    problems: list[Problem] = []
    for variable, text in sorted(env.items()):
        if not variable.startswith(_PREFIX) or variable in _PLACES:
            continue
        key = _BY_VARIABLE.get(variable) or _provider_key(variable, names)
        if key is None:
            problems.extend(_unknown(variable))
            continue
        if not key.variable:
            problems.append(_unheard(key, variable))
            ignored[key.name] = variable
            continue
        try:
            values[key.name] = parse_value(key, text, variable)
        except ConfigFault as fault:
            problems.append(_bad(key, fault, variable))
            ignored[key.name] = variable
            if key.strict is msgspec.UNSET:
                continue
            values[key.name] = key.strict
        places[key.name] = variable
    return Reading(Layer("environment", values, places, ignored), tuple(problems))


def _provider_key(variable: str, names: Mapping[str, str]) -> Key | None:
    match = _PROVIDER.fullmatch(variable)
    if match is None:
        return None
    name = match["name"].lower()
    return find(f"providers.{names.get(name, name.replace('_', '-'))}.{match['field'].lower()}")


def _unknown(variable: str) -> list[Problem]:
    """A warning where a variable was meant for us: it names one of our sections, or almost one of our keys."""
    near = difflib.get_close_matches(variable, _HEARD, n=1, cutoff=0.85)
    section = variable.removeprefix(_PREFIX).partition("_")[0].lower()
    if not near and section not in SECTIONS:
        return []
    level: Level = "error" if section == "security" else "warning"
    mend = f"did you mean `{near[0]}`?" if near else "`limen config schema` lists every key"
    return [Problem(level, "config.unknown_variable", f"no setting is called `{variable}`", mend, variable)]


def _unheard(key: Key, variable: str) -> Problem:
    text = f"no variable sets `{key.name}`, so {variable} is ignored: what lies in a shell chooses no model"
    how = key.own_command or key.instead.format(key=key.name, variable=variable)
    return Problem("warning", "config.file_only", text, f"{how}; unset {variable}", variable, key.name)


def _bad(key: Key, fault: ConfigFault, variable: str) -> Problem:
    level: Level = "error" if key.tightens or key.section == "security" else "warning"
    effect = "until then the strictest value holds" if key.strict is not msgspec.UNSET else "until then the variable is ignored"
    return Problem(level, fault.code, f"{fault.reason}, and {variable} is not; {effect}", f"unset {variable}", variable, key.name)
