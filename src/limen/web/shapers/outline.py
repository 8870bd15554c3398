"""The outline before the first part of a page that is too long: headings behind their lines, the deepest left out first."""

from collections.abc import Sequence

from limen.core.web import Heading, Page
from limen.kit.cut_page import OUTLINE, TEXT
from limen.kit.headings import headings_in, without_markup
from limen.kit.text import clip

# A page of fewer has no use for an outline.
LEAST_HEADINGS = 5
# An outline has this part of what is shown of a page, and no more than so many characters.
_SHARE = 5
_MOST_CHARS = 4_000
_HEADING_CHARS = 80
# Those behind are not looked at: so many never fit.
_MOST_HEADINGS = 20_000


def headings_of(page: Page) -> Sequence[Heading]:
    """The outline of a page, where it has none that of its Markdown; empty for less than LEAST_HEADINGS."""
    headings = page.outline
    if not headings and page.format == "markdown":
        headings = tuple(Heading(*one) for one in headings_in(page.text))
    return headings[:_MOST_HEADINGS] if len(headings) >= LEAST_HEADINGS else ()


def outlined(headings: Sequence[Heading], limit_chars: int, way: str) -> str:
    """What goes before a page of which `limit_chars` are shown; empty where too few headings would fit.

    `way` is the call that reads on at one of them. A smaller limit never gives a heading that a larger one does not.
    """
    if not headings:
        return ""
    head = f"{OUTLINE}{{}} of {len(headings)} headings, each behind its line. To read on at one: {way}]"
    room = min(limit_chars // _SHARE, _MOST_CHARS) - len(head) - len(str(len(headings))) - len(TEXT)
    lines = _fitting(headings, room)
    if len(lines) < LEAST_HEADINGS:
        return ""
    return "\n".join([head.replace("{}", str(len(lines)), 1), *lines, TEXT, ""])


def _fitting(headings: Sequence[Heading], room_chars: int) -> list[str]:
    """All headings down to the deepest level that has room; where even the first level worth it has not, the first of those."""
    top = min(heading.level for heading in headings)
    lines: list[str] = []
    for level in sorted({heading.level for heading in headings}, reverse=True):
        lines = [_line(heading, top) for heading in headings if heading.level <= level]
        higher = sum(heading.level < level for heading in headings)
        if higher < LEAST_HEADINGS or sum(map(len, lines)) + len(lines) <= room_chars:
            break
    fitting: list[str] = []
    for line in lines:
        room_chars -= len(line) + 1
        if room_chars < 0:
            break
        fitting.append(line)
    return fitting


def _line(heading: Heading, top: int) -> str:
    return f"{'  ' * (heading.level - top)}{heading.line} {clip(without_markup(heading.text), _HEADING_CHARS)}"
