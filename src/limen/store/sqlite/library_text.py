"""How the library's texts are packed, and made findable in any script."""

import re
import zlib
from collections.abc import Sequence

from limen.kit.words import UNSPACED

_PLAIN, _DEFLATED = 0, 1
_WORTH_PACKING_BYTES = 512
_UNSPACED_CHAR = re.compile(f"[{UNSPACED}]")
_BORDER = re.compile(rf"(?<=[{UNSPACED}])(?=\w)|(?<=\w)(?=[{UNSPACED}])")
_SPLIT = "\u200b"
_BLANKED = str.maketrans(dict.fromkeys(("\0", _SPLIT), " "))
_TOKEN = re.compile(r"\w+")


def pack(text: str) -> tuple[int, bytes]:
    """How a text was packed, and its bytes; small or dense ones stay plain."""
    plain = text.encode()
    if len(plain) < _WORTH_PACKING_BYTES:
        return _PLAIN, plain
    deflated = zlib.compress(plain, 1)
    return (_DEFLATED, deflated) if len(deflated) < len(plain) else (_PLAIN, plain)


def unpack(packing: int, body: bytes) -> str:
    """The text behind `pack`. Raises zlib.error or UnicodeDecodeError where the stored bytes are damaged."""
    return (zlib.decompress(body) if packing == _DEFLATED else body).decode()


def storable(text: str) -> str:
    """`text` without lone surrogates, which neither UTF-8 nor SQLite can hold."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-8", "replace").decode()
    return text


def searchable(text: str) -> str:
    """`text` for the index: characters of unspaced scripts each become a word, reserved ones a blank."""
    if "\0" in text or _SPLIT in text:
        text = text.translate(_BLANKED)
    return text if text.isascii() or not _UNSPACED_CHAR.search(text) else _BORDER.sub(_SPLIT, text)


def readable(text: str) -> str:
    """A text of the index as a person reads it."""
    return text.replace(_SPLIT, "")


def match_expression(words: Sequence[str], *, begun: bool = False) -> str:
    """An FTS5 expression for sections with any of `words`, each a phrase of its tokens; empty where no word has one.

    `begun` is for those of several tokens, whose last one may go on.
    """
    phrases = [searchable(storable(word)).replace('"', " ") for word in words]
    if begun:
        return " OR ".join(f'"{phrase}" *' for phrase in phrases if len(_TOKEN.findall(phrase.replace("_", " "))) > 1)
    return " OR ".join(f'"{phrase}"' for phrase in phrases if _TOKEN.search(phrase))
