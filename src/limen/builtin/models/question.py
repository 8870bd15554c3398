"""What a person asks, as far as words alone tell: addresses, references, the words to look for, or small talk."""

import re
from collections.abc import Collection, Mapping, Sequence

import msgspec

from limen.builtin.models.thesaurus import Written, written_for
from limen.kit.function_words import FUNCTION_WORDS_ELSEWHERE, ideographs, weight_of_pair, without_fillers
from limen.kit.operators import plainly, read_query
from limen.kit.ranking import Asked, question_terms
from limen.kit.words import STOP_WORDS, is_unspaced, stem, terms, words

_URL = re.compile(r"https?://[^\s<>\"'`，。）]+", re.IGNORECASE)
_TRAILING = ".,;:!?)]}*_"
_REFERENCE = re.compile(r"(?<![\w/])(?:lib:[\w./#:-]{1,200}|ev_[0-9a-f]{6,64})")
_SUM = re.compile(
    r"^(?:what\s+is|what's|calculate|compute|how\s+much\s+is)?\s*[\d.,\s+\-*/×÷^%()=]*\d\s*[+\-*/×÷^%]\s*[\d.,\s+\-*/×÷^%()=]+\??$",
    re.I,
)
_GREETING = re.compile(
    r"^(?:hi|hello|hey|hallo|good\s+(?:morning|day|evening)|thanks?(?:\s+you)?|thank\s+you(?:\s+very\s+much)?|ok(?:ay)?|bye|test|"
    r"yes|no|how\s+are\s+you|who\s+are\s+you|what\s+are\s+you|what\s+can\s+you\s+do|help)(?:\s+(?:there|limen))?[\s!.?]*$",
    re.IGNORECASE,
)
_POINTING = "it its that this them they these those one ones same he she there then"
_POINTS_BACK = frozenset(_POINTING.split())
_GOES_ON = re.compile(r"^(?:and|but|or|what\s+about|how\s+about|why\s+not|also)\b", re.IGNORECASE)
# What questions are phrased with, in any subject: it counts for less than what they are about.
_PHRASES = (
    "actually after again already also always another anything around away back before best between both certain correct "
    "describe difference each else every everything example explain find first get gets getting give gives go goes good "
    "got happen happened happens instead itself keep kind know let lets like long lot made make makes making mean means "
    "need needs never one out over possible proper properly put really right same see show somebody someone something "
    "still such sure take tell thing things together two up want wants way ways whole work working works inside outside down "
    "alone anyone anybody anywhere nobody nowhere everyone everybody everywhere somewhere "
    "limen"  # the program's manual speaks of nothing else
)
_PHRASING = frozenset(stem(word) for word in (*_PHRASES.split(), *FUNCTION_WORDS_ELSEWHERE))
_OVERVIEWS = "summarize summarise summary overview page article document text content read open say says link url site website"
_OVERVIEW = frozenset(stem(word) for word in _OVERVIEWS.split())
_LONGEST_CHARS = 4_000
_SHORT_TERMS = 3
_EARLIER_MESSAGES = 6
_QUERY_TERMS = 16
_PHRASING_WEIGHT = 0.2
_EARLIER_WEIGHT = 0.5
_IDEOGRAPH_WEIGHT = 0.3
_IMPLIED_WEIGHT = 0.5
_ALIKE = 0.7
_VARIANTS = 2
MOST_URLS = 5


class Question(msgspec.Struct, frozen=True):
    """A question taken apart. `topic` holds words of earlier questions that a follow-up leaves unsaid; `operators` are those of a
    search, as they were written."""

    text: str
    urls: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()

    @property
    def query(self) -> str:
        """The words to search for, as the person wrote them, without grammar."""
        return " ".join((*plainly(content_words(self.text)[:_QUERY_TERMS]), *self.topic, *self.operators))

    @property
    def other_queries(self) -> tuple[str, ...]:
        """The same question in words that documents use: first the likeliest of each, then the next."""
        written = written_for(self.text)
        variants = (_reworded(self.text, written, choice) for choice in range(_VARIANTS))
        queries = (" ".join((*plainly(variant), *self.topic, *self.operators)) for variant in variants if variant)
        return tuple(query for query in dict.fromkeys(queries) if query != self.query)

    @property
    def wants_overview(self) -> bool:
        """Whether a page or reference is named and nothing is asked of it but what it says."""
        return bool(self.urls or self.references) and set(terms(self.text)) <= _PHRASING | _OVERVIEW

    @property
    def asked(self) -> Asked:
        """What passages are ranked by."""
        text = without_fillers(self.text)
        weights = {term: _EARLIER_WEIGHT for word in self.topic for term in question_terms(word)}
        weights |= dict.fromkeys(ideographs(text), _IDEOGRAPH_WEIGHT)
        weights |= {term: _weight(term) for term in question_terms(text)}
        alike: dict[str, dict[str, float]] = {}
        for phrase, written in written_for(text).items():
            instead = {stem(word): _ALIKE for word in written.words}
            said = [term for term in phrase if term in weights]
            if said:
                weights[said[-1]] = 1.0
            else:  # grammar alone, such as `about to`, is only looked for by what documents write
                said = list(instead)[:1]
                weights.setdefault(said[0], _IMPLIED_WEIGHT)
            for term in said:
                alike.setdefault(term, {}).update(instead)
        return Asked(weights, alike)

    @property
    def telling(self) -> frozenset[str]:
        """The terms that say what is asked about."""
        weights = self.asked.weights.items()
        return frozenset(term for term, weight in weights if weight == 1.0 and term not in _PHRASING and not is_unspaced(term))

    def said_of(self, terms_: Collection[str]) -> tuple[str, ...]:
        """The words of the question that these terms come from, as they were written; none for what only helps to find."""
        return tuple(word for word in keywords(self.text) if not is_unspaced(word) and set(terms(word)) & set(terms_))


