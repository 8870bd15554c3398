"""A number out of whatever a model or a person wrote for one."""

import math
from typing import Any


def number_of(value: Any) -> int | float | None:
    """The finite number that a value is or that its text says; None for whatever is none, a boolean too."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = value if isinstance(value, int) else float(value)
    except ValueError:
        return None
    return number if isinstance(number, int) or math.isfinite(number) else None
