"""Limen: an agent runtime in which nothing crosses the threshold unseen.

Names here are loaded when they are first used, so that `import limen` costs nothing.
"""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from limen.reading.apart import read as read
    from limen.surfaces.python import Agent as Agent
    from limen.surfaces.python import ask as ask
    from limen.surfaces.python import extract as extract
    from limen.surfaces.python import library as library
    from limen.surfaces.python import search as search
    from limen.wiring.compacting import compact as compact

_MODULES = {
    "Agent": "limen.surfaces.python",
    "ask": "limen.surfaces.python",
    "compact": "limen.wiring.compacting",
    "extract": "limen.surfaces.python",
    "library": "limen.surfaces.python",
    "read": "limen.reading.apart",
    "search": "limen.surfaces.python",
}
__all__ = ["Agent", "__version__", "ask", "compact", "extract", "library", "read", "search"]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'limen' has no attribute {name!r}")
    module = __import__(_MODULES[name], fromlist=[name])
    value: object = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
