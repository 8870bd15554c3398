"""The fence around untrusted text: what a stranger wrote stands between two lines that it cannot forge."""

import re
import secrets
from collections.abc import Callable, Iterator
from functools import cache
from unicodedata import normalize

from limen.kit.text import clip

Nonce = Callable[[], str]

_OPENED = re.compile(r"⟦untrusted ([0-9a-f]{8,64})[ ⟧]")
# A note of ours may stand behind a fence; a stranger who wrote it inside cannot have closed the fence before it.
_FENCED = re.compile(r"\A(⟦untrusted ([0-9a-f]+)(?: [^⟧]*)?⟧\n)(.*)(\n⟦/untrusted \2⟧(?:\n\[limen [^\n]*)?)\Z", re.DOTALL)
_LABEL_CHARS = 200

# Opening brackets that pass for ours.
_BRACKETS = "\u27e6\u301a\u27ea\u27ec\u2997\u2045\u2772\u298b\u2985\u3010\u3016\u3018\uff3b"
_OPENING = re.compile(f"[{_BRACKETS}]")
# What is not seen inside a word: invisible characters, fillers, joined marks; and blanks.
_UNSEEN = (
    r"[\s\u00ad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]*+"
)
_SLASH = r"[/\\\u2044\u2215\u29f8\uff0f\u2571]?+"
# Letters of other scripts that look like these; accented and styled ones are found by what Unicode says of them.
_LIKE = {
    "u": "\u03c5\u057d\u054d\u028b\u1d1c\u222a\u22c3",
    "n": "\u0578\u043f\u03b7\u057c\u0274\u039d",
    "t": "\u0442\u0422\u03a4\u03c4\u1d1b",
    "r": "\u0433\u1d26\u0280",
    "s": "\u0455\u0405\ua731\u0282\u054f",
    "e": "\u0435\u0415\u0395\u1d07\u212e\u04bd\u0454",
    "d": "\u0501\u1d05\u0257\u0111",
}
# Latin with accents, phonetic, additional, super- and subscripts and letterlike, circled, wide, mathematical, squared.
_STYLED = (
    (0xC0, 0x250), (0x2B0, 0x2B9), (0x1D2C, 0x1D6B), (0x1E00, 0x1F00), (0x2070, 0x2190), (0x24B6, 0x24EA), (0xFF21, 0xFF5B),
    (0x1D400, 0x1D6A4), (0x1F110, 0x1F18A),
)  # fmt: skip


def fresh_nonce() -> str:
    """Sixteen hexadecimal digits that no page could know."""
    return secrets.token_hex(8)


def fence(text: str, nonce: str, source: str) -> str:
    """`text` between an opening line that names its source and a closing line; `nonce` is fresh hexadecimal for each call."""
    label = clip(source.replace("⟧", ""), _LABEL_CHARS)
    return f"⟦untrusted {nonce} from {label}⟧\n{defuse(text)}\n⟦/untrusted {nonce}⟧"


def defuse(text: str) -> str:
    """`text` with the bracket of every look-alike of a fence opened up. Its length stays, and nothing else changes.

    A look-alike may hide invisible characters in its word, or letters of another script. The nonce makes the fence
    unforgeable; this keeps a page from pretending that its text has ended.
    """
    if not _OPENING.search(text):
        return text
    return _look_alike().sub("(", text)


@cache
def _look_alike() -> re.Pattern[str]:
    """A bracket before the word, in linear time: no part can match what follows it."""
    styled = list(_styled_letters())
    letters = [
        "[" + letter + letter.upper() + _LIKE[letter] + "".join(char for like, char in styled if like == letter) + "]"
        for letter in "untrusted"
    ]
    return re.compile(f"[{_BRACKETS}](?={_UNSEEN}{_SLASH}{_UNSEEN}{_UNSEEN.join(letters)})")


def _styled_letters() -> Iterator[tuple[str, str]]:
    for first, end in _STYLED:
        for char in map(chr, range(first, end)):
            like = normalize("NFKD", char)[0].lower()
            if like in _LIKE:
                yield like, char


def unfence(text: str) -> str:
    """The text inside a fence; `text` itself when there is none."""
    return fenced_parts(text)[1]


def fence_nonce(text: str) -> str | None:
    """The nonce of the first fence in a text, None where there is none."""
    match = _OPENED.search(text)
    return match[1] if match else None


def fenced_parts(text: str) -> tuple[str, str, str]:
    """The opening line, the text inside and the closing line of a fence; where there is none, all of it is inside."""
    match = _FENCED.match(text)
    return (match[1], match[3], match[4]) if match else ("", text, "")
