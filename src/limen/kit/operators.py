"""What a search query demands beside its words: `"a phrase"`, `-word`, `title:word`, `path:part-or-glob`, `site:host`.

A question may hold the same characters and mean none of that (`what does -v do`, `ratio 3:2`, `std::move`, `C:\\path`), so an
operator begins a word, has a known name and its value directly behind it; `-word` is one only where it can be no option.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from limen.kit.words import is_unspaced

_QUOTED = r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|«[^»\n]{1,200}»"
# A quotation, with what is directly before it, or a word. A mark of inches opens none: it stands behind a figure.
_TOKEN = re.compile(rf"(?<![^\s(])(-?(?:[A-Za-z]+:)?)({_QUOTED})(?=[\s?!.,;:)]|$)|\(+(?=-?[\"“«])|\S+")
_NAMED = re.compile(r"(-?)([A-Za-z]+):([\w*./~?].*)", re.DOTALL)
_ENDS_IN_PATH = re.compile(r"(?<!\S)-?path:\S+[?？]$", re.IGNORECASE)
_NAMES = frozenset(("title", "path", "site"))
# What other searches take; here these are words.
_FOREIGN_TEXT = "intitle allintitle inurl allinurl intext filetype ext before after lang cache related"
_FOREIGN = frozenset(_FOREIGN_TEXT.split())
_OUT_WORD = re.compile(r"-([^\W\d_][\w.]*)[,;]?")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
# Shorter ones are a command's options, as are those without a vowel: `-v`, `-rf`, `-xzf`.
_LEAST_OUT_CHARS = 3
_ASKING_TEXT = (
    "am are can could did do does had has have how is may might must shall should was were what when where whether which who "
    "whom whose why will would explain tell show please wie was wer wo wann warum welche comment pourquoi quel quelle qué cómo "
    "cuándo"
)
_ASKING = frozenset(_ASKING_TEXT.split())
_SPEAKING = frozenset(("i", "me", "my", "we", "you", "your"))
_LONGEST_CHARS = 4_000
_MOST = 16
# What may stand between two words of a phrase: blanks, and the marks of emphasis and code around either.
_BETWEEN = r"[\s*`]+"


class Demands(msgspec.Struct, frozen=True):
    """What a find must have and must not have, all of it. `sites` are hosts or domains."""

    phrases: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    without_phrases: tuple[str, ...] = ()
    without_titles: tuple[str, ...] = ()
    without_paths: tuple[str, ...] = ()
    without_sites: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != NO_DEMANDS


NO_DEMANDS = Demands()


class Query(msgspec.Struct, frozen=True):
    """A query taken apart. `words` are those that a find may hold, as they were written and in their order: without operators,
    but with phrases, in quotation marks, and the words of titles. `operators` are as written; `notices` say what looked like one
    and was taken for words."""

    words: str
    demands: Demands = NO_DEMANDS
    operators: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def read_query(query: str) -> Query:
    """Take a query apart. Whatever is no operator stays among the words."""
    query = query[:_LONGEST_CHARS].rstrip()
    asking = is_question(query)
    # The mark of a question is none of a path's pattern.
    query = query.rstrip("?？") if _ENDS_IN_PATH.search(query) else query
    found: dict[str, list[str]] = {}
    words: list[str] = []
    operators: list[str] = []
    notices: list[str] = []
    out: list[int] = []
    for token in _TOKEN.finditer(query):
        demanded = _demanded(token) if len(operators) < _MOST else None
        if demanded is not None:
            name, value = demanded
            found.setdefault(name, []).append(value)
            operators.append(token[0])
            words += _also_words(name, value)
            continue
        if not asking and (notice := _mistaken(token[0])):
            notices.append(notice)
        if _is_out(token[0]):
            out.append(len(words))
        words.append(token[0])
    kept = [word for at, word in enumerate(words) if at not in out]
    if out and not asking and (found or any(char.isalnum() for word in kept for char in word)):
        found["without"] = [words[at].strip("-,;") for at in out]
        operators += [words[at] for at in out]
        words = kept
    demands = Demands(**{name: tuple(values) for name, values in found.items()})
    return Query(" ".join(words), demands, tuple(operators), tuple(notices))


def _also_words(name: str, value: str) -> list[str]:
    return [f'"{value}"'] if name == "phrases" else [value] if name == "titles" else []


def plainly(words: Sequence[str]) -> list[str]:
    """Words so written that none is read as one to leave out."""
    return [word.lstrip("-") if _is_out(word) else word for word in words]


def is_question(text: str) -> bool:
    """Whether a text is a sentence that asks for something, rather than words to look up."""
    said = [word.strip("?!.,;:'\"").lower() for word in text.split()]
    return text.rstrip().endswith(("?", "？")) or not _ASKING.isdisjoint(said[:1]) or not _SPEAKING.isdisjoint(said)


def holds(text: str, phrase: str) -> bool:
    """Whether a phrase stands in a text word for word: in these forms, this order, with these signs; case does not count."""
    return _pattern(phrase).search(text) is not None


@lru_cache(maxsize=256)
def _pattern(phrase: str) -> re.Pattern[str]:
    row = _BETWEEN.join(re.escape(word) for word in phrase.split())
    before = r"(?<![^\W_])" if _is_edge(phrase.strip()[:1]) else ""
    behind = r"(?![^\W_])" if _is_edge(phrase.strip()[-1:]) else ""
    return re.compile(f"{before}{row}{behind}", re.IGNORECASE)


def _is_edge(char: str) -> bool:
    """Whether a letter beside this one would be of the same word."""
    return char.isalnum() and not is_unspaced(char)


def _demanded(token: re.Match[str]) -> tuple[str, str] | None:
    """What a token demands, as a field of `Demands` and its value; None for a word. Words that are left out come later."""
    if token[2]:
        out, name, value = token[1].startswith("-"), token[1].strip("-:").lower(), " ".join(token[2][1:-1].split())
        field = f"{name}s" if name in _NAMES else "phrases" if not name else ""
        return (f"without_{field}" if out else field, value) if field and value else None
    named = _NAMED.fullmatch(token[0])
    if named is None or named[2].lower() not in _NAMES:
        return None
    name, value = named[2].lower(), named[3].rstrip(",;" if named[2].lower() == "path" else ",;?!.")
    return (f"without_{name}s" if named[1] else f"{name}s", value) if value else None


def _is_out(token: str) -> bool:
    word = _OUT_WORD.fullmatch(token)
    return word is not None and (not word[1].isascii() or (len(word[1]) >= _LEAST_OUT_CHARS and bool(_VOWEL.search(word[1]))))


def _mistaken(token: str) -> str:
    """What to say of a token that looks like an operator and is none; empty for most."""
    name, colon, value = token.lstrip("-").partition(":")
    if colon and name.lower() in _NAMES and not value:
        return f"{token} has no value directly behind it, and is looked for as a word"
    if colon and value and name.lower() in _FOREIGN:
        return f'{name}: is looked for as a word; what the library takes is "phrase", -word, title:, path: and site:'
    if token[:1] in '"“«' and (quoted := token.strip('"“”«»')):
        return f"the quotation mark before {quoted[:40]} has no partner; its words are looked for each by itself"
    return ""


def unmet(operators: Sequence[str]) -> str:
    """What to say where a query with operators found nothing."""
    named = " ".join(operators)[:200]
    return f"nothing is all that {named} demands; the same words without quotation marks, minus signs and names find more"
