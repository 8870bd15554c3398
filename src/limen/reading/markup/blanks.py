"""Characters that a reader sees as a blank, or not at all, in the text of a tree."""

from turbohtml import Element, Text

# Fixed and typographic spaces: no-break, en, em, thin, hair, narrow no-break; line and paragraph separators.
_SPACES = "\xa0\u2002\u2003\u2009\u200a\u2028\u2029\u202f"
# Soft hyphens, zero-width spaces, word joiners, byte-order marks.
_UNSEEN = "\xad\u200b\u2060\ufeff"
# What joins or parts the letters beside it, and is nothing where there are none.
_JOINERS = "\u200c\u200d"
_ALONE = f"{_JOINERS} \t\n"
_PLAIN = str.maketrans(dict.fromkeys(_SPACES, " ") | dict.fromkeys(_UNSEEN, ""))


def plain_blanks(region: Element) -> None:
    """Write them as a blank or drop them: Markdown would show them as references, and a search would stumble on them."""
    text = region.text
    if text.isascii() or not any(char in text for char in _SPACES + _UNSEEN + _JOINERS):
        return
    for node in region.descendants:
        if isinstance(node, Text) and not node.data.isascii():
            data = node.data
            plain = data.translate(_PLAIN)
            if not plain.strip(_ALONE):
                plain = plain.replace("\u200c", "").replace("\u200d", "")
            if plain != data:
                node.data = plain
