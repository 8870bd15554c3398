"""PDFium's functions that are called for each word of a PDF, in the cheapest way that ctypes knows: through prototypes of plain
integers, which keep the interpreter's lock, and from `map` where many are due; that is a third of a microsecond a call."""

import ctypes
from collections import deque
from itertools import repeat
from typing import Any

from pypdfium2 import raw

_HANDLE, _INT = ctypes.c_void_p, ctypes.c_int


def _prototype(function: Any, result: Any, *arguments: Any) -> Any:
    """The same function with plain integers for pointers, and without giving up the interpreter's lock."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    return ctypes.PYFUNCTYPE(result, *arguments)(address or 0)


_loose_box = _prototype(raw.FPDFText_GetLooseCharBox, _INT, _HANDLE, _INT, _HANDLE)
unicode_of = _prototype(raw.FPDFText_GetUnicode, ctypes.c_uint, _HANDLE, _INT)
has_no_meaning = _prototype(raw.FPDFText_HasUnicodeMapError, _INT, _HANDLE, _INT)
font_size_of = _prototype(raw.FPDFText_GetFontSize, ctypes.c_double, _HANDLE, _INT)
matrix_into = _prototype(raw.FPDFText_GetMatrix, _INT, _HANDLE, _INT, _HANDLE)
angle_of = _prototype(raw.FPDFText_GetCharAngle, ctypes.c_float, _HANDLE, _INT)
text_object_of = _prototype(raw.FPDFText_GetTextObject, _HANDLE, _HANDLE, _INT)
font_of = _prototype(raw.FPDFTextObj_GetFont, _HANDLE, _HANDLE)


def handle_of(layer: Any) -> int:
    """The address of a text layer, as these functions take it."""
    return ctypes.cast(layer.raw, _HANDLE).value or 0


def boxes_of(handle: int, places: list[int]) -> list[float]:
    """Left, top, right and bottom of each character, one after another."""
    buffer = (ctypes.c_float * (4 * len(places)))()
    start = ctypes.addressof(buffer)
    deque(map(_loose_box, repeat(handle), places, range(start, start + 16 * len(places), 16)), maxlen=0)
    return buffer[:]
