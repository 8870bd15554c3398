"""From a question to the words that are looked up."""

import math
import re
from collections.abc import Mapping

import msgspec

from limen.kit.function_words import FUNCTION_WORDS_ELSEWHERE, weight_of_pair, without_fillers
from limen.kit.words import STOP_WORDS, other_forms, stem, words
from limen.store.library import AskedWord, Frequencies

_QUOTED = re.compile(r"\"([^\"\n]{2,200})\"|“([^”\n]{2,200})”|«([^»\n]{2,200})»")
# `auto-increment` is AUTOINCREMENT, and `e-mail` email, somewhere else.
_HYPHENED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_LONGEST_QUESTION_CHARS = 4_000
_MOST_WORDS = 32
# Words that a question is phrased with and that say little about what it asks for.
_PHRASING_TEXT = (
    "use used using get gets getting make makes making want need needs way ways work works show tell explain describe find "
    "know happen happens mean means thing things something possible example examples write give let best correct proper properly "
    "limen"  # its manual speaks of nothing else
)
_PHRASING = frozenset(_PHRASING_TEXT.split()) | FUNCTION_WORDS_ELSEWHERE
_WHOLE, _PLAIN, _PART, _PHRASED = 2.0, 1.0, 0.6, 0.3
# What a word counts that is only alike to one of the index.
_ALIKE = 0.4
# Signs of a programming language that stand alone: `->>`, `::`, `!=`, `||`, `@>`, but no dash, ellipsis or face.
_SIGNS = re.compile(r"::|[!#$%&*+\-/:<=>@\\^|~?]*[&<=>@|~^][!#$%&*+\-/:<=>@\\^|~?]*")
_MOST_SIGNS = 6
_NONE: Mapping[int, tuple[str, ...]] = {}


class Word(AskedWord, frozen=True):
    """A word to look up; its stem is empty for a quoted phrase, and for signs. `parts` stand for a word that the index lacks, as
    beginnings and parts of words."""

    stem: str = ""
    parts: tuple[str, ...] = ()


class Question(msgspec.Struct, frozen=True):
    """What is looked up for a question; empty when it has no word at all."""

    words: tuple[Word, ...] = ()


def parse(question: str) -> Question:
    """Quoted phrases and identifiers whole, then every word that is not a stop word; stop words where there is nothing else."""
    question = question[:_LONGEST_QUESTION_CHARS]
    quoted = [next(filter(None, groups)) for groups in _QUOTED.findall(question)]
    found: dict[str, Word] = {}
    for phrase in quoted:
        parts = words(phrase)
        _keep(found, Word(" ".join(phrase.split()), _WHOLE, stem=stem(parts[0]) if len(parts) == 1 else ""))
    bare = without_fillers(_QUOTED.sub(" ", question))
    for token in bare.split():
        if 1 < len(token) <= _MOST_SIGNS and _SIGNS.fullmatch(token):
            found.setdefault(token, Word(token, _WHOLE))
        for word in _of_token(token):
            _keep(found, word)
    if all(word.weight == _PHRASED for word in found.values()):
        for text in words(question):
            _keep(found, _word(text, _PLAIN))
    strong = [word for word in found.values() if word.weight > _PHRASED]
    return Question(tuple(strong if len(strong) > 1 else found.values())[:_MOST_WORDS])


def weighed(question: Question, frequencies: Frequencies, alike: Mapping[int, tuple[str, ...]] = _NONE) -> Question:
    """The question as the index can answer it: words that tell sections apart, rare ones counting more, those that others stand
    for (`alike`) less."""
    words = [
        msgspec.structs.replace(word, weight=word.weight * _ALIKE, parts=alike[at]) if at in alike else word
        for at, word in enumerate(question.words)
    ]
    telling = zip(words, frequencies.words, frequencies.telling, strict=True)
    weights = [(word, word.weight * math.log(1 + frequencies.sections / often)) for word, often, tells in telling if tells]
    return Question(tuple(msgspec.structs.replace(word, weight=weight) for word, weight in weights))


def share_known(question: Question, weighed: Question, frequencies: Frequencies) -> float:
    """The share (0 to 1) of a question's weight that the index holds at all. A word that it lacks weighs as its rarest would."""
    known = sum(word.weight for word in weighed.words if not word.parts)
    guessed = {word.text for word in weighed.words if word.parts}
    rarest = math.log(1 + 2 * frequencies.sections)
    unknown = sum(
        word.weight * rarest
        for word, often in zip(question.words, frequencies.words, strict=True)
        if not often or word.text in guessed
    )
    return known / (known + unknown) if known else 0.0


def _of_token(token: str) -> list[Word]:
    pieces = words(token)
    several = len(pieces) > 1 and pieces[0].isascii()
    kept = [_word(pieces[0].replace("-", ""), _WHOLE)] if several and _HYPHENED.fullmatch(pieces[0]) else []
    for index, text in enumerate(pieces):
        if several and index == 0:
            kept.append(_word(text, _WHOLE))
        elif text not in STOP_WORDS:
            kept.append(_word(text, _PHRASED if text in _PHRASING else _PART if several else _PLAIN * weight_of_pair(text)))
    return kept


def _word(text: str, weight: float) -> Word:
    return Word(text, weight, other_forms(text), stem=stem(text))


def _keep(found: dict[str, Word], word: Word) -> None:
    key = word.stem or word.text.casefold()
    if any(char.isalnum() for char in key) and (key not in found or found[key].weight < word.weight):
        found[key] = word
