"""What a page says in JSON-LD and in microdata, as plain objects: read leniently, bounded, of no type to be relied on."""

import json
import re
from collections import deque
from collections.abc import Iterator
from html import unescape
from typing import Any

import msgspec
from turbohtml import Document, MicrodataItem

from limen.reading.decode import clean

# An object of structured data. Values may be of any JSON type whatever the vocabulary says; the accessors below cope.
Thing = dict[str, Any]

_SCRIPTS = 40
_SCRIPT_CHARS = 2_000_000
_THINGS = 300
_NESTED = ("@graph", "mainEntity", "mainEntityOfPage", "hasPart", "subjectOf")
_MICRODATA_DEPTH = 6
_FIELD_CHARS = 500
_NUMBER_LIMIT = 10**15  # what is larger is no price and no count; nan is no smaller
_TAG = re.compile(r"<[a-zA-Z/!][^<>]{0,300}>")
# Strings are kept as they are; comments, CDATA marks and commas before a closing bracket go. Each alternative runs to the
# end of the text where it is left open, so that no character is looked at more often than a few times.
_SLIPS = re.compile(
    r'"(?>[^"\\]+|\\.?)*+(?:"|\Z)|<!--|-->|//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z)|,(?=\s*+[}\]])|<!\[CDATA\[|\]\]>', re.DOTALL
)
_DECODER = json.JSONDecoder(strict=False)


def decode_json(text: str) -> Any:
    """The value of a JSON text; None where there is none, also after mending what generators of JSON-LD get wrong.

    Mended are raw line ends in strings, commas too many, comments, and anything that follows the value.
    """
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):  # msgspec.DecodeError is a ValueError, and so is a lone surrogate in `text`
        pass
    try:
        mended = _SLIPS.sub(lambda slip: slip.group(0) if slip.group(0).startswith('"') else " ", text)
        return _DECODER.raw_decode(mended.lstrip())[0]
    except (ValueError, RecursionError):
        return None


def things_of(document: Document) -> list[Thing]:
    """The objects of the page's JSON-LD, those of its graphs and main entities among them, in document order."""
    waiting: deque[Any] = deque()
    for script in document.select('script[type*="ld+json" i]')[:_SCRIPTS]:
        text = script.text
        if "{" in text and len(text) <= _SCRIPT_CHARS:
            waiting.append(decode_json(text))
    found: list[Thing] = []
    while waiting and len(found) < _THINGS:
        value = waiting.popleft()
        if isinstance(value, list):
            waiting.extendleft(reversed(value[:_THINGS]))
        elif isinstance(value, dict):
            found.append(value)
            waiting.extendleft(value[name] for name in reversed(_NESTED) if isinstance(value.get(name), dict | list))
    return found


def microdata_of(document: Document) -> list[Thing]:
    """The page's microdata items in the form of JSON-LD objects; every property is a list."""
    if document.select_one("[itemscope][itemtype]") is None:
        return []
    return [_plain(item, 0) for item in document.microdata()[:_THINGS]]


def _plain(item: MicrodataItem, depth: int) -> Thing:
    thing: Thing = {"@type": item.type or ""}
    for name, values in item.properties.items():
        if depth < _MICRODATA_DEPTH:
            thing[name] = [_plain(value, depth + 1) if isinstance(value, MicrodataItem) else value for value in values[:50]]
    return thing


def types_of(thing: Thing) -> frozenset[str]:
    """The names of an object's types, in lower case and without their vocabulary: `article` for `https://schema.org/Article`."""
    return frozenset(
        re.split(r"[/#:]", name)[-1].lower()
        for value in each(thing.get("@type"))
        if isinstance(value, str)
        for name in value.split()
    )


def each(value: Any) -> Iterator[Any]:
    """The values of a property that may be one, several, or none."""
    if isinstance(value, list):
        yield from (one for one in value[:_THINGS] if one is not None)
    elif value is not None:
        yield value


def things_in(value: Any) -> list[Thing]:
    """The objects of a property; a bare string counts as a name."""
    return [{"name": one} if isinstance(one, str) else one for one in each(value) if isinstance(one, dict | str)]


def text_of(value: Any) -> str:
    """A property as text of any length, maybe with markup; empty where it is no text."""
    for one in each(value):
        if isinstance(one, dict):
            one = one.get("@value", one.get("name"))
        if isinstance(one, str) and one.strip():
            return clean(one).strip()
        if isinstance(one, int | float) and not isinstance(one, bool) and abs(one) < _NUMBER_LIMIT:
            return f"{one:.15g}"
    return ""


def line_of(value: Any) -> str:
    """A property as one short line without markup; the name of a tag, as in `<table>: rows and cells`, is none."""
    text = text_of(value)[: _FIELD_CHARS * 4]
    if "&" in text:
        text = unescape(unescape(text))  # shops escape what is escaped
    if "</" in text or "/>" in text or "<br" in text:
        text = unescape(_TAG.sub(" ", text))
    return shown_line(text)


def shown_line(text: str) -> str:
    """A text that a page shows as one short line, as it is shown."""
    return " ".join(clean(text[: _FIELD_CHARS * 4]).split())[:_FIELD_CHARS]
