"""Which sections hold a word."""

import sqlite3
from collections.abc import Sequence

import msgspec

from limen.store.sqlite.library_text import match_expression, storable

_HOLDING = "SELECT group_concat(rowid) FROM library_index WHERE library_index MATCH ?"
# The index has words alone: signs are looked for in the texts themselves.
_HOLDING_SIGNS = "SELECT group_concat(id) FROM library_index_content WHERE instr(c0 || c1 || c2 || c3, ?)"
_numbers = msgspec.json.Decoder(list[int])


class Looked(msgspec.Struct, frozen=True):
    """The sections that hold a word, and the FTS5 expression that finds them; none where the index cannot."""

    numbers: list[int]
    expression: str = ""

    @classmethod
    def up(cls, connection: sqlite3.Connection, forms: Sequence[str]) -> "Looked":
        """The sections with any of some forms, each a row of words. Where none has the last word of several, what it begins
        counts: `os.path.spl` is in `os.path.split`."""
        expression = match_expression(forms)
        if not expression:
            return cls(_holding_signs(connection, forms[0].strip()))
        found = matching(connection, expression)
        begun = "" if found else match_expression(forms, begun=True)
        return cls(matching(connection, begun), begun) if begun else cls(found, expression)

    @classmethod
    def up_beginnings(cls, connection: sqlite3.Connection, terms: Sequence[str]) -> "Looked":
        """The sections with words that begin with any of some terms."""
        expression = " OR ".join(f'"{term}" *' for term in terms)
        return cls(matching(connection, expression), expression) if expression else cls([])


def matching(connection: sqlite3.Connection, expression: str) -> list[int]:
    """The numbers of the sections that match an FTS5 expression."""
    (numbers,) = connection.execute(_HOLDING, (expression,)).fetchone()
    return _numbers.decode(f"[{numbers or ''}]")


def _holding_signs(connection: sqlite3.Connection, signs: str) -> list[int]:
    if not signs:
        return []
    (numbers,) = connection.execute(_HOLDING_SIGNS, (storable(signs),)).fetchone()
    return _numbers.decode(f"[{numbers or ''}]")
