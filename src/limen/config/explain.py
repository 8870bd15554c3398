"""Why a setting has the value it has: which layer set it, what that overrides, and what the setting is."""

from typing import Any

import msgspec

from limen.config.keys import KEYS, find, is_free, unknown
from limen.config.layer import LayerName
from limen.config.load import Loaded
from limen.config.problem import Problem


class Said(msgspec.Struct, frozen=True):
    """What one layer says about a key, and where."""

    layer: LayerName
    value: Any
    place: str = ""


class Explanation(msgspec.Struct, frozen=True):
    """A key's effective value with its source; `overridden` are the weaker layers that also speak, strongest first.

    `ignored` are the places that set it in vain, and `problems` what is wrong there.
    """

    key: str
    value: Any
    source: LayerName
    place: str
    overridden: tuple[Said, ...]
    description: str
    expects: str
    default: Any
    variable: str
    ignored: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def explain(loaded: Loaded, name: str) -> Explanation:
    """Explain a dotted key. Raises ConfigFault `config.unknown_key`."""
    key = find(name)
    if key is None and not is_free(name):
        raise unknown(name)
    said = [
        Said(layer.name, value, layer.places.get(name) or layer.places.get(_owner(name), ""))
        for layer in reversed(loaded.layers)
        if (value := _said(layer.values, name)) is not msgspec.UNSET
    ]
    default = key.default if key is not None else None
    if not said or said[-1].layer != "default":
        said.append(Said("default", default))
    first, *rest = said
    return Explanation(
        key=name,
        value=first.value,
        source=first.layer,
        place=first.place,
        overridden=tuple(rest),
        description=key.description if key is not None else KEYS["plugins"].description,
        expects=key.expects if key is not None else "whatever the plug-in takes",
        default=default,
        variable=key.variable if key is not None else "",
        ignored=(ignored := tuple(layer.ignored[name] for layer in reversed(loaded.layers) if name in layer.ignored)),
        problems=tuple(problem for problem in loaded.problems if ignored and _concerns(problem, name)),
    )


def _concerns(problem: Problem, name: str) -> bool:
    """Whether a problem is about a key, or about the section it stands in."""
    if problem.code == "config.file_only":
        return problem.key == name
    if problem.code != "config.bad_value":
        return False
    section = ".".join(name.split(".")[: 2 if name.startswith("providers.") else 1])
    return problem.key == section or problem.key.startswith(f"{section}.")


def _owner(name: str) -> str:
    """The key under which a layer keeps `name`: a plug-in's settings stand under its name as one value."""
    return ".".join(name.split(".")[:2]) if name.startswith("plugins.") else name


def _said(values: dict[str, Any], name: str) -> Any:
    owner = _owner(name)
    value = values.get(owner, msgspec.UNSET)
    for part in name.split(".")[2:] if owner != name else ():
        value = value.get(part, msgspec.UNSET) if isinstance(value, dict) else msgspec.UNSET
    return value
