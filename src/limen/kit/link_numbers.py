"""Links of a text: their addresses whole, and as numbers, `[text](3)`, or with a foreign host, `[text](4 x.example)`."""

import re
from urllib.parse import urljoin

_NUMBERED = re.compile(r"\[([^\[\]\n]*)\]\(\d{1,9}(?: [^()\s]{1,253})?\)")


def absolute(page_url: str, target: str) -> str:
    """The address that a link's target means on a page; the target itself where it says nothing, or the page has no address."""
    try:
        return urljoin(page_url, target)
    except ValueError:  # brackets that hold no IPv6 address
        return target


def without_link_numbers(text: str) -> str:
    """The text with such links as their words alone."""
    return _NUMBERED.sub(r"\1", text) if "](" in text else text
