"""The outline of a text that is Markdown from the beginning."""

from collections.abc import Sequence

from limen.core.web import Heading
from limen.kit.headings import headings_in


def outline_of(markdown: str) -> tuple[Heading, ...]:
    """The headings of a Markdown text. Lines count from 1."""
    return tuple(Heading(*heading) for heading in headings_in(markdown))


def title_in(outline: Sequence[Heading]) -> str:
    """What a text calls itself: its first heading of the first level, else its first heading."""
    return next((heading.text for heading in outline if heading.level == 1), outline[0].text if outline else "")
