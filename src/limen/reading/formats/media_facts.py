"""Pictures, sounds, films, fonts, databases and programs to a Page of facts, by their heads alone. Nothing is drawn or played."""

import re
import sqlite3
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import islice

from limen.core.web import Page
from limen.reading.formats.file_facts import Facts, facts_page, printable

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
_ID3 = {b"TIT2": "Title", b"TPE1": "Artist", b"TALB": "Album", b"TDRC": "Date", b"TYER": "Date"}
_COMMENTS = {"TITLE": "Title", "ARTIST": "Artist", "ALBUM": "Album", "DATE": "Date"}
_ATOMS = {b"\xa9nam": "Title", b"\xa9ART": "Artist", b"\xa9alb": "Album", b"\xa9day": "Date"}
_WAV = {b"INAM": "Title", b"IART": "Artist", b"ICRD": "Date"}
_EXIF = {0x010E: "Description", 0x013B: "Artist", 0x010F: "Camera maker", 0x0110: "Camera", 0x0132: "Date", 0x9003: "Taken"}
_EXIF_MORE = 0x8769
_MOST_DIRECTORIES = 4
_EXIF_DAY = re.compile(r"^(\d{4}):(\d\d):(\d\d)")
_MPEG1_RATES = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_MPEG_HERTZ = (44_100, 48_000, 32_000)
_MACHINES = {3: "x86", 40: "ARM", 62: "x86-64", 183: "ARM64", 243: "RISC-V"}
_MOST_TABLES = 50
_SQLITE_HEAD_BYTES = 100


def read_media(data: bytes, url: str, media_type: str) -> Page:
    """The facts of a file. What its head says is taken as far as it can be read."""
    found: Facts = []
    reader = _READERS.get(media_type)
    try:
        for fact in islice(reader(data), _MOST_FACTS) if reader is not None else ():
            found.append(fact)
    except (struct.error, IndexError, ValueError, UnicodeError, ZeroDivisionError):
        found.append(("Damaged", "its head is broken or cut off"))
    facts = [(key, printable(said).strip()[:_TEXT_CHARS]) for key, said in dict(reversed(found)).items()][::-1]
    return facts_page(url, media_type, MEDIA[media_type], len(data), facts)


def _pixels(width: int, height: int) -> tuple[str, str]:
    return ("Pixels", f"{width:,} × {height:,}")


def _time(seconds: float) -> tuple[str, str]:
    whole = round(seconds)
    shown = f"{whole // 3_600}:{whole // 60 % 60:02}:{whole % 60:02}" if whole >= 3_600 else f"{whole // 60}:{whole % 60:02}"
    return ("Length", f"{shown} ({seconds:,.1f} s)")


def _rate(bits: float) -> tuple[str, str]:
    return ("Rate", f"{bits / 1_000:,.0f} kbit/s")


def _png(data: bytes) -> Iterator[tuple[str, str]]:
    yield _pixels(*struct.unpack_from(">II", data, 16))
    at = 8
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"tEXt" and size < 10_000:
            key, _, said = data[at + 8 : at + 8 + size].partition(b"\0")
            if key in {b"Title", b"Author", b"Description", b"Creation Time"}:
                yield ("Date" if key == b"Creation Time" else key.decode(), said.decode("latin-1"))
        elif kind == b"acTL":
            yield ("Frames", f"{struct.unpack_from('>I', data, at + 8)[0]:,}")
        elif kind == b"eXIf":
            yield from _exif(data[at + 8 : at + 8 + size])
        at += size + 12


def _jpeg(data: bytes) -> Iterator[tuple[str, str]]:
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


def _exif(data: bytes, *, sized: bool = False) -> Iterator[tuple[str, str]]:
    """Fields of a TIFF structure (TIFF 6.0, Exif 2.3): the first directory and the one of the camera."""
    order = "<" if data[:2] == b"II" else ">"
    pending, seen = [struct.unpack_from(order + "I", data, 4)[0]], set[int]()
    while pending:
        at = pending.pop()
        if at in seen or len(seen) == _MOST_DIRECTORIES:
            return
        seen.add(at)
        held: dict[int, int] = {}
        for index in range(min(struct.unpack_from(order + "H", data, at)[0], 500)):
            tag, kind, count = struct.unpack_from(order + "HHI", data, at + 2 + index * 12)
            place = at + 10 + index * 12
            held[tag] = struct.unpack_from(order + ("H" if kind == 3 else "I"), data, place)[0]
            if tag == _EXIF_MORE:
                pending.append(held[tag])
            elif tag in _EXIF and kind == 2 and count < 10_000:
                start = place if count <= 4 else held[tag]
                said = data[start : start + count].split(b"\0")[0].decode("utf-8", "replace")
                yield (_EXIF[tag], _EXIF_DAY.sub(r"\1-\2-\3", said))
        if sized and 256 in held and 257 in held:
            yield _pixels(held[256], held[257])


