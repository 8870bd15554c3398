"""The passages of what was read that answer a question best, in the order they are shown."""

from collections.abc import Sequence

import msgspec

from limen.builtin.models.observed import FoundHit, Stretch
from limen.builtin.models.question import Question
from limen.kit.passages import Passage, split
from limen.kit.ranking import Candidate, Scored, rank, tells_little, without_duplicates

MOST_PASSAGES = 5
# Tuned on the development half of bench/answers.
_SHARE_OF_BEST = 0.5
_LEAST_COVERAGE = 0.34
# Among many texts some have a few words of any question; where a word of it stands in none, more of the others must fit.
_LEAST_AMONG_MANY, _LEAST_WITHOUT_A_WORD = 0.5, 0.6
_RANK_DECAY = 0.1
_ASIDE_WORTH = 0.6
# What stands first under a heading says what the rest is about.
_FIRST_WORTH = 1.4
_MOST_CHARS = 5_000


class Chosen(msgspec.Struct, frozen=True):
    """A passage with the stretch it stands in; `line` counts in the whole source, None when that is unknown."""

    passage: Passage
    stretch: Stretch
    line: int | None


class Reading(msgspec.Struct, frozen=True):
    """Passages of all that was read, best first, with the stretch of each.

    `telling` terms say what the question is about; `among_many` says that searching found more than it could show.
    """

    scored: tuple[Scored, ...]
    origins: tuple[Stretch, ...]
    telling: frozenset[str] = frozenset()
    among_many: bool = False

    @property
    def coverage(self) -> float:
        """The share of the question's weight that the best passage covers; 0 when nothing was read."""
        return self.scored[0].coverage if self.scored else 0.0

    @property
    def unheard(self) -> frozenset[str]:
        """What the question is about and no passage speaks of."""
        return self.telling.difference(*(item.held for item in self.scored))

    @property
    def fits(self) -> bool:
        """Whether the best passage answers the question rather than holds some of its words by chance."""
        return bool(self.scored) and self.coverage >= self._least_coverage and not self._by_one_common_word

    @property
    def _least_coverage(self) -> float:
        if not self.among_many:
            return _LEAST_COVERAGE
        return _LEAST_WITHOUT_A_WORD if self.unheard else _LEAST_AMONG_MANY

    @property
    def _by_one_common_word(self) -> bool:
        """Whether only one word of several fits, which other sources have too."""
        shared = self.scored[0].held & self.telling
        sources = {_source_key(self.origins[item.index]) for item in self.scored if shared <= item.held}
        return bool(self.unheard) and len(shared) < 2 and len(sources) > 1


def weigh(question: Question, stretches: Sequence[Stretch], hits: Sequence[FoundHit], *, among_many: bool = False) -> Reading:
    """Rank every passage of every stretch once; what a search put first has a head start."""
    candidates: list[Candidate] = []
    origins: list[Stretch] = []
    seen: set[tuple[str, str]] = set()
    for run, stretch in enumerate(stretches):
        prior = _prior(stretch, question, hits)
        above: tuple[str, ...] = ()
        for passage in split(stretch.text, whole=stretch.first_line == 1):
            key = (stretch.source or stretch.title, passage.text)
            worth = prior * _FIRST_WORTH if passage.headings != above else prior
            above = passage.headings
            if key not in seen:
                seen.add(key)
                candidates.append(Candidate(passage, stretch.title, worth, run))
                origins.append(stretch)
    return Reading(tuple(rank(question.asked, candidates)), tuple(origins), question.telling, among_many)


def _prior(stretch: Stretch, question: Question, hits: Sequence[FoundHit]) -> float:
    place = next((at for at, hit in enumerate(hits) if shows(stretch, hit.opens, hit.line or 1)), len(hits))
    worth = _ASIDE_WORTH if tells_little(stretch.title, question.asked.weights) else 1.0
    return worth / (1 + _RANK_DECAY * place)


def shows(stretch: Stretch, opens: str, line: int) -> bool:
    """Whether a stretch holds that line of that source; an address was shown as far as it was fetched."""
    if opens not in (stretch.opens, stretch.source, stretch.requested):
        return False
    first = stretch.first_line or 1
    return opens.startswith(("http://", "https://")) or first <= line <= first + stretch.text.count("\n")


def choose(reading: Reading) -> list[Chosen]:
    """The best passage and those that are at least half as good, best first; empty when none fits."""
    if not reading.fits:
        return []
    scored = reading.scored
    least = _SHARE_OF_BEST * scored[0].score
    fitting = (item for item in scored if item.score >= least and item.coverage >= _LEAST_COVERAGE)
    kept = _within(without_duplicates(fitting, MOST_PASSAGES))
    return [_chosen(item.passage, reading.origins[item.index]) for item in kept]


def opening(stretches: Sequence[Stretch]) -> list[Chosen]:
    """The first passages of what was read, for those who ask what it says and nothing else."""
    share = max(MOST_PASSAGES // max(len(stretches), 1), 1)
    return [
        _chosen(passage, stretch)
        for stretch in stretches[:MOST_PASSAGES]
        for passage in split(stretch.text, whole=stretch.first_line == 1)[:share]
    ]


def _within(kept: list[Scored]) -> list[Scored]:
    """As many as can be read at a glance; the best one whatever its size."""
    room = _MOST_CHARS
    fitting: list[Scored] = []
    for item in kept:
        room -= len(item.passage.text)
        if room >= 0 or not fitting:
            fitting.append(item)
    return fitting


def _chosen(passage: Passage, stretch: Stretch) -> Chosen:
    line = None if stretch.first_line is None else stretch.first_line + passage.line - 1
    return Chosen(passage, stretch, line)


def _source_key(stretch: Stretch) -> str:
    return str(stretch.n) if stretch.n is not None else stretch.source or stretch.title
