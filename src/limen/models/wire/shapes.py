"""Answers read into their shapes, as loosely as servers really send them."""

from functools import cache
from typing import Any, TypeVar, cast

import msgspec

from limen.models.classify import fault

Shape = TypeVar("Shape", bound=msgspec.Struct)


def read_as(data: str | bytes, shape: type[Shape]) -> Shape:
    """An event or a whole answer of that shape. Raises ModelFault `upstream` when it has another."""
    try:
        return cast("Shape", _decoder(shape).decode(data))
    except (msgspec.DecodeError, UnicodeError) as error:
        raise fault("upstream", f"the answer cannot be read: {error}") from error


@cache
def _decoder(shape: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(shape, strict=False)
