"""The last touch on Markdown: blank lines and blanks at line ends."""

import re

_BLANK_LINES = re.compile(r"\n{3,}")
_BLANKS = frozenset(" \t")


def tidy(markdown: str) -> str:
    """At most one blank line in a row; no blanks at line ends, except the two that mean a line break."""
    lines = [_trim(line) if line and line[-1] in _BLANKS else line for line in markdown.split("\n")]
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip("\n")


def _trim(line: str) -> str:
    trimmed = line.rstrip(" \t")
    return f"{trimmed}  " if trimmed and line == f"{trimmed}  " else trimmed
