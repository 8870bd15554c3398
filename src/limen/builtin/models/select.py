"""The passages of what was read that answer a question best, in the order they are shown."""

from collections.abc import Sequence

import msgspec

from limen.builtin.models.observed import Stretch
from limen.builtin.models.question import Question
from limen.kit.passages import Passage, split
from limen.kit.ranking import Scored, rank, without_duplicates

MOST_PASSAGES = 5
# Tuned on the development half of bench/answers.
_SHARE_OF_BEST = 0.45
_LEAST_COVERAGE = 0.34
_MOST_CHARS = 5_000


class Chosen(msgspec.Struct, frozen=True):
    """A passage with the stretch it stands in; `line` counts in the whole source, None when that is unknown."""

    passage: Passage
    stretch: Stretch
    line: int | None


def choose(question: Question, stretches: Sequence[Stretch]) -> list[Chosen]:
    """Up to five passages: the source of the best one first, passages of one source in its order; empty when none fits."""
    scored, origins = _ranked(question, stretches)
    if not scored or scored[0].coverage < _LEAST_COVERAGE:
        return []
    least = _SHARE_OF_BEST * scored[0].score
    fitting = (item for item in scored if item.score >= least and item.coverage >= _LEAST_COVERAGE)
    kept = _within(without_duplicates(fitting, MOST_PASSAGES))
    return _ordered([_chosen(item.passage, origins[item.index]) for item in kept])


def best_coverage(question: Question, stretches: Sequence[Stretch]) -> float:
    """The share of the question's weight that the best passage covers; 0 when nothing was read."""
    scored, _ = _ranked(question, stretches)
    return scored[0].coverage if scored else 0.0


def _ranked(question: Question, stretches: Sequence[Stretch]) -> tuple[list[Scored], list[Stretch]]:
    passages: list[Passage] = []
    origins: list[Stretch] = []
    seen: set[tuple[str, str]] = set()
    for stretch in stretches:
        for passage in split(stretch.text):
            key = (stretch.source or stretch.title, passage.text)
            if key not in seen:
                seen.add(key)
                passages.append(passage)
                origins.append(stretch)
    titles = [stretch.title for stretch in origins]
    return rank(f"{question.text} {' '.join(question.topic)}", passages, weights=question.weights, titles=titles), origins


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
