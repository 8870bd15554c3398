"""What a model, or a program, gives for a list of addresses, taken for what it means. What means nothing costs its own place."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict, Treatment
from limen.core.web import Entry, ExtractAnswer, Unread

# A text that is more than one address: the next one begins behind a blank or a comma.
_BETWEEN = re.compile(r"[\s,;]+(?=[A-Za-z][A-Za-z0-9+.-]*://)")
# Inside a list a comma may be part of an address, a blank never is.
_BETWEEN_IN_LIST = re.compile(r"[,;]?\s+(?=[A-Za-z][A-Za-z0-9+.-]*://)")
_WORDS = re.compile(r"[\s,;]+")
_QUOTES = "\"'`<> \t\r\n"


class Given(msgspec.Struct, frozen=True):
    """The places of a list: an address, or why there is none."""

    places: tuple[str | Unread, ...]

    @property
    def urls(self) -> tuple[str, ...]:
        """An address for each place, an empty one where there is none, so that whoever counts them counts as the caller does."""
        return tuple(place if isinstance(place, str) else "" for place in self.places)

    @property
    def unread(self) -> tuple[Unread, ...]:
        """The places that hold no address."""
        return tuple(place for place in self.places if isinstance(place, Unread))

    def filled(self, answer: ExtractAnswer) -> ExtractAnswer:
        """The answer for `urls`, which says of each place without an address what is wrong with it."""
        if answer.refusal is not None:
            return answer
        pairs = zip(self.places, answer.entries, strict=True)
        entries: list[Entry] = [entry if isinstance(place, str) else place for place, entry in pairs]
        return msgspec.structs.replace(answer, entries=tuple(entries))


def given(urls: object) -> Given:
    """Addresses from a list, from lists in lists, from objects that have an `url` or `href`, or from one text of several."""
    found = _strings(urls) if isinstance(urls, str) else _found(urls)
    places = enumerate(found, 1)
    return Given(tuple(place if isinstance(place, str) else _unread(number, place[0]) for number, place in places))


# What is no address, wrapped so that it cannot be taken for one.
_Place = str | tuple[Any]


def _found(value: Any) -> Iterator[_Place]:
    """The places in a value, without recursion: a list may lie a million lists deep."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            listed = _listed(item)
            if listed is None:
                yield from _pieces(item, _BETWEEN_IN_LIST)
            else:
                waiting.append(listed)
        elif isinstance(item, Sequence | set | frozenset) and not isinstance(item, bytes | bytearray) and (item or item is value):
            waiting.extend(reversed(list(item)))
        else:
            address = _address(item)
            yield (item,) if address is None else address


def _strings(text: str) -> Iterator[_Place]:
    listed = _listed(text)
    if listed is not None:
        yield from _found(listed)
    else:
        yield from _pieces(text.strip().strip(",;"), _BETWEEN if "://" in text else _WORDS)


def _pieces(text: str, between: re.Pattern[str]) -> Iterator[str]:
    """The addresses in a text; an empty text is an empty address, which the gates know what to say of."""
    pieces = [piece.strip(_QUOTES) for piece in between.split(text.strip(_QUOTES))]
    yield from [piece for piece in pieces if piece] or [""]


def _listed(text: str) -> Any:
    """What a text holds that is JSON of a list or an object; None where it is none."""
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _address(item: Any) -> str | None:
    named = [item.get(name) if isinstance(item, dict) else getattr(item, name, None) for name in ("url", "href")]
    return next((value.strip() for value in named if isinstance(value, str) and value.strip()), None)


def _unread(number: int, item: Any) -> Unread:
    reason = f"Entry {number} is {_kind(item)}, not an address."
    mend = "Give each address as a text: https://…"
    refusal = Refusal("web_extract", "web.bad_entry", reason, mend, {"index": number})
    return Unread("", refusal, Treatment(gates=(GateVerdict("web_extract", "refuse", "web.bad_entry"),)))


def _kind(item: Any) -> str:
    match item:
        case None:
            return "null"
        case bool():
            return "a truth value"
        case int() | float():
            return "a number"
        case dict():
            return "an object without `url` or `href`"
        case bytes() | bytearray():
            return "bytes"
        case Sequence():
            return "an empty list"
    return f"a {type(item).__name__}"
