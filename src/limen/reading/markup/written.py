"""What a part of a page becomes, and who writes it."""

from collections.abc import Callable

import msgspec
from turbohtml import Document, Element

from limen.core.web import Heading, Link


class Written(msgspec.Struct, frozen=True):
    """A part of a page as it is written, with its outline and links."""

    text: str
    outline: tuple[Heading, ...]
    links: tuple[Link, ...]


# Prepares what lies below an element, which it may change, and writes it.
Writer = Callable[[Document, Element | None, str], Written]
