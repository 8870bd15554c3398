"""Pictures, sounds, films and databases to a Page of facts, by their heads alone; of other files their kind and size."""

import re
import sqlite3
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import islice

from limen.core.web import Page
from limen.reading.formats.file_facts import facts_page, printable

MEDIA = {
    "image/png": "PNG picture", "image/jpeg": "JPEG picture", "image/gif": "GIF picture", "image/webp": "WebP picture",
    "image/avif": "AVIF picture", "image/heic": "HEIC picture", "image/tiff": "TIFF picture", "image/bmp": "BMP picture",
    "image/vnd.microsoft.icon": "icon", "image/vnd.adobe.photoshop": "Photoshop picture", "image/jxl": "JPEG XL picture",
    "audio/mpeg": "MP3 recording", "audio/wav": "WAV recording", "audio/flac": "FLAC recording", "audio/ogg": "Ogg recording",
    "audio/mp4": "MPEG-4 recording", "audio/aiff": "AIFF recording", "audio/midi": "MIDI recording",
    "video/mp4": "MPEG-4 film", "video/quicktime": "QuickTime film", "video/webm": "WebM film",
    "video/x-matroska": "Matroska film", "video/x-msvideo": "AVI film", "video/x-flv": "Flash film",
    "font/ttf": "TrueType font", "font/otf": "OpenType font", "font/woff": "WOFF font", "font/woff2": "WOFF2 font",
    "font/collection": "collection of fonts", "application/vnd.sqlite3": "SQLite database",
    "application/x-executable": "ELF program", "application/wasm": "WebAssembly module",
    "application/x-msdownload": "Windows program", "application/x-mach-binary": "macOS program",
    "application/java-vm": "Java class", "application/vnd.apache.parquet": "Parquet table",
    "application/x-hdf5": "HDF5 file", "application/x-npy": "NumPy array",
}  # fmt: skip
_TEXT_CHARS = 200
_MOST_FACTS = 1_000
# What a file says of itself, by the names of ID3, Vorbis, MPEG-4, RIFF, Matroska and PNG.
_SAID = {
    name: label
    for label, names in {
        "Title": (b"TIT2", b"TITLE", b"\xa9nam", b"INAM", b"Title"), "Artist": (b"TPE1", b"ARTIST", b"\xa9ART", b"IART"),
        "Album": (b"TALB", b"ALBUM", b"\xa9alb"), "Date": (b"TDRC", b"TYER", b"DATE", b"\xa9day", b"ICRD", b"Creation Time"),
        "Author": (b"Author",), "Description": (b"Description",),
    }.items()
    for name in names
}  # fmt: skip
_EXIF = {0x010E: "Description", 0x013B: "Artist", 0x010F: "Camera maker", 0x0110: "Camera", 0x0132: "Date", 0x9003: "Taken"}
_EXIF_MORE, _EXIF_PLACE = 0x8769, 0x8825
_MOST_DIRECTORIES = 4
_EXIF_DAY = re.compile(r"^(\d{4}):(\d\d):(\d\d)")
# Kilobits a second of MPEG audio, layer III: version 1, and the versions of half its rates.
_MPEG_RATES = (
    (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
)
_MPEG_HERTZ = (44_100, 48_000, 32_000)
_MPEG_FRAME = re.compile(rb"\xff[\xe2\xe3\xf2\xf3\xfa\xfb][\x10-\xef]")
_MOST_TABLES = 50
_HEAD_BYTES = 4_000_000
_SQLITE_HEAD_BYTES = 100
Told = Iterator[tuple[str, str]]


def read_media(data: bytes, url: str, media_type: str) -> Page:
    """The facts of a file. What its head says is taken as far as it can be read."""
    reader = _READERS.get(media_type)
    told: dict[str, str] = {}
    try:
        for key, said in islice(reader(data), _MOST_FACTS) if reader is not None else ():
            shown = printable(said).strip()[:_TEXT_CHARS]
            told[key] = f"{told[key]}, {shown}" if key == "Codec" and key in told else told.get(key, shown)
    except (struct.error, IndexError, ValueError, UnicodeError, ZeroDivisionError, OverflowError):
        told["Damaged"] = "its head is broken or cut off"
    return facts_page(url, media_type, MEDIA[media_type], len(data), list(told.items()))


def _pixels(width: int, height: int) -> tuple[str, str]:
    return ("Pixels", f"{width:,} × {abs(height):,}")


def _time(seconds: float) -> tuple[str, str]:
    whole = round(seconds)
    shown = f"{whole // 3_600}:{whole // 60 % 60:02}:{whole % 60:02}" if whole >= 3_600 else f"{whole // 60}:{whole % 60:02}"
    return ("Length", f"{shown} ({seconds:,.1f} s)")


def _sound(hertz: int, channels: int) -> tuple[str, str]:
    return ("Sound", f"{hertz:,} Hz, {channels} {'channel' if channels == 1 else 'channels'}")


def _text(name: bytes, said: bytes, charset: str = "utf-8") -> Told:
    if name in _SAID:
        yield (_SAID[name], said.decode(charset, "replace").strip("\0"))


def _at(form: str, place: int) -> Callable[[bytes], Told]:
    """A reader of pictures whose width and height stand in one place."""
    return lambda data: iter((_pixels(*struct.unpack_from(form, data, place)),))


def _png(data: bytes) -> Told:
    yield _pixels(*struct.unpack_from(">II", data, 16))
    at = 8
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        content = data[at + 8 : at + 8 + min(size, 1_000_000)]
        if kind == b"tEXt":
            key, _, said = content.partition(b"\0")
            yield from _text(key, said, "latin-1")
        elif kind == b"acTL":
            yield ("Frames", f"{struct.unpack_from('>I', content)[0]:,}")
        elif kind == b"eXIf":
            yield from _exif(content)
        at += size + 12


def _jpeg(data: bytes) -> Told:
    at = 2
    while at + 4 <= len(data):
        mark, size = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if data[at] != 0xFF or size < 2:
            raise ValueError
        if mark == 0xE1 and data[at + 4 : at + 10] == b"Exif\0\0":
            yield from _exif(data[at + 10 : at + 2 + size])
        if 0xC0 <= mark <= 0xCF and mark not in {0xC4, 0xC8, 0xCC}:
            height, width = struct.unpack_from(">HH", data, at + 5)
            yield _pixels(width, height)
            return
        at += 2 + size
    raise ValueError


def _exif(data: bytes, *, sized: bool = False) -> Told:
    """Fields of a TIFF structure (TIFF 6.0, Exif 2.3): the first directory and the one of the camera."""
    order = "<" if data[:2] == b"II" else ">"
    pending, seen = [struct.unpack_from(order + "I", data, 4)[0]], set[int]()
    while pending and len(seen) < _MOST_DIRECTORIES:
        at = pending.pop()
        if at in seen:
            return
        seen.add(at)
        held: dict[int, int] = {}
        for place in range(at + 2, at + 2 + 12 * min(struct.unpack_from(order + "H", data, at)[0], 500), 12):
            tag, kind, count = struct.unpack_from(order + "HHI", data, place)
            held[tag] = struct.unpack_from(order + ("H" if kind == 3 else "I"), data, place + 8)[0]
            if tag in _EXIF and kind == 2 and count < 10_000:
                start = place + 8 if count <= 4 else held[tag]
                said = data[start : start + count].split(b"\0")[0].decode("utf-8", "replace")
                yield (_EXIF[tag], _EXIF_DAY.sub(r"\1-\2-\3", said))
        if _EXIF_PLACE in held:
            yield ("Place", "the file says where it was taken (GPS)")
        pending += [held[_EXIF_MORE]] if _EXIF_MORE in held else []
        if sized and 256 in held and 257 in held:
            yield _pixels(held[256], held[257])


def _tiff(data: bytes) -> Told:
    return _exif(data, sized=True)


def _webp(data: bytes) -> Told:
    kind = data[12:16]
    if kind == b"VP8X":
        yield _pixels(int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1)
    elif kind == b"VP8L":
        bits = struct.unpack_from("<I", data, 21)[0]
        yield _pixels((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    elif kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        yield _pixels(width & 0x3FFF, height & 0x3FFF)


def _film(data: bytes, start: int = 0, end: int | None = None, depth: int = 0) -> Told:
    """The boxes of an MPEG-4 file (ISO/IEC 14496-12, 4.2)."""
    end = len(data) if end is None else end
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, start)
        begin = start + 8
        if size == 1:
            size, begin = struct.unpack_from(">Q", data, start + 8)[0], start + 16
        stop = min(start + size, end) if size else end
        if stop < begin:
            return
        if kind == b"mvhd":
            long = data[begin] == 1
            scale, length = struct.unpack_from(">IQ" if long else ">II", data, begin + (20 if long else 12))
            yield _time(length / scale)
        elif kind == b"tkhd":
            width, height = struct.unpack_from(">II", data, stop - 8)
            if width >> 16 and height >> 16:
                yield _pixels(width >> 16, height >> 16)
        elif kind == b"ispe":
            yield _pixels(*struct.unpack_from(">II", data, begin + 4))
        elif kind == b"stsd":
            yield ("Codec", data[begin + 12 : begin + 16].decode("latin-1"))
        elif kind in _SAID:
            yield from _text(kind, data[begin + 16 : stop])
        elif kind in {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"udta", b"ilst", b"iprp", b"ipco", b"meta"} and depth < 8:
            yield from _film(data, begin + (4 if kind == b"meta" else 0), stop, depth + 1)
        start = stop


def _matroska(data: bytes, at: int = 0, end: int | None = None, depth: int = 0) -> Told:
    """The elements of a Matroska or WebM file up to its first cluster (RFC 8794, RFC 9559)."""
    end, scale, width = len(data) if end is None else end, 1_000_000, 0
    while at < end:
        kind, begin = _vint(data, at, marked=True)
        size, begin = _vint(data, begin)
        stop = min(begin + size, end)
        content = data[begin : min(stop, begin + _TEXT_CHARS)]
        if kind in {0x18538067, 0x1549A966, 0x1654AE6B, 0xAE, 0xE0} and depth < 5:  # segment, info, tracks, a track, video
            yield from _matroska(data, begin, stop, depth + 1)
        elif kind == 0x2AD7B1:
            scale = int.from_bytes(content, "big")
        elif kind == 0x4489:
            yield _time(struct.unpack(">d" if len(content) == 8 else ">f", content)[0] * scale / 1e9)
        elif kind == 0x7BA9:
            yield from _text(b"TITLE", content)
        elif kind == 0x86:
            yield ("Codec", content.decode("latin-1"))
        elif kind == 0xB0:
            width = int.from_bytes(content, "big")
        elif kind == 0xBA:
            yield _pixels(width, int.from_bytes(content, "big"))
        elif kind == 0x1F43B675:
            return
        at = stop


def _vint(data: bytes, at: int, *, marked: bool = False) -> tuple[int, int]:
    """A number of as many bytes as its first says, with that mark or without, and what follows; all ones are no end."""
    size = 9 - data[at].bit_length()
    value = int.from_bytes(data[at : at + size], "big")
    if size > 8:
        raise ValueError
    most = (1 << 7 * size) - 1
    return value if marked else len(data) if value & most == most else value & most, at + size


def _wav(data: bytes, at: int = 12) -> Told:
    rate = 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, at)
        if kind == b"fmt ":
            channels, hertz, rate = struct.unpack_from("<HII", data, at + 10)
            yield _sound(hertz, channels)
        elif kind == b"data" and rate:
            yield _time(size / rate)
        elif kind == b"LIST" and data[at + 8 : at + 12] == b"INFO":
            yield from _wav(data[: at + 8 + size], at + 12)
        else:
            yield from _text(kind, data[at + 8 : at + 8 + min(size, _TEXT_CHARS)])
        at += 8 + size + (size & 1)


def _flac(data: bytes) -> Told:
    at, last = 4, False
    while not last and at + 4 <= len(data):
        last, kind, size = bool(data[at] & 0x80), data[at] & 0x7F, int.from_bytes(data[at + 1 : at + 4], "big")
        if kind == 0:
            packed = int.from_bytes(data[at + 14 : at + 22], "big")
            yield _sound(packed >> 44, (packed >> 41 & 7) + 1)
            yield _time((packed & 0xFFFFFFFFF) / (packed >> 44))
        elif kind == 4:
            yield from _vorbis(data[at + 4 : at + 4 + size])
        at += 4 + size


def _vorbis(data: bytes) -> Told:
    """The comments of Vorbis, Opus and FLAC."""
    at = 8 + struct.unpack_from("<I", data, 0)[0]
    for _ in range(min(struct.unpack_from("<I", data, at - 4)[0], 100)):
        size = struct.unpack_from("<I", data, at)[0]
        key, _, said = data[at + 4 : at + 4 + size].partition(b"=")
        yield from _text(key.upper(), said)
        at += 4 + size


def _ogg(data: bytes) -> Told:
    opus, vorbis = data.find(b"OpusHead", 0, 4_096), data.find(b"\x01vorbis", 0, 4_096)
    hertz = 48_000 if opus >= 0 else struct.unpack_from("<I", data, vorbis + 12)[0] if vorbis >= 0 else 0
    for mark, codec in ((b"OpusTags", "Opus"), (b"\x03vorbis", "Vorbis")):
        at = data.find(mark, 0, 65_536)
        if at >= 0:
            yield ("Codec", codec)
            yield from _vorbis(data[at + len(mark) :])
    if hertz:
        yield _time(struct.unpack_from("<q", data, data.rfind(b"OggS") + 6)[0] / hertz)


def _mp3(data: bytes) -> Told:
    start = 0
    if data[:3] == b"ID3":
        start = 10 + _sevens(data[6:10])
        yield from _id3(data[:start], data[3])
    found = _MPEG_FRAME.search(data, start, start + 65_536)
    if found is None:
        return
    version, header = data[found.start() + 1] >> 3 & 3, data[found.start() + 2]
    halved = version != 3
    bits, hertz = _MPEG_RATES[halved][header >> 4] * 1_000, _MPEG_HERTZ[header >> 2 & 3] // (1, 2, 4)[(3 - version + 1) // 2]
    variable = re.compile(rb"Xing|Info").search(data, found.start(), found.start() + 200)
    seconds = (len(data) - start) * 8 / bits
    if variable and data[variable.end() + 3] & 1:
        seconds = struct.unpack_from(">I", data, variable.end() + 4)[0] * (576 if halved else 1_152) / hertz
    yield _time(seconds)
    yield ("Rate", f"{(len(data) - start) * 8 / seconds / 1_000:,.0f} kbit/s")


def _sevens(data: bytes) -> int:
    """A number of ID3, of seven bits a byte."""
    return sum((byte & 0x7F) << shift for byte, shift in zip(data, (21, 14, 7, 0), strict=True))


def _id3(data: bytes, version: int) -> Told:
    at = 10
    while at + 10 <= len(data) and data[at]:
        kind, size = struct.unpack_from(">4sI", data, at)
        size = _sevens(data[at + 4 : at + 8]) if version >= 4 else size
        if 1 < size < 10_000:
            charset = ("latin-1", "utf-16", "utf-16-be", "utf-8")[min(data[at + 10], 3)]
            yield from _text(kind, data[at + 11 : at + 10 + size], charset)
        at += 10 + size


def _sqlite(data: bytes) -> Told:
    """The names of the tables, out of the schema alone: nothing of it is run."""
    if len(data) < _SQLITE_HEAD_BYTES:
        raise ValueError
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.deserialize(data)
            database.execute("PRAGMA trusted_schema=OFF")
            names = [str(name) for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 51")]
        except (sqlite3.Error, OverflowError) as error:
            raise ValueError from error
    yield ("Tables", ", ".join(names[:_MOST_TABLES]) + (" …" if len(names) > _MOST_TABLES else ""))


_READERS: Mapping[str, Callable[[bytes], Told]] = {
    "image/png": _png, "image/jpeg": _jpeg, "image/gif": _at("<HH", 6), "image/webp": _webp, "image/tiff": _tiff,
    "image/bmp": _at("<ii", 18), "audio/wav": _wav, "audio/flac": _flac, "audio/ogg": _ogg, "audio/mpeg": _mp3,
    "application/vnd.sqlite3": _sqlite,
    **dict.fromkeys(("video/webm", "video/x-matroska"), lambda data: _matroska(data[:_HEAD_BYTES])),
    **dict.fromkeys(("image/avif", "image/heic", "audio/mp4", "video/mp4", "video/quicktime"), _film),
}  # fmt: skip
