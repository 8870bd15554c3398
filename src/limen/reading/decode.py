"""Bytes to text: byte-order mark, declared charset, UTF-8, and only then a guess."""

import codecs
import re
from typing import TYPE_CHECKING

import msgspec

from limen.kit.deferred import load

# Most texts are UTF-8 and say so: what knows all other charsets costs as much to load as all else that reads a text.
if TYPE_CHECKING:
    from collections.abc import Callable

    from turbohtml.detect import Detection, EncodingMatch

# The HTML standard looks at 1,024 bytes; pages in the wild put long comments first.
_PRESCAN_BYTES = 4_096
# The guess needs a few thousand non-ASCII characters; more only costs time.
_GUESS_BYTES = 262_144
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_DECLARED = re.compile(
    rb"<meta[^>]{1,400}?charset\s*=\s*[\"']?\s*([\w.:-]+)|^\s*<\?xml[^>]{1,200}?encoding\s*=\s*[\"']([\w.:-]+)", re.IGNORECASE
)
_FOREIGN = bytes(range(0x80, 0x100))
_FIRST_FOREIGN = re.compile(rb"[\x80-\xff]")
# A server's default rather than a statement about the page.
_WESTERN = frozenset({"windows-1252", "iso-8859-1", "latin-1", "latin1", "l1", "us-ascii", "ascii", "cp1252", "iso8859-1"})
# Noncharacters that mark places while a page is converted; no text has a use for them.
_OUR_SIGNS = "\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4\ufdd5\ufdd6\ufdd7\ufdd8\ufdd9"
_OUR_REFERENCES = re.compile(r"&#(?:[xX]0*[fF][dD][dD][0-9](?![0-9a-fA-F])|0*649(?:7[6-9]|8[0-5])(?!\d));?")
# What steers a terminal and no reader sees (ECMA-48): colours, cursor moves, titles; and what a line printer struck over.
_STEERING = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[()][0-9A-Z])")
_STRUCK = re.compile(r"[^\n\x08]\x08")
# Controls that mean nothing in a text, NUL first; a printer's page or line break separates words.
_UNSEEN = {**dict.fromkeys((*range(9), *range(14, 32), 127)), 11: " ", 12: " "}
_CONTROLS = tuple(map(chr, _UNSEEN))
_MISFIT = "\ufffd"
# Broken bytes among those that are not ASCII in what still is UTF-8: of a text that says so, and of one that does not, since in
# other charsets hardly any of them would fit.
_BROKEN_DECLARED, _BROKEN = 0.25, 0.1
# What a `<meta>` cannot truthfully say, since it was found reading single bytes.
_WIDE = ("utf-16", "utf-32", "ucs-2", "unicode")


class Decoded(msgspec.Struct, frozen=True):
    """A text, the charset it was read as (lower case), whether that was a guess, and how many characters did not fit it."""

    text: str
    charset: str
    guessed: bool = False
    misfits: int = 0

    @property
    def notices(self) -> tuple[str, ...]:
        """What a reader of the text should know."""
        said = [f"No charset holds for this page; it was read as {self.charset}, which is a guess."] if self.guessed else []
        if self.misfits:
            of_all = f"{self.misfits:,} of {len(self.text):,} characters"
            said.append(f"Not decodable as {self.charset}, so shown as \ufffd: {of_all}.")
        return tuple(said)


def decode(data: bytes, content_type: str | None = None) -> Decoded:
    """Turn bytes into text, as `clean` leaves it. Never raises: what does not fit its charset becomes U+FFFD."""
    for mark, charset in _MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], charset, charset)
    wide = _wide_without_mark(data)
    if wide:
        return _decoded(data, wide, wide)
    unicode_text = _utf8(data)
    declared = _declared(data, content_type)
    may_be_utf8 = not declared or declared in _WESTERN or declared == "utf-8"
    if may_be_utf8 and unicode_text is not None:
        return Decoded(_settled(unicode_text), "utf-8")
    if may_be_utf8 and _mostly_utf8(data, _BROKEN_DECLARED if declared == "utf-8" else _BROKEN):
        return _decoded(data, "utf-8", "utf-8")
    if declared and declared != "utf-8":
        return _decoded(data, f"whatwg-{declared}", declared)
    detect: Callable[[bytes, Detection], EncodingMatch] = load("turbohtml.detect:detect")
    detection: type[Detection] = load("turbohtml.detect:Detection")
    found = detect(_telling(data), detection(excluded=frozenset({"utf-8"})))
    guessed, codec = (found.encoding or "windows-1252").lower(), found.codec or "windows-1252"
    if guessed in _WESTERN and _is_hungarian(data):
        guessed = codec = "windows-1250"
    return msgspec.structs.replace(_decoded(data, codec, guessed), guessed=True)


