"""Who wishes for which route, in this process and its settings."""

import os
from typing import TYPE_CHECKING

from limen.config.explain import explain
from limen.models.resolve import Wishes

if TYPE_CHECKING:
    from limen.runtime import Runtime

VARIABLE = "LIMEN_MODEL"


def wishes(runtime: "Runtime", explicit: str = "") -> Wishes:
    """The wishes that hold, with an explicit one before them all."""
    chosen = explain(runtime.loaded, "model.route")
    configured = "" if chosen.source == "default" else runtime.loaded.config.model.route
    return Wishes(explicit=explicit, variable=os.environ.get(VARIABLE, ""), configured=configured)
