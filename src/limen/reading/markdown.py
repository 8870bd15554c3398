"""Markdown of a prepared tree, by turbohtml.

Two of its ways are kept away from here: a `converters` callback may be handed text that is cut short when one stands
inside another (1.15.4), and marks that are not ASCII crash it. What needs more than its rules is prepared in the tree.
"""

from turbohtml import Element, Markdown

_OPTIONS = Markdown(tables=Markdown.Tables(cell_blocks="text"), escaping=Markdown.Escaping(underscores=False))


def write(region: Element) -> str:
    """The Markdown of everything below `region`."""
    return region.to_markdown(_OPTIONS)
