"""What is asked of elements everywhere: what their attributes say, and which elements lie right below."""

from turbohtml import Element


def attribute(element: Element | None, *names: str) -> str:
    """The first of some attributes that says anything; empty where none does, and without an element."""
    return next(filter(None, map(element.attr, names)), "") if element is not None else ""


def children_of(element: Element, *tags: str) -> list[Element]:
    """The elements right below one, those of some tags or all, in order."""
    return [child for child in element.children if isinstance(child, Element) and (not tags or child.tag in tags)]
