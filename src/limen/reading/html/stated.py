"""The body that a page states in its own description, for pages that show none of it without running their scripts."""

import re
from html import escape, unescape

FROM_DESCRIPTION = "The text is what the page states in its description (JSON-LD articleBody); the page itself shows less."
_STATED_CHARS = 200
_SHOWN_SHARE = 0.3
_MARKUP = re.compile(r"</?(?:p|br|div|h[1-6]|ul|ol|li|table)\b", re.IGNORECASE)


def tells_more(stated: str, shown: str) -> bool:
    """Whether a stated body says what the page itself, drawn by scripts or cut off, does not."""
    return len(stated) >= _STATED_CHARS and len(shown) < len(stated) * _SHOWN_SHARE


def markup_of(stated: str) -> str:
    """A stated body as HTML: as it is where it is some, else its lines as paragraphs."""
    if _MARKUP.search(stated):
        return stated
    return "".join(f"<p>{escape(unescape(line))}</p>" for line in stated.splitlines() if line.strip())