def _decoded(data: bytes, codec: str, charset: str) -> Decoded:
    text = data.decode(codec, "replace")
    misfits = text.count(_MISFIT)
    if misfits and charset == "utf-8":
        misfits = max(misfits - data.count(_MISFIT.encode()), 0)  # what the text itself shows so is no misfit
    return Decoded(clean(text), charset, misfits=misfits)


def clean(text: str) -> str:
    """Text that can be stored and printed: surrogates paired or replaced, no controls, `\\n` line ends, none of our own marks."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _settled(text)


def _settled(text: str) -> str:
    """`clean` for what a codec of the Encoding Standard made: it holds no surrogates."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = seen(text)
    if not text.isascii():
        for sign in _OUR_SIGNS:
            if sign in text:
                text = text.replace(sign, "\ufffd")
    return text[1:] if text.startswith("\ufeff") else text


def without_our_references(source: str) -> str:
    """HTML without the references to our own marks, as which `clean` lets them pass."""
    return _OUR_REFERENCES.sub(_MISFIT, source) if "&#" in source else source


def seen(text: str) -> str:
    """Text without what steers a terminal or a printer: sequences of colours, what is struck over, other controls."""
    if not any(control in text for control in _CONTROLS):
        return text
    if "\x1b" in text:
        text = _STEERING.sub("", text)
    if "\b" in text:
        text = _STRUCK.sub("", text)
    return text.translate(_UNSEEN)


def _utf8(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _declared(data: bytes, content_type: str | None) -> str:
    """The charset the header or the document names, as a label that can be decoded; empty where neither does."""
    header = _HEADER.search(content_type or "")
    label = known_charset(header.group(1)) if header else ""
    if label:
        return label
    found = _DECLARED.search(data[:_PRESCAN_BYTES])
    if not found:
        return ""
    label = known_charset((found.group(1) or found.group(2)).decode("ascii", "replace"))
    return "utf-8" if label.startswith(_WIDE) else label


def known_charset(label: str) -> str:
    """The label in lower case where it names a charset of the Encoding Standard, else an empty string."""
    name = label.strip().lower()
    if name in {"utf8", "utf-8", "unicode-1-1-utf-8"}:
        return "utf-8"
    load("turbohtml.detect:detect")  # which makes the codecs of the Encoding Standard known to Python
    try:
        codecs.lookup(f"whatwg-{name}")
    except (LookupError, ValueError):
        return ""
    return name


def _telling(data: bytes) -> bytes:
    """The part of the bytes that can tell one charset from another: from the first one that is not ASCII on."""
    first = _FIRST_FOREIGN.search(data)
    start = first.start() if first else 0
    return data[start : start + _GUESS_BYTES]


def _is_hungarian(data: bytes) -> bool:
    """Whether what passes for Western is Hungarian: ő and ű, which look like õ and û, without the letters of who has those."""
    found = set(_telling(data))
    return found.issuperset(b"\xf5\xfb") and found.isdisjoint(b"\xe3\xe7\xea")  # ã ç ê


def _mostly_utf8(data: bytes, share: float) -> bool:
    """Whether a text is UTF-8 with a few broken bytes, at most that share of those that are not ASCII."""
    sample = _telling(data)
    broken = sample.decode("utf-8", "replace").count("\ufffd")
    foreign = len(sample) - len(sample.translate(None, _FOREIGN))
    return broken < foreign * share


def _wide_without_mark(data: bytes) -> str:
    """UTF-16 that carries no mark: in mostly Latin text every second byte is NUL."""
    head = data[:512]
    if len(head) < 8 or len(data) % 2:
        return ""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    pairs = len(head) // 2
    if odd > pairs * 0.7 and even <= pairs * 0.02:
        return "utf-16-le"
    if even > pairs * 0.7 and odd <= pairs * 0.02:
        return "utf-16-be"
    return ""
