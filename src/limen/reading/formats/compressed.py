"""A single compressed file: unpacked within bounds, to be read by what is in it."""

import bz2
import gzip
import io
import lzma
import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from shlex import quote
from typing import BinaryIO

from limen.core.fault import ToolFault
from limen.reading.formats.file_facts import file_of, save
from limen.reading.formats.office.package import BROKEN, damaged

# What a text may have (`document.TEXT_LIMIT_BYTES`), and how many times a packed file may grow: logs reach 50, bombs 1,000.
UNPACKED_LIMIT_BYTES = 100_000_000
_RATIO = 200
_SMALL_BYTES = 10_000_000

Stream = gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile
OPENERS: Mapping[str, Callable[[BinaryIO], Stream]] = {
    "application/gzip": lambda packed: gzip.GzipFile(fileobj=packed),
    "application/x-bzip2": bz2.BZ2File,
    "application/x-xz": lzma.LZMAFile,
}
# What is not unpacked here: the program that does, and the ending that it takes off.
_COMMANDS = {"application/zstd": ("zstd -d", ".zst"), "application/x-brotli": ("brotli -d", ".br"),
             "application/x-lz4": ("lz4 -d", ".lz4"), "application/x-compress": ("uncompress", ".Z")}  # fmt: skip
PACKED = frozenset({*OPENERS, *_COMMANDS})
_QUERY = re.compile(r"[?#]")
_ENDINGS = frozenset({".gz", ".bz2", ".xz", ".lzma", ".z", ".zst", ".br", ".lz4"})


def unpacked(data: bytes, url: str, media_type: str) -> bytes:
    """What is in a compressed file. Raises ToolFault `reading.{too_large,damaged,unsupported}`."""
    opener = OPENERS.get(media_type)
    if opener is None:
        raise _foreign(len(data), url, media_type)
    limit = min(max(len(data) * _RATIO, _SMALL_BYTES), UNPACKED_LIMIT_BYTES)
    try:
        with opener(io.BytesIO(data)) as stream:
            content = stream.read(limit + 1)
    except BROKEN as error:
        raise damaged(len(data), f"it is no whole {media_type}") from error
    if len(content) > limit:
        reason = f"this packed file of {len(data):,} bytes unpacks to more than {limit:,} bytes"
        raise ToolFault("reading.too_large", reason, "unpack it, and read a part of it")
    return content


def _foreign(size: int, url: str, media_type: str) -> ToolFault:
    command, ending = _COMMANDS[media_type]
    source = file_of(url, ending)
    target = source[: -len(ending)] if source.lower().endswith(ending.lower()) else "UNPACKED"
    reason = f"this file of {size:,} bytes is packed as {media_type}, for which nothing is installed here"
    steps = [save(url), f"{command} {quote(source)}", f"limen library add {quote(target)}"]
    return ToolFault("reading.unsupported", reason, " && ".join(filter(None, steps)))


def inner_url(url: str) -> str:
    """The address of what is packed, by which its type is known: without the ending of the packing."""
    path = _QUERY.split(url, maxsplit=1)[0]
    ending = PurePosixPath(path).suffix
    return path.removesuffix(ending) + url[len(path) :] if ending.lower() in _ENDINGS else url
