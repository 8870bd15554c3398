"""The full-text index over what was said: it keeps words and no text, so that a message is stored once."""

import re
import sqlite3
from collections.abc import Callable, Sequence

from limen.core.fault import StoreFault
from limen.core.message import Text, ToolCall, leaves
from limen.kit.log import failed_open
from limen.store.codec import decode_block, storable
from limen.store.ports import StoredBlock
from limen.store.sqlite.library_text import searchable

# A word of a search at least so long also finds the words that begin with it.
_STEM_CHARS = 3
# Around a hit so much is looked through for credentials, of which the longest are keys of some thousand characters.
_MASKED_CHARS = 10_000
# FTS5 refuses expressions of some thousand parts; nobody searches for so many words.
_MOST_WORDS = 64


def add_words(connection: sqlite3.Connection, block_id: int, block: StoredBlock) -> None:
    """Index a block that was just stored under `block_id`."""
    words = _words(block)
    if words:
        connection.execute("INSERT INTO block_words (rowid, text) VALUES (?, ?)", (block_id, words))


def forget_words(connection: sqlite3.Connection, block_id: int, body: bytes) -> None:
    """Take a block out of the index, given its stored bytes."""
    try:
        words = _words(decode_block(body))
    except StoreFault as fault:  # its words stay in the index, where they find nothing: a damaged session can be deleted
        failed_open("store.words_left", fault)
        return
    if words:
        connection.execute("INSERT INTO block_words (block_words, rowid, text) VALUES ('delete', ?, ?)", (block_id, words))


def phrases_of(words: str) -> list[str]:
    """The words of a search; what a person types has no syntax."""
    return re.findall(r"\w+", storable(words))[:_MOST_WORDS]


def match_expression(phrases: Sequence[str]) -> str:
    """An FTS5 expression for blocks that hold every phrase, or a word that begins with it."""
    return " ".join(f'"{searchable(phrase)}"' + ("*" if len(phrase) >= _STEM_CHARS else "") for phrase in phrases)


def snippet(block: StoredBlock, phrases: Sequence[str], mask: Callable[[str], str], around: int = 80) -> str:
    """The words around the first hit, on one line, masked together with much more around them: half a key is no key."""
    text = _text(block)
    first = max(_first(text, phrases) - _MASKED_CHARS, 0)
    masked = mask(text[first : first + 2 * _MASKED_CHARS])
    start = max(_first(masked, phrases) - around, 0)
    flat = " ".join(masked[start : start + 3 * around].split())
    return f"…{flat}" if first + start else flat


def _first(text: str, phrases: Sequence[str]) -> int:
    lower = text.casefold()
    return min((position for phrase in phrases if (position := lower.find(phrase.casefold())) >= 0), default=0)


def _words(block: StoredBlock) -> str:
    """What the index is given of a block. The prompt and tool schemas are the same in every session: nothing.

    The index keeps no text, so the same must come out when the block's words are taken from it again.
    """
    return "" if block.message < 0 else searchable(storable(_text(block)))


def _text(block: StoredBlock) -> str:
    """What a person would search a message for."""
    said = [leaf for leaf in leaves(block.block) if isinstance(leaf, Text | ToolCall)]
    return "\n".join(leaf.text if isinstance(leaf, Text) else leaf.arguments for leaf in said)
