"""Words of a text for searching: lower case, identifiers whole and in parts, CJK in pairs, English endings taken off.

Every function is linear in its text and never raises, whatever the text.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from limen.kit.irregular import IRREGULAR

# A word with its inner joints: `asyncio.Task.cancel`, `--force-with-lease`, `max_connections`, `pg_hba.conf`, `don't`.
_WORD = re.compile(r"(?:(?<!\w)--?)?\w+(?:[.\-:'’+/]\w+)*")
_JOINT = re.compile(r"[.\-:'’+/_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Scripts written without blanks between words, as the inside of a regular expression's brackets: Thai and Lao, Burmese, Khmer,
# kana, ideographs, and Hangul, whose particles cling to words.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED = re.compile(f"[{UNSPACED}]+")
# Longer runs are data (base64, minified code), not words; they would only swell an index.
_LONGEST_WORD = 64
_LONGEST_IDENTIFIER = 120

_STOPPED = (
    "a about all am an and any are as at be because been being but by can cannot could did do does doing don each even "
    "few for from had has have having he her here him his how i if in into is it its just let ll may me might mine must "
    "my no nor not of on only onto or other others our ours own please re shall she should so some such than that the "
    "their them then there these they this those through to too until upon us use used uses using ve very was we were "
    "what when where whether which while who whom whose why will with without would you your yours "
)
STOP_WORDS = frozenset(_STOPPED.split())


def words(text: str) -> list[str]:
    """The words of `text` in order, lower case; an identifier is followed by its parts, a CJK run becomes its pairs."""
    found: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        found.extend(_split(match[0]))
    return found


def _split(token: str) -> Iterable[str]:
    if _UNSPACED.search(token):
        return _pairs(token)
    parts = [piece for part in _JOINT.split(token) if part for piece in _camel(part)]
    parts = [part.lower() for part in parts if len(part) <= _LONGEST_WORD]
    if "'" in token or "’" in token:
        return parts[:1]  # "don't", "page's": what follows the apostrophe is grammar
    if len(token) > _LONGEST_IDENTIFIER:
        return parts
    whole = token.lower().strip("_")
    return [whole, *parts] if whole and [whole] != parts else parts


def _camel(part: str) -> list[str]:
    return _CAMEL.split(part) if len(part) <= _LONGEST_WORD else [part]


def _pairs(token: str) -> list[str]:
    found: list[str] = []
    end = 0
    for match in _UNSPACED.finditer(token):
        if before := token[end : match.start()]:
            found.extend(piece.lower() for piece in _JOINT.split(before) if piece)
        run = match[0]
        found.extend([run] if len(run) == 1 else [run[index : index + 2] for index in range(len(run) - 1)])
        end = match.end()
    found.extend(piece.lower() for piece in _JOINT.split(token[end:]) if piece)
    return found


def is_unspaced(word: str) -> bool:
    """Whether a word is of a script written without blanks."""
    return _UNSPACED.match(word) is not None


def terms(text: str) -> list[str]:
    """What a ranking compares: the words of `text` without stop words, stemmed."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """An English word without its inflection and commonest derivation; identifiers and other scripts come back as they are.

    The result is a key, not a word: `create`, `creating` and `creation` all give `creat`.
    """
    word = _BASE_OF.get(word, word)
    if len(word) <= 3 or not (word.isascii() and word.isalpha()):
        return word
    return _trimmed(_derived(_derived(_inflected(_plural(word)))))


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _inflected(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) >= 3 and _voiced(rest):
            return _undoubled(rest)
    return word


_BASE_OF = {form: base for base, forms in IRREGULAR.items() for form in forms}

# Longest first; the number is how much of the word must remain for the ending to be one.
_DERIVATIONS = (
    ("ization", 3), ("ational", 4), ("ically", 3), ("ation", 4), ("ating", 4), ("ator", 4), ("able", 4), ("ible", 4), ("ment", 5),
    ("ness", 4), ("ize", 4), ("ise", 4), ("ate", 4), ("ion", 4), ("ity", 4), ("ive", 4), ("ly", 4), ("al", 5), ("at", 4),
    ("iz", 4), ("er", 4),
)  # fmt: skip


def _derived(word: str) -> str:
    for ending, least in _DERIVATIONS:
        if word.endswith(ending) and len(word) - len(ending) >= least and _voiced(word[: -len(ending)]):
            return _undoubled(word[: -len(ending)])
    return word


def _trimmed(word: str) -> str:
    return word[:-1] if word.endswith(("e", "ll")) and len(word) > 3 + word.endswith("ll") else word


def _voiced(rest: str) -> bool:
    return any(char in "aeiouy" for char in rest)


def _undoubled(rest: str) -> str:
    return rest[:-1] if len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "aeious" else rest


_FORMS: dict[str, tuple[str, ...]] = {stem(base): (base, *forms) for base, forms in IRREGULAR.items()}


def other_forms(word: str) -> tuple[str, ...]:
    """The forms of an irregular English word, in lower case: sleep and slept for sleeping; empty for a regular one."""
    return _FORMS.get(stem(word), ())
