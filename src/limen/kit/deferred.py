"""Loading a part by its name when it is first needed, so that a process pays only for what it uses."""

import sys
from typing import Any


def load(dotted: str) -> Any:
    """The attribute behind `package.module:attribute`; its module is imported now, if nothing else has done so."""
    module_name, _, attribute = dotted.partition(":")
    __import__(module_name)
    return getattr(sys.modules[module_name], attribute)
