"""The last touch on Markdown: blank lines and blanks at line ends."""

import re

_BLANK_LINES = re.compile(r"\n{3,}")
_BLANKS = (" ", "\t")


def tidy(markdown: str) -> str:
    """At most one blank line in a row; no blanks at line ends, except the two that mean a line break."""
    if " \n" in markdown or "\t\n" in markdown or markdown[-1:] in _BLANKS:
        markdown = "\n".join([_trim(line) if line[-1:] in _BLANKS else line for line in markdown.split("\n")])
    return (_BLANK_LINES.sub("\n\n", markdown) if "\n\n\n" in markdown else markdown).strip("\n")


def _trim(line: str) -> str:
    trimmed = line.rstrip(" \t")
    return f"{trimmed}  " if trimmed and line == f"{trimmed}  " else trimmed
