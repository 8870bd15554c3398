"""What is shown of a page that was too long: its outline, its beginning, a mark where lines are missing, its end, a footer."""

import re
from typing import NamedTuple

OUTLINE, TEXT = "[Outline: ", "[Text:]"
_OUTLINED = re.compile(rf"\A{re.escape(OUTLINE)}[^\n]*\n(?:[ \d…][^\n]*\n)*{re.escape(TEXT)}\n")
_GAP = re.compile(r"^\[… left out: from (?:character \d+ of )?line (\d+) to (character \d+ of )?line (\d+) …\]$\n?", re.MULTILINE)
_FOOTER = re.compile(r"\n?\[[\d,]+ of [\d,]+ characters are shown; [^\n]*\]\Z")


class Stretch(NamedTuple):
    """Some of a page's text, from its line `first_line` on."""

    first_line: int
    text: str


def stretches(content: str, next_line: int | None) -> list[Stretch]:
    """The page's own text in what is shown of it. `next_line` is where it goes on, None for a page that is shown whole."""
    if next_line is None:
        return [Stretch(1, content)]
    shown = _OUTLINED.sub("", content, count=1)
    gap = next((gap for gap in _GAP.finditer(shown) if int(gap[1]) == next_line), None)
    if gap is None:
        return [Stretch(1, shown)]
    tail_line = int(gap[3]) if gap[2] else int(gap[3]) + 1
    return [Stretch(1, shown[: gap.start()]), Stretch(tail_line, _FOOTER.sub("", shown[gap.end() :]))]
