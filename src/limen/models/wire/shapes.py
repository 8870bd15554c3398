"""Answers read into their shapes, as loosely as servers really send them."""

from functools import cache
from typing import Any, TypeVar, cast

import msgspec

from limen.kit.text import clip
from limen.models.classify import no_reply

# A decoder's error may quote what it stumbled over.
_REASON_CHARS = 300

Shape = TypeVar("Shape", bound=msgspec.Struct)


def read_as(data: str | bytes, shape: type[Shape]) -> Shape:
    """An event or a whole answer of that shape. Raises ModelFault of the class `reply` when it has another."""
    try:
        return cast("Shape", _decoder(shape).decode(data))
    except RecursionError as error:
        raise no_reply("the answer cannot be read: it is nested too deeply") from error
    except (msgspec.DecodeError, UnicodeError) as error:
        raise no_reply(f"the answer cannot be read: {clip(str(error), _REASON_CHARS)}") from error


@cache
def _decoder(shape: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(shape, strict=False)
