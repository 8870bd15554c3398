"""The last touch on Markdown: blank lines, trailing blanks, invisible characters."""

import re

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_TRAILING = re.compile(r"(?<=[^\s])(?:[ \t]|[ \t]{3,})(?=\n)|(?<=\n)[ \t]+(?=\n)")


def tidy(markdown: str) -> str:
    """At most one blank line in a row outside nothing, no blanks at line ends except the two that mean a line break."""
    return _BLANK_LINES.sub("\n\n", _TRAILING.sub("", markdown)).strip("\n")
