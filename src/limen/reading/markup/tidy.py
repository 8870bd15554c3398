"""The last touch on Markdown: blank lines and blanks at line ends."""

import re

from limen.kit.fences import parts

_BLANK_LINES = re.compile(r"\n{3,}")
_BLANKS = (" ", "\t")


def tidy(markdown: str) -> str:
    """At most one blank line in a row; no blanks at line ends, except the two that mean a line break. Code stays as it is."""
    if "\n\n\n" not in markdown and " \n" not in markdown and "\t\n" not in markdown and markdown[-1:] not in _BLANKS:
        return markdown.strip("\n")
    return "".join([text if is_code else _tidy(text) for text, is_code in parts(markdown)]).strip("\n")


def _tidy(text: str) -> str:
    if " \n" in text or "\t\n" in text or text[-1:] in _BLANKS:
        text = "\n".join([_trim(line) if line[-1:] in _BLANKS else line for line in text.split("\n")])
    return _BLANK_LINES.sub("\n\n", text) if "\n\n\n" in text else text


def _trim(line: str) -> str:
    trimmed = line.rstrip(" \t")
    return f"{trimmed}  " if trimmed and line == f"{trimmed}  " else trimmed
