"""The passages of what was read that answer a question best, in the order they are shown."""

from collections.abc import Sequence

import msgspec

from limen.builtin.models.observed import FoundHit, Stretch
from limen.builtin.models.question import Question
from limen.kit.passages import Passage, split
from limen.kit.ranking import Candidate, Scored, rank, tells_little, without_duplicates

MOST_PASSAGES = 5
# Tuned on the development half of bench/answers.
_SHARE_OF_BEST = 0.2
_LEAST_COVERAGE = 0.34
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
    """Passages of all that was read, best first, with the stretch of each."""

    scored: tuple[Scored, ...]
    origins: tuple[Stretch, ...]

    @property
    def coverage(self) -> float:
        """The share of the question's weight that the best passage covers; 0 when nothing was read."""
        return self.scored[0].coverage if self.scored else 0.0


def weigh(question: Question, stretches: Sequence[Stretch], hits: Sequence[FoundHit]) -> Reading:
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
    return Reading(tuple(rank(question.asked, candidates)), tuple(origins))


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
    """Up to five passages: the source of the best one first, passages of one source in its order; empty when none fits."""
    scored = reading.scored
    if not scored or scored[0].coverage < _LEAST_COVERAGE:
        return []
    least = _SHARE_OF_BEST * scored[0].score
    fitting = (item for item in scored if item.score >= least and item.coverage >= _LEAST_COVERAGE)
    kept = _within(without_duplicates(fitting, MOST_PASSAGES))
    return _ordered([_chosen(item.passage, reading.origins[item.index]) for item in kept])


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


def _ordered(chosen: list[Chosen]) -> list[Chosen]:
    places: dict[str, int] = {}
    for item in chosen:
        places.setdefault(_source_key(item.stretch), len(places))
    return sorted(chosen, key=lambda item: (places[_source_key(item.stretch)], item.line or 0))


def _source_key(stretch: Stretch) -> str:
    return str(stretch.n) if stretch.n is not None else stretch.source or stretch.title
