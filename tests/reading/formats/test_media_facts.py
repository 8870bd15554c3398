"""Files without text are told by their heads: kind, size, pixels, length, what they say of themselves."""

import io
import sqlite3
import struct
import wave
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.reading import read
from limen.reading.formats.media_facts import MEDIA, read_media


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(*more):
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">II", 120, 80) + b"\x08\x02\0\0\0") + b"".join(more)


TITLE = chunk(b"tEXt", b"Title\0A plan")
FRAMES = chunk(b"acTL", struct.pack(">II", 7, 0))


def exif(order=">"):
    def field(tag, said, place):
        return struct.pack(order + "HHII", tag, 2, len(said), place)

    date, maker = b"2026:03:01 10:00:00\0", b"Lampco\0\0"
    start = 8 + 2 + 4 * 12 + 4
    more = start + len(date) + len(maker)
    head = (b"MM\0*" if order == ">" else b"II*\0") + struct.pack(order + "IH", 8, 4)
    fields = (
        field(0x0132, date, start)
        + field(0x010F, maker, start + len(date))
        + struct.pack(order + "HHII", 0x8769, 4, 1, more)
        + struct.pack(order + "HHII", 0x8825, 4, 1, more)
    )
    inner = struct.pack(order + "H", 1) + field(0x9003, date, start) + bytes(4)
    return head + fields + bytes(4) + date + maker + inner


def jpeg():
    about = b"Exif\0\0" + exif()
    size = struct.pack(">BHH", 8, 80, 120)
    return b"\xff\xd8" + b"\xff\xe1" + struct.pack(">H", len(about) + 2) + about + b"\xff\xc0\0\x0b" + size


def box(kind, content):
    return struct.pack(">I", len(content) + 8) + kind + content


def film():
    head = box(b"mvhd", bytes(12) + struct.pack(">II", 1_000, 90_500) + bytes(80))
    track = box(b"trak", box(b"tkhd", bytes(76) + struct.pack(">II", 640 << 16, 360 << 16)))
    named = box(b"udta", box(b"meta", bytes(4) + box(b"ilst", box(b"\xa9nam", box(b"data", bytes(8) + b"A film")))))
    return box(b"ftyp", b"isom" + bytes(8)) + box(b"moov", head + track + named)


def avif():
    sized = box(b"iprp", box(b"ipco", box(b"ispe", bytes(4) + struct.pack(">II", 120, 80))))
    return box(b"ftyp", b"avif" + bytes(4)) + box(b"meta", bytes(4) + sized)


def element(number, content):
    return bytes.fromhex(number) + (0x10000000 | len(content)).to_bytes(4, "big") + content


def webm():
    told = (
        element("2AD7B1", (1_000_000).to_bytes(3, "big")) + element("4489", struct.pack(">f", 3_000)) + element("7BA9", b"A film")
    )
    video = element("86", b"V_VP9") + element("E0", element("B0", b"\x78") + element("BA", b"\x50"))
    tracks = element("AE", video) + element("AE", element("86", b"A_OPUS"))
    return (
        element("1A45DFA3", element("4282", b"webm"))
        + b"\x18\x53\x80\x67\x01"
        + b"\xff" * 7
        + (element("1549A966", told) + element("1654AE6B", tracks) + element("1F43B675", bytes(9)))
    )


def wav():
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8_000)
        file.writeframes(bytes(32_000))
    return buffer.getvalue()