def _weight(term: str) -> float:
    return _PHRASING_WEIGHT if term in _PHRASING else weight_of_pair(term)


def _reworded(text: str, written: Mapping[tuple[str, ...], Written], choice: int) -> list[str]:
    """The keywords of `text` with documents' words in place of everyday ones."""
    chosen = [entry.words[min(choice, len(entry.words) - 1)] for entry in written.values() if entry.instead]
    if not chosen:
        return []
    replaced = {term for phrase, entry in written.items() if entry.instead for term in phrase}
    kept = [word for word in keywords(text) if not set(terms(word)) <= replaced]
    return [*dict.fromkeys([*chosen, *kept])][:_QUERY_TERMS]


def parse(text: str, earlier: Sequence[str] = ()) -> Question:
    """Take apart the latest message of a person; `earlier` are those before it, oldest first.

    A follow-up is about what was spoken of: the unsaid words, and the pages that were named with them.
    """
    text = text[:_LONGEST_CHARS]
    bare = _REFERENCE.sub(" ", _URL.sub(" ", text)).strip()
    leading = _spoken_of(earlier) if _leans_back(bare) and not is_small_talk(bare) else []
    urls, references = _named(text)
    if not urls and not references and leading:
        urls, references = _named("\n".join(leading))
    asked = read_query(bare)
    text = asked.words if asked.operators and words(asked.words) else bare
    return Question(text, urls, references, _topic(bare, leading), asked.operators)


def _named(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The addresses and the references in a text, each once."""
    urls = dict.fromkeys(match[0].rstrip(_TRAILING) for match in _URL.finditer(text))
    references = dict.fromkeys(match[0].rstrip(".:") for match in _REFERENCE.finditer(_URL.sub(" ", text)))
    return tuple(urls), tuple(references)


def is_small_talk(text: str) -> bool:
    """Whether a message holds nothing that passages of documents could answer: empty, a greeting, a sum."""
    text = text.strip()
    return not words(text) or bool(_GREETING.match(text[:200])) or bool(_SUM.match(text[:200]))


def content_words(text: str) -> list[str]:
    """The words of `text` without grammar, in order, each once, as they were written; all words when there is nothing else."""
    kept: dict[str, str] = {}
    for token in text.split():
        token = token.strip("?!,;:[]{}\"'“”‘’«»…").rstrip(".")
        token = token if "(" in token[1:] else token.strip("()")
        pieces = words(token)
        if pieces and not all(piece in STOP_WORDS for piece in pieces):
            kept.setdefault(token.lower(), token)
    return list(kept.values()) or words(text)


def keywords(text: str) -> list[str]:
    """The content words of `text` that say what it is about, without those it is phrased with."""
    kept = content_words(text)
    return [word for word in kept if not set(terms(word)) <= _PHRASING] or kept


def _leans_back(text: str) -> bool:
    """Whether a question is too short to stand alone, or points at what was said before."""
    own = [term for term in terms(text) if term not in _PHRASING]
    pointing = any(word in _POINTS_BACK for word in words(text))
    return not own or (len(own) <= _SHORT_TERMS and (pointing or bool(_GOES_ON.match(text))))


def _spoken_of(earlier: Sequence[str]) -> list[str]:
    """The latest earlier messages, newest first, back to the one that stands alone."""
    found: list[str] = []
    for before in reversed(earlier[-_EARLIER_MESSAGES:]):
        if is_small_talk(before):
            continue
        found.append(before[:_LONGEST_CHARS])
        if not _leans_back(before):
            break
    return found


def _topic(text: str, leading: Sequence[str]) -> tuple[str, ...]:
    """The keywords of what was spoken of that `text` does not say itself."""
    own = set(terms(text))
    found: dict[str, str] = {}
    for before in leading:
        for word in keywords(_REFERENCE.sub(" ", _URL.sub(" ", before))):
            if not set(terms(word)) <= own:
                found.setdefault(word.lower(), word)
    return tuple(found.values())[:_QUERY_TERMS]
