"""Cutting and measuring text. The only place where a text is shortened."""

from typing import NamedTuple


class CutText(NamedTuple):
    """A shortened text: what stands before and after the gap, and the gap's lines (1-based, inclusive; 0 when inside a line)."""

    head: str
    tail: str
    gap_start_line: int
    gap_end_line: int


def cut_middle(text: str, budget_chars: int, head_share: float = 0.75) -> CutText | None:
    """Keep a head and a tail of `text` within `budget_chars`, at line boundaries where lines allow it; None when it fits.

    A single line longer than its share is cut inside the line, since a boundary would keep nothing of it.
    """
    if len(text) <= budget_chars:
        return None
    head_budget = int(budget_chars * head_share)
    tail_budget = budget_chars - head_budget
    head = _whole_lines(text[:head_budget])
    tail_text = text[len(text) - tail_budget :] if tail_budget else ""
    newline = tail_text.find("\n")
    tail = tail_text[newline + 1 :] if 0 <= newline < len(tail_text) // 2 else tail_text
    gap_end = len(text) - len(tail)
    return CutText(head, tail, line_at(text, len(head)), line_at(text, max(gap_end - 1, len(head))))


def _whole_lines(head: str) -> str:
    newline = head.rfind("\n")
    return head[: newline + 1] if newline >= len(head) // 2 else head


def line_at(text: str, offset: int) -> int:
    """The 1-based number of the line in which `offset` stands."""
    return text.count("\n", 0, offset) + 1


def clip(text: str, limit_chars: int) -> str:
    """`text` on one line, ended by an ellipsis where it was longer than `limit_chars`."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit_chars else flat[: max(limit_chars - 1, 0)].rstrip() + "…"


def number_lines(text: str, first: int = 1) -> str:
    """Each line of `text` behind its number, right-aligned, counting from `first`."""
    lines = text.split("\n")
    width = len(str(first + len(lines) - 1))
    return "\n".join(f"{number:>{width}}  {line}" for number, line in enumerate(lines, first))


# Overrides and isolates that make a line read otherwise than it is.
_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def printable(text: str) -> str:
    """`text` without control characters that could move a terminal's cursor or turn its direction; tabs and newlines stay."""
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    if char in "\n\t":
        return char
    code = ord(char)
    return "�" if code < 32 or 0x7F <= code < 0xA0 or char in _DIRECTION else char
