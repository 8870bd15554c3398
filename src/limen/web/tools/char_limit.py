"""How much of a page is shown, from whatever was given for it."""

from typing import Any

import msgspec

from limen.core.web import Entry, ExtractAnswer, Fetched
from limen.web.tools.number import number_of

LIMIT_CHARS_MIN, LIMIT_CHARS_MAX = 2_000, 500_000
_SAID_MOST = 10**15


class Limit(msgspec.Struct, frozen=True):
    """Characters of a page, and a sentence on each way in which that is not what was asked for."""

    chars: int
    notices: tuple[str, ...] = ()


def char_limit(asked: Any, default: int, *, least: int = LIMIT_CHARS_MIN, most: int | None = LIMIT_CHARS_MAX) -> Limit:
    """The limit for what was asked: None is `default`, and so is what is no number; one out of bounds is put into them."""
    if asked is None:
        return Limit(default)
    read = number_of(asked)
    if read is None:
        return Limit(default, (f"char_limit was no number; {default:,} is used.",))
    number = int(read)
    if number < least:
        return Limit(least, (f"char_limit was {_said(number)}; {least:,} is the least.",))
    if most is not None and number > most:
        return Limit(most, (f"char_limit was {_said(number)}; {most:,} is the most.",))
    return Limit(number)


def bounded(limit: Limit, room_chars: int) -> Limit:
    """The limit within the room that a whole call has."""
    if limit.chars <= room_chars:
        return limit
    notice = f"A call has room for {room_chars:,} characters here, so no page gets {limit.chars:,}: {_BOUNDS}"
    return Limit(room_chars, (*limit.notices, notice))


_BOUNDS = "tools.max_result_chars and the model's window bound it."


def noticed(answer: ExtractAnswer, limit: Limit) -> ExtractAnswer:
    """The answer, each page of which says how the limit is not what was asked for."""
    if not limit.notices:
        return answer
    return msgspec.structs.replace(answer, entries=tuple(_with(entry, limit.notices) for entry in answer.entries))


def _with(entry: Entry, notices: tuple[str, ...]) -> Entry:
    if not isinstance(entry, Fetched):
        return entry
    return msgspec.structs.replace(entry, notices=(*entry.notices, *notices))


def _said(number: int) -> str:
    return f"{number:,}" if abs(number) < _SAID_MOST else "out of all bounds"