def _tiff(data: bytes) -> Iterator[tuple[str, str]]:
    return _exif(data, sized=True)


def _gif(data: bytes) -> Iterator[tuple[str, str]]:
    yield _pixels(*struct.unpack_from("<HH", data, 6))


def _bmp(data: bytes) -> Iterator[tuple[str, str]]:
    width, height = struct.unpack_from("<ii", data, 18)
    yield _pixels(width, abs(height))


def _icon(data: bytes) -> Iterator[tuple[str, str]]:
    count = struct.unpack_from("<H", data, 4)[0]
    sizes = (f"{data[6 + n * 16] or 256} × {data[7 + n * 16] or 256}" for n in range(min(count, 20)))
    yield ("Pixels", ", ".join(sizes))


def _photoshop(data: bytes) -> Iterator[tuple[str, str]]:
    height, width = struct.unpack_from(">II", data, 14)
    yield _pixels(width, height)


def _webp(data: bytes) -> Iterator[tuple[str, str]]:
    kind = data[12:16]
    if kind == b"VP8X":
        yield _pixels(int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1)
    elif kind == b"VP8L":
        bits = struct.unpack_from("<I", data, 21)[0]
        yield _pixels((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    elif kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        yield _pixels(width & 0x3FFF, height & 0x3FFF)


def _boxes(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Kind, begin and end of what is in each box (ISO/IEC 14496-12, 4.2)."""
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, start)
        head = 8
        if size == 1:
            size, head = struct.unpack_from(">Q", data, start + 8)[0], 16
        size = size or end - start
        if size < head:
            return
        yield kind, start + head, min(start + size, end)
        start += size


def _film(data: bytes, start: int = 0, end: int | None = None, depth: int = 0) -> Iterator[tuple[str, str]]:
    for kind, begin, stop in _boxes(data, start, len(data) if end is None else end):
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
        elif kind in _ATOMS:
            yield (_ATOMS[kind], data[begin + 16 : stop].decode("utf-8", "replace"))
        elif kind in {b"moov", b"trak", b"udta", b"ilst", b"iprp", b"ipco"} and depth < 8:
            yield from _film(data, begin, stop, depth + 1)
        elif kind == b"meta" and depth < 8:
            yield from _film(data, begin + 4, stop, depth + 1)


def _wav(data: bytes) -> Iterator[tuple[str, str]]:
    at, rate = 12, 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, at)
        if kind == b"fmt ":
            channels, hertz, rate = struct.unpack_from("<HII", data, at + 10)
            yield ("Sound", f"{hertz:,} Hz, {channels} {'channel' if channels == 1 else 'channels'}")
        elif kind == b"data" and rate:
            yield _time(size / rate)
        elif kind == b"LIST" and data[at + 8 : at + 12] == b"INFO":
            yield from _of_list(data[at + 12 : at + 8 + size])
        at += 8 + size + (size & 1)


def _of_list(data: bytes) -> Iterator[tuple[str, str]]:
    at = 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, at)
        if kind in _WAV:
            yield (_WAV[kind], data[at + 8 : at + 8 + size].rstrip(b"\0").decode("utf-8", "replace"))
        at += 8 + size + (size & 1)


def _avi(data: bytes) -> Iterator[tuple[str, str]]:
    at = data.find(b"avih", 0, 4_096)
    micros, frames, width, height = struct.unpack_from("<I12xI12xII", data, at + 8)
    yield _pixels(width, height)
    yield _time(micros * frames / 1e6)


def _flac(data: bytes) -> Iterator[tuple[str, str]]:
    at, last = 4, False
    while not last and at + 4 <= len(data):
        last, kind, size = bool(data[at] & 0x80), data[at] & 0x7F, int.from_bytes(data[at + 1 : at + 4], "big")
        if kind == 0:
            packed = int.from_bytes(data[at + 14 : at + 22], "big")
            hertz, samples = packed >> 44, packed & 0xFFFFFFFFF
            yield ("Sound", f"{hertz:,} Hz, {(packed >> 41 & 7) + 1} channels")
            yield _time(samples / hertz)
        elif kind == 4:
            yield from _vorbis(data[at + 4 : at + 4 + size])
        at += 4 + size


def _vorbis(data: bytes) -> Iterator[tuple[str, str]]:
    """The comments of Vorbis, Opus and FLAC."""
    at = 4 + struct.unpack_from("<I", data, 0)[0]
    count = struct.unpack_from("<I", data, at)[0]
    at += 4
    for _ in range(min(count, 100)):
        size = struct.unpack_from("<I", data, at)[0]
        key, _, said = data[at + 4 : at + 4 + size].decode("utf-8", "replace").partition("=")
        if key.upper() in _COMMENTS:
            yield (_COMMENTS[key.upper()], said)
        at += 4 + size


def _ogg(data: bytes) -> Iterator[tuple[str, str]]:
    opus, vorbis = data.find(b"OpusHead", 0, 4_096), data.find(b"\x01vorbis", 0, 4_096)
    hertz = 48_000 if opus >= 0 else struct.unpack_from("<I", data, vorbis + 12)[0] if vorbis >= 0 else 0
    for mark in (b"OpusTags", b"\x03vorbis"):
        at = data.find(mark, 0, 65_536)
        if at >= 0:
            yield from _vorbis(data[at + len(mark) :])
    last = data.rfind(b"OggS")
    if hertz:
        yield _time(struct.unpack_from("<q", data, last + 6)[0] / hertz)


def _mp3(data: bytes) -> Iterator[tuple[str, str]]:
    start = 0
    if data[:3] == b"ID3":
        start = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(data[6:10], (21, 14, 7, 0), strict=True))
        yield from _id3(data[:start], data[3])
    found = re.compile(rb"\xff[\xfa\xfb][\x10-\xef]").search(data, start, start + 65_536)
    if found is None:
        return
    header = data[found.start() + 2]
    rate, hertz = _MPEG1_RATES[header >> 4] * 1_000, _MPEG_HERTZ[header >> 2 & 3]
    variable = re.compile(rb"Xing|Info").search(data, found.start(), found.start() + 200)
    if variable and data[variable.end() + 3] & 1:
        seconds = struct.unpack_from(">I", data, variable.end() + 4)[0] * 1_152 / hertz
        yield _time(seconds)
        yield _rate((len(data) - start) * 8 / seconds)
    else:
        yield _time((len(data) - start) * 8 / rate)
        yield _rate(rate)


def _id3(data: bytes, version: int) -> Iterator[tuple[str, str]]:
    at = 10
    while at + 10 <= len(data) and data[at]:
        kind, size = struct.unpack_from(">4sI", data, at)
        if version >= 4:
            size = sum((byte & 0x7F) << shift for byte, shift in zip(data[at + 4 : at + 8], (21, 14, 7, 0), strict=True))
        if kind in _ID3 and 1 < size < 10_000:
            charset = ("latin-1", "utf-16", "utf-16-be", "utf-8")[min(data[at + 10], 3)]
            yield (_ID3[kind], data[at + 11 : at + 10 + size].decode(charset, "replace").strip("\0"))
        at += 10 + size


def _font(data: bytes) -> Iterator[tuple[str, str]]:
    """A font's full name out of its table of names (OpenType 1.9, `name`)."""
    for index in range(min(struct.unpack_from(">H", data, 4)[0], 64)):
        tag, _, offset, _ = struct.unpack_from(">4sIII", data, 12 + index * 16)
        if tag != b"name":
            continue
        _, count, texts = struct.unpack_from(">HHH", data, offset)
        for entry in range(min(count, 500)):
            platform, _, _, kind, size, at = struct.unpack_from(">HHHHHH", data, offset + 6 + entry * 12)
            if kind in {4, 9}:
                start = offset + texts + at
                charset = "utf-16-be" if platform in {0, 3} else "latin-1"
                yield ("Title" if kind == 4 else "Author", data[start : start + size].decode(charset, "replace"))


def _sqlite(data: bytes) -> Iterator[tuple[str, str]]:
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


def _elf(data: bytes) -> Iterator[tuple[str, str]]:
    machine = struct.unpack_from("<H" if data[5] == 1 else ">H", data, 18)[0]
    yield ("Made for", f"{_MACHINES.get(machine, f'machine {machine}')}, {64 if data[4] == 2 else 32} bits")


_READERS: Mapping[str, Callable[[bytes], Iterator[tuple[str, str]]]] = {
    "image/png": _png, "image/jpeg": _jpeg, "image/gif": _gif, "image/webp": _webp, "image/tiff": _tiff, "image/bmp": _bmp,
    "image/vnd.microsoft.icon": _icon, "image/vnd.adobe.photoshop": _photoshop, "audio/wav": _wav, "audio/flac": _flac,
    "audio/ogg": _ogg, "audio/mpeg": _mp3, "video/x-msvideo": _avi, "font/ttf": _font, "font/otf": _font,
    "application/vnd.sqlite3": _sqlite, "application/x-executable": _elf,
    **dict.fromkeys(("image/avif", "image/heic", "audio/mp4", "video/mp4", "video/quicktime"), _film),
}  # fmt: skip