def mp3(head=b"\xff\xfb\x90\x00", rate=16_000):
    def frame(kind, said):
        return kind + struct.pack(">I", len(said) + 1) + b"\0\0\x03" + said

    frames = frame(b"TIT2", b"A song") + frame(b"TPE1", b"Ada")
    size = bytes(len(frames) >> shift & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\x03\0\0" + size + frames + head + bytes(rate * 3 - 4)


def comments():
    entries = [b"TITLE=A song", b"ARTIST=Ada"]
    return struct.pack("<I", 0) + struct.pack("<I", 2) + b"".join(struct.pack("<I", len(one)) + one for one in entries)


def flac():
    stream = bytes(10) + ((44_100 << 44) | (1 << 41) | 44_100 * 3).to_bytes(8, "big") + bytes(16)
    return b"fLaC\0" + len(stream).to_bytes(3, "big") + stream + b"\x84" + len(comments()).to_bytes(3, "big") + comments()


def ogg():
    last = b"OggS\0\4" + struct.pack("<q", 48_000 * 5) + bytes(13)
    return b"OggS\0\2" + bytes(21) + b"OpusHead" + bytes(11) + b"OpusTags" + comments() + last


def database():
    with sqlite3.connect(":memory:") as made:
        made.execute("create table lamp(a)")
        made.execute("create table price(a)")
        return made.serialize()


def bmp():
    return b"BM" + bytes(16) + struct.pack("<ii", 120, -80) + bytes(40)


@pytest.mark.parametrize(
    ("data", "media_type", "told"),
    [
        (png(TITLE, FRAMES), "image/png", ["Pixels: 120 × 80", "Title: A plan", "Frames: 7"]),
        (jpeg(), "image/jpeg", ["Pixels: 120 × 80", "Taken: 2026-03-01 10:00:00", "Camera maker: Lampco", "Place: "]),
        (exif("<"), "image/tiff", ["Date: 2026-03-01 10:00:00"]),
        (b"GIF89a" + struct.pack("<HH", 120, 80) + bytes(9), "image/gif", ["Pixels: 120 × 80"]),
        (b"RIFF\0\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0" + b"\x77\0\0\x4f\0\0", "image/webp", ["Pixels: 120 × 80"]),
        (b"RIFF\0\0\0\0WEBPVP8L\n\0\0\0/" + struct.pack("<I", 119 | 79 << 14), "image/webp", ["Pixels: 120 × 80"]),
        (b"RIFF\0\0\0\0WEBPVP8 \n\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 120, 80), "image/webp", ["Pixels: 120 × 80"]),
        (bmp(), "image/bmp", ["Pixels: 120 × 80"]),
        (b"\0\0\1\0\1\0\x10\0" + bytes(14), "image/vnd.microsoft.icon", ["Kind: icon"]),
        (film(), "video/mp4", ["Length: 1:30 (90.5 s)", "Pixels: 640 × 360", "Title: A film"]),
        (avif(), "image/avif", ["Pixels: 120 × 80"]),
        (wav(), "audio/wav", ["8,000 Hz, 1 channel", "Length: 0:02 (2.0 s)"]),
        (mp3(), "audio/mpeg", ["Title: A song", "Artist: Ada", "Length: 0:03 (3.0 s)", "Rate: 128 kbit/s"]),
        (flac(), "audio/flac", ["44,100 Hz, 2 channels", "Length: 0:03 (3.0 s)", "Title: A song"]),
        (ogg(), "audio/ogg", ["Length: 0:05 (5.0 s)", "Artist: Ada"]),
        (database(), "application/vnd.sqlite3", ["Tables: lamp, price"]),
        (webm(), "video/webm", ["Length: 0:03 (3.0 s)", "Pixels: 120 × 80", "Codec: V_VP9, A_OPUS", "Title: A film"]),
        (mp3(b"\xff\xf3\x44\x00", 4_000), "audio/mpeg", ["Length: 0:03 (3.0 s)", "Rate: 32 kbit/s"]),
        (b"\x7fELF\2\1\1" + bytes(57), "application/x-executable", ["Kind: ELF program"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_file_is_told_by_its_head(data, media_type, told):
    page = read(data, "https://e.example/file")
    assert (page.is_file, page.media_type) == (True, media_type)
    assert f"Size: {len(data):,} bytes" in page.text
    for words in told:
        assert words in page.text


def test_what_it_says_of_itself_is_text_and_its_title():
    page = read(png(chunk(b"tEXt", b"Title\0<b>*x*\x1b[31m")), "https://e.example/p.png")
    assert r"\*x\*" in page.text
    assert "\x1b" not in page.text
    assert page.title == "<b>*x*\\x1b[31m"


def test_a_file_of_no_address_is_told_without_a_way_to_save_it():
    page = read(png(), "file:///home/a/p.png")
    assert page.shell.partly
    assert page.shell.mend == ""
    assert page.text.startswith("# p.png\n\n- Kind: PNG picture")


def test_a_head_that_is_cut_off_says_so():
    assert "- Damaged: its head is broken or cut off" in read(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").text


WHOLE = [png(), jpeg(), film(), wav(), mp3(), flac(), ogg(), webm()]


@given(st.sampled_from(sorted(MEDIA)), st.binary(max_size=400), st.sampled_from(WHOLE))
def test_no_bytes_break_it(media_type, data, whole):
    for made in (data, whole[: len(data)] + data, data[:40] + whole):
        read_media(made, "", media_type)


def test_of_facts_without_an_end_as_many_are_taken_as_anyone_states():
    box = (8 + 16).to_bytes(4, "big") + b"\xa9nam" + b"\x00" * 16
    page = read((16).to_bytes(4, "big") + b"ftypmp42\x00\x00\x00\x00" + box * 5_000, "https://e.example/f.mp4")
    assert "MPEG-4 film" in page.text
