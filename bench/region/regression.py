"""Logistic regressions over names, fitted with numpy alone."""

import hashlib
from collections import defaultdict

import numpy as np
from samples import Sample

from limen.reading.region.weights import TYPES, Weights

# A name counts where it stands on this many hosts; of those the ones that tell most are kept.
BLOCK_HOSTS, BLOCK_NAMES, BLOCK_DAMPING = 20, 400, 20.0
PAGE_HOSTS, PAGE_NAMES, PAGE_DAMPING = 12, 400, 3.0
_DIGITS = 3
# Names of a site's own making. The others may count otherwise on articles.
_OWN = ("says:", "head:", "c:", "item", "role:", "title", "rule:", "data-")
_ARTICLE = TYPES.index("article")


def fold_of(host: str, folds: int) -> int:
    return int(hashlib.sha256(host.encode()).hexdigest(), 16) % folds


def fitted_weights(samples: list[Sample], folds: int = 5) -> Weights:
    """Weights of pages and blocks. What blocks learn of a page's type is what pages of other hosts say it is."""
    guesses = np.zeros((len(samples), len(TYPES)))
    held = np.array([fold_of(f"inner {sample.host}", folds) for sample in samples])
    for fold in range(folds):
        inner = fit_pages([sample for sample, at in zip(samples, held, strict=True) if at != fold])
        for i in np.flatnonzero(held == fold):
            guesses[i] = _shares(inner, samples[i])
    page_start, pages = fit_pages(samples)
    return Weights(*fit_blocks(samples, guesses), page_start, pages)


def _shares(fitted: tuple, sample: Sample) -> tuple[float, ...]:
    return Weights(0.0, (0.0,) * len(TYPES), {}, {}, *fitted).type_shares(sample.page)


def fit_pages(samples: list[Sample]) -> tuple[tuple[float, ...], dict[str, tuple[float, ...]]]:
    names = _common([(sample.host, sample.page) for sample in samples], PAGE_HOSTS)
    matrix = np.array([[name in sample.page for name in names] for sample in samples], float)
    kinds = np.array([TYPES.index(sample.type) for sample in samples])
    start, found = _softmax(matrix, kinds, PAGE_DAMPING)
    telling = np.abs(found - found.mean(1, keepdims=True)).max(1) * matrix.std(0)
    chosen = np.sort(np.argsort(-telling)[:PAGE_NAMES])
    start, found = _softmax(matrix[:, chosen], kinds, PAGE_DAMPING)
    found -= found.mean(1, keepdims=True)
    rows = {names[place]: tuple(round(float(v), _DIGITS) for v in row) for place, row in zip(chosen, found, strict=True)}
    return tuple(round(float(v), _DIGITS) for v in start), rows


def _softmax(matrix: np.ndarray, kinds: np.ndarray, damping: float) -> tuple[np.ndarray, np.ndarray]:
    count, width = len(TYPES), matrix.shape[1]
    target = np.eye(count)[kinds]

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        start, weights = flat[:count], flat[count:].reshape(width, count)
        scores = matrix @ weights + start
        scores -= scores.max(1, keepdims=True)
        odds = np.exp(scores)
        shares = odds / odds.sum(1, keepdims=True)
        gap = shares - target
        value = -np.log(shares[np.arange(len(kinds)), kinds] + 1e-12).sum() + damping * (weights**2).sum() / 2
        return value, np.concatenate([gap.sum(0), (matrix.T @ gap + damping * weights).ravel()])

    flat = minimum(loss, np.zeros(count * (width + 1)))
    return flat[:count], flat[count:].reshape(width, count)


def fit_blocks(samples: list[Sample], guesses: np.ndarray) -> tuple[float, tuple[float, ...], dict, dict]:
    """The start, what types add, what names add, and what names add on articles."""
    rows = [row for sample in samples for row in sample.rows]
    names = _common([(sample.host, row) for sample in samples for row in sample.rows], BLOCK_HOSTS)
    right = np.concatenate([sample.right for sample in samples])
    mass = np.concatenate([np.sqrt(sample.sizes / max(sample.sizes.sum(), 1)) for sample in samples])
    mass *= len(mass) / mass.sum()
    types = np.repeat(guesses, [len(sample.rows) for sample in samples], axis=0)
    columns = Columns(rows, names, types[:, _ARTICLE])
    flat = _logistic(columns, types, right, mass)
    columns.keep(np.sort(np.argsort(-np.abs(flat[1 + len(TYPES) :]) * columns.spread())[:BLOCK_NAMES]))
    flat = [round(float(value), _DIGITS) for value in _logistic(columns, types, right, mass)]
    first = 1 + len(TYPES)
    found = dict(zip(columns.names, flat[first:], strict=True))
    plain = {name: value for (kind, name), value in found.items() if not kind}
    return flat[0], tuple(flat[1:first]), plain, {name: value for (kind, name), value in found.items() if kind}


