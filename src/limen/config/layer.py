"""A layer: what one source of settings says, key by key, and where it says so."""

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from limen.config.keys import ANY, KEYS
from limen.config.problem import Problem

LayerName = Literal["default", "file", "environment", "flag"]


class Layer(msgspec.Struct, frozen=True):
    """Values by dotted key, already of the key's type. `places` says for a person where each was written.

    A plug-in's whole section stands under `plugins.NAME`. `ignored` says where keys stand that this source sets in vain: they
    cannot be read, or stand in a section that has its defaults because of another key.
    """

    name: LayerName
    values: dict[str, Any] = {}
    places: dict[str, str] = {}
    ignored: dict[str, str] = {}


class Reading(msgspec.Struct, frozen=True):
    """A layer and what could not be read into it."""

    layer: Layer
    problems: tuple[Problem, ...] = ()


def default_layer() -> Layer:
    """What holds when nobody says anything."""
    return Layer("default", {name: key.default for name, key in KEYS.items() if ANY not in name and name != "plugins"})


def merge(layers: Iterable[Layer]) -> dict[str, Any]:
    """The effective value of each dotted key; later layers win."""
    values: dict[str, Any] = {}
    for layer in layers:
        values.update(layer.values)
    return values


def nest(values: dict[str, Any]) -> dict[str, Any]:
    """Dotted keys as nested mappings."""
    nested: dict[str, Any] = {}
    for name, value in values.items():
        *parents, last = name.split(".")
        target = nested
        for parent in parents:
            target = target.setdefault(parent, {})
        target[last] = value
    return nested
