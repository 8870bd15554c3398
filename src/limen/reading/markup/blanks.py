"""Characters that a reader sees as a blank, or not at all, in the text of a tree."""

import re

from turbohtml import Element, Text

# Fixed and typographic spaces: no-break, en, em, thin, hair, narrow no-break; line and paragraph separators.
_SPACES = "\xa0\u2002\u2003\u2009\u200a\u2028\u2029\u202f"
# Soft hyphens, zero-width spaces, word joiners, byte-order marks, marks of the direction that letters have by themselves; tags.
_UNSEEN = "\xad\u200b\u2060\ufeff\u200e\u200f"
_TAGS = range(0xE0000, 0xE0080)
# What joins or parts the letters beside it, and is nothing where there are none.
_JOINERS = "\u200c\u200d"
_ALONE = f"{_JOINERS} \t\n"
_PLAIN = str.maketrans(dict.fromkeys(_SPACES, " ") | dict.fromkeys(_UNSEEN, "")) | dict.fromkeys(_TAGS, "")
_LOOKED_FOR = re.compile(f"[{_SPACES}{_UNSEEN}{_JOINERS}{chr(_TAGS[0])}-{chr(_TAGS[-1])}]")


def plain_blanks(region: Element) -> None:
    """Write them as a blank or drop them: Markdown would show them as references, and a search would stumble on them."""
    text = region.text
    if text.isascii() or not _LOOKED_FOR.search(text):
        return
    for node in region.descendants:
        if isinstance(node, Text) and not node.data.isascii():
            data = node.data
            plain = data.translate(_PLAIN)
            if not plain.strip(_ALONE):
                plain = plain.replace("\u200c", "").replace("\u200d", "")
            if plain != data:
                node.data = plain
