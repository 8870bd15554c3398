"""What a query demands of the library: which documents may answer, and which sections meet it."""

import json
import sqlite3
from collections.abc import Iterable

import msgspec

from limen.kit.operators import Demands, holds
from limen.store.sqlite.library_lookup import Looked, matching
from limen.store.sqlite.library_text import match_expression, readable

_HOST = "substr(d.origin, instr(d.origin, '://') + 3)"
# A host or a domain that it lies in, with whatever port.
_ON_SITE = f"""
(d.origin GLOB 'http*://*' AND
 ('.' || substr({_HOST}, 1, instr({_HOST} || '/', '/') - 1) || ':') LIKE '%.' || ? || ':%')
"""
_AT_PATH, _LIKE_PATH = "instr(lower(d.origin), lower(?))", "lower(d.origin) GLOB lower(?)"
_TEXTS = "SELECT n.value FROM json_each(?) n WHERE EXISTS (SELECT 1 FROM library_documents d WHERE d.text_id = n.value AND {})"
_FIRSTS = """
SELECT min(s.id) FROM library_documents d CROSS JOIN library_sections s ON s.text_id = d.text_id
WHERE {} GROUP BY d.text_id ORDER BY d.origin LIMIT ?
"""
_WORDED = """
SELECT i.rowid, i.title || char(10) || s.heading || char(10) || i.body || i.listing
FROM json_each(?) n CROSS JOIN library_sections s ON s.id = n.value CROSS JOIN library_index i ON i.rowid = s.id
"""


class Scope(msgspec.Struct, frozen=True):
    """Which documents may answer, as a condition on the row `d` of a document and its parameters."""

    condition: str
    parameters: tuple[str, ...]

    @classmethod
    def of(cls, library: str, demands: Demands) -> "Scope":
        """The documents of a library at the paths and on the sites that are demanded."""
        parts, parameters = ["d.library = ?"], [library]
        for negation, paths, sites in (
            ("", demands.paths, demands.sites),
            ("NOT ", demands.without_paths, demands.without_sites),
        ):
            for path in paths:
                is_pattern = "*" in path or "?" in path
                parts.append(negation + (_LIKE_PATH if is_pattern else _AT_PATH))
                parameters.append(_pattern(path) if is_pattern else path.removeprefix("~"))
            parts += [negation + _ON_SITE] * len(sites)
            parameters += [site.strip("./").lower() for site in sites]
        return cls(" AND ".join(parts), tuple(parameters))

    def texts(self, connection: sqlite3.Connection, texts: Iterable[int]) -> set[int]:
        """Those of some texts that any of these documents has."""
        rows = connection.execute(_TEXTS.format(self.condition), (json.dumps(list(texts)), *self.parameters))
        return {text for (text,) in rows}

    def firsts(self, connection: sqlite3.Connection, limit: int) -> list[int]:
        """The first section of each of these documents."""
        rows = connection.execute(_FIRSTS.format(self.condition), (*self.parameters, limit))
        return [number for (number,) in rows]


def _pattern(path: str) -> str:
    """`docs/*.md` is the end of a path from a folder's name on."""
    path = path.removeprefix("~").replace("[", "[[]")
    return f"*{path}" if path.startswith(("*", "/")) or "://" in path else f"*/{path}"


class Met(msgspec.Struct, frozen=True):
    """The sections whose words meet the demands: those of `only`, which None leaves open, that are not `never` ones."""

    only: frozenset[int] | None
    never: frozenset[int]

    @classmethod
    def of(cls, connection: sqlite3.Connection, demands: Demands) -> "Met":
        wanted = [_exactly(connection, phrase) for phrase in demands.phrases]
        wanted += [_titled(connection, title) for title in demands.titles]
        unwanted = [Looked.up(connection, (word,)).numbers for word in demands.without]
        unwanted += [_exactly(connection, phrase) for phrase in demands.without_phrases]
        unwanted += [_titled(connection, title) for title in demands.without_titles]
        only = frozenset(wanted[0]).intersection(*wanted[1:]) if wanted else None
        return cls(only, frozenset().union(*unwanted))

    def __contains__(self, number: int) -> bool:
        return number not in self.never and (self.only is None or number in self.only)


def _titled(connection: sqlite3.Connection, title: str) -> list[int]:
    """The sections whose title or heading has these words; where there are none, a word that begins with the last."""
    expression = match_expression((title,))
    if not expression:
        return []
    named = f"{{title heading}} : {expression}"
    return matching(connection, named) or matching(connection, f"{named} *")


def _exactly(connection: sqlite3.Connection, phrase: str) -> list[int]:
    """The sections that hold a phrase word for word. Without a letter or figure in it, all are looked at."""
    worded = connection.execute(_WORDED, (json.dumps(Looked.up(connection, (phrase,)).numbers),))
    return [number for number, text in worded if holds(readable(text), phrase)]
