"""Links whose addresses stand as numbers, `[text](3)`, or with a foreign host, `[text](4 x.example)`."""

import re

_NUMBERED = re.compile(r"\[([^\[\]\n]*)\]\(\d{1,9}(?: [^()\s]{1,253})?\)")


def without_link_numbers(text: str) -> str:
    """The text with such links as their words alone."""
    return _NUMBERED.sub(r"\1", text) if "](" in text else text
