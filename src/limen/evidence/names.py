"""Names of failing tests in few characters: what neighbours have in common is written once."""

from collections.abc import Sequence
from itertools import groupby

_SEPARATORS = ("::", " › ", " > ", " | ", "/", "#", ".")


def names_block(names: Sequence[str], limit_chars: int) -> str:
    """All names, a line each below the part that they share; as many as have room, and how many have not."""
    lines = [f"failing tests, {len(names):,}:"]
    left = limit_chars - len(lines[0]) - 40
    shown = 0
    for parent, group in groupby(names, key=_parent):
        children = list(group)
        block = (
            [f"  {parent}", *(f"    {name[len(parent) :]}" for name in children)]
            if parent and len(children) > 1
            else [f"  {name}" for name in children]
        )
        for row, line in enumerate(block):
            if left < len(line) + 1:
                return "\n".join((*lines, f"  and {len(names) - shown:,} more that have no room here"))
            lines.append(line)
            left -= len(line) + 1
            shown += len(block) == len(children) or row > 0
    return "\n".join(lines)


def _parent(name: str) -> str:
    """A name up to its last part; what a parameter's value has in brackets is part of that."""
    end = name.find("[")
    plain = name[:end] if end > 0 else name
    for separator in _SEPARATORS:
        at = plain.rfind(separator)
        if at > 0:
            return name[: at + len(separator)]
    return ""
