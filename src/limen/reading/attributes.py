"""What an element's attributes say."""

from turbohtml import Element


def attribute(element: Element | None, *names: str) -> str:
    """The first of some attributes that says anything; empty where none does, and without an element."""
    return next(filter(None, map(element.attr, names)), "") if element is not None else ""