class Columns:
    """A sparse matrix: which column stands in which row with what value.

    Columns are `(0, name)`, and `(1, name)` for articles.
    """

    def __init__(self, rows: list[list[str]], names: list[str], article: np.ndarray) -> None:
        self.count = len(rows)
        self.names = [(0, name) for name in names] + [(1, name) for name in names if not name.startswith(_OWN)]
        places = {name: i for i, name in enumerate(names)}
        second = {name: i for i, (kind, name) in enumerate(self.names) if kind}
        plain = [[places[name] for name in row if name in places] for row in rows]
        again = [[second[name] for name in row if name in second] for row in rows]
        self.at = np.concatenate([np.repeat(np.arange(self.count), [len(row) for row in each]) for each in (plain, again)])
        self.column = np.array([i for each in (plain, again) for row in each for i in row], dtype=np.int32)
        self.value = np.ones(len(self.at))
        self.value[sum(map(len, plain)) :] = article[self.at[sum(map(len, plain)) :]]

    def spread(self) -> np.ndarray:
        """The standard deviation of each column."""
        mean = np.bincount(self.column, self.value, len(self.names)) / self.count
        square = np.bincount(self.column, self.value**2, len(self.names)) / self.count
        return np.sqrt(np.maximum(square - mean**2, 0))

    def keep(self, chosen: np.ndarray) -> None:
        """Drop all other columns."""
        new = np.full(len(self.names), -1, dtype=np.int32)
        new[chosen] = np.arange(len(chosen))
        stay = new[self.column] >= 0
        self.at, self.column, self.value = self.at[stay], new[self.column][stay], self.value[stay]
        self.names = [self.names[i] for i in chosen]


def _logistic(columns: Columns, extra: np.ndarray, right: np.ndarray, mass: np.ndarray) -> np.ndarray:
    first, width = 1 + extra.shape[1], len(columns.names)

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        scores = flat[0] + extra @ flat[1:first]
        scores += np.bincount(columns.at, flat[first:][columns.column] * columns.value, columns.count)
        gap = mass * (1 / (1 + np.exp(-np.clip(scores, -40, 40))) - right)
        value = (mass * (np.logaddexp(0, scores) - right * scores)).sum() + BLOCK_DAMPING * (flat[1:] ** 2).sum() / 2
        slopes = np.bincount(columns.column, gap[columns.at] * columns.value, width)
        return value, np.concatenate([[gap.sum()], extra.T @ gap, slopes]) + BLOCK_DAMPING * np.concatenate([[0], flat[1:]])

    return minimum(loss, np.zeros(first + width))


def _common(rows: list[tuple[str, object]], least: int) -> list[str]:
    """The names that stand in rows of so many hosts."""
    hosts = defaultdict(set)
    for host, row in rows:
        for name in row:
            hosts[name].add(host)
    return sorted(name for name, where in hosts.items() if len(where) >= least)


def minimum(loss, start: np.ndarray, steps: int = 100, memory: int = 10) -> np.ndarray:
    """Where a smooth convex loss is least: L-BFGS with a backtracking line search."""
    point, pairs = start, []
    value, slope = loss(point)
    for _ in range(steps):
        direction = -_against_curvature(slope, pairs)
        step, drop = (1.0 if pairs else 1.0 / max(np.abs(slope).sum(), 1.0)), slope @ direction
        while True:
            there = point + step * direction
            new_value, new_slope = loss(there)
            if new_value <= value + 1e-4 * step * drop or step < 1e-12:
                break
            step /= 2
        moved, turned = there - point, new_slope - slope
        if moved @ turned > 1e-12:
            pairs = [*pairs[1 - memory :], (moved, turned)]
        done = value - new_value < 1e-6 * max(abs(value), 1.0)
        point, value, slope = there, new_value, new_slope
        if done:
            break
    return point


def _against_curvature(slope: np.ndarray, pairs: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The slope times the inverse curvature that past moves and turns show."""
    found, shares = slope.copy(), []
    for moved, turned in reversed(pairs):
        share = (moved @ found) / (moved @ turned)
        shares.append(share)
        found -= share * turned
    if pairs:
        moved, turned = pairs[-1]
        found *= (moved @ turned) / (turned @ turned)
    for (moved, turned), share in zip(pairs, reversed(shares), strict=True):
        found += moved * (share - (turned @ found) / (moved @ turned))
    return found
