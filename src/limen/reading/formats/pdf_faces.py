"""The fonts of a PDF: their kind, and the size in which a character is shown."""

import ctypes
import math
import re

import msgspec
from pypdfium2 import raw

from limen.reading.formats.pdf_calls import font_of, font_size_of, matrix_into, text_object_of

_MONO_NAME = re.compile(r"mono|courier|consol|typewriter|(?:^|\+)(?:cmtt|cmsltt|lmmono|sftt|ectt|menlo)", re.IGNORECASE)
_BOLD_NAME = re.compile(
    r"bold|black|heavy|semibold|(?:^|\+)(?:cmb|cmbx|sfbx|ecbx|lmsansdemi)|-bd\b|bd$|\.b$|medi(?:$|um)", re.IGNORECASE
)
_BOLD_WEIGHT = 600
_FIXED_PITCH = 1
_NAME_BYTES = 128


class Face(msgspec.Struct, frozen=True):
    """The kind of a font."""

    bold: bool = False
    mono: bool = False


def face_of(handle: int, place: int, faces: dict[int, Face]) -> tuple[Face, float]:
    """The font of a character, and its size as it is shown."""
    matrix = (ctypes.c_float * 6)()
    matrix_into(handle, place, ctypes.addressof(matrix))
    size = font_size_of(handle, place) * math.hypot(matrix[2], matrix[3])
    shown = text_object_of(handle, place)
    font = font_of(shown) if shown else None
    if not font:
        return Face(), size
    if font not in faces:
        faces[font] = _described(font)
    return faces[font], size


def _described(font: int) -> Face:
    pointer = ctypes.cast(font, raw.FPDF_FONT)
    buffer = ctypes.create_string_buffer(_NAME_BYTES)
    raw.FPDFFont_GetBaseFontName(pointer, buffer, _NAME_BYTES)
    name = buffer.value.decode("latin-1")
    bold = raw.FPDFFont_GetWeight(pointer) >= _BOLD_WEIGHT or bool(_BOLD_NAME.search(name))
    mono = bool(raw.FPDFFont_GetFlags(pointer) & _FIXED_PITCH) or bool(_MONO_NAME.search(name))
    return Face(bold, mono)
