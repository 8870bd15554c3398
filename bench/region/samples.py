"""Labelled pages as the reader sees them: names for each block and page, and how much of each block the truth holds."""

import gzip
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from limen.reading.html.page import prepare, sight_of
from limen.reading.region.main_part import Sight

WORD = re.compile(r"\w+")
_GRAM = 4
_SHORT_WORDS = 6
_SECOND_LEVEL = frozenset({"co", "com", "org", "ac", "gov", "edu", "net", "or", "ne"})


@dataclass
class Sample:
    """A page: `rows` are the names of its blocks, `right` the share of each block's words (`sizes`) that is wanted."""

    id: str
    which: str
    url: str
    host: str
    type: str
    html: str
    truth: str
    unwanted: list[str]
    rows: list[list[str]]
    page: frozenset[str]
    sizes: np.ndarray
    right: np.ndarray


def load_samples(data: Path) -> list[Sample]:
    samples = []
    for which in ("mixed", "articles"):
        for line in _unpacked(data / f"{which}.jsonl.gz").split("\n")[:-1]:
            row = json.loads(line)
            samples.append(_sample(which, row, _unpacked(data / "html" / f"{row['id']}.html.gz")))
    return samples


def _unpacked(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode("utf-8", "replace")


def _sample(which: str, row: dict, html: str) -> Sample:
    sight = sight_of(prepare(html, row["url"]))
    words = [[word.lower() for word in WORD.findall(block.text)] for block in sight.layout.blocks]
    return Sample(
        id=row["id"],
        which=which,
        url=row["url"],
        host=registrable(row["url"]),
        type="article" if which == "articles" else row["type"],
        html=html,
        truth=row["text"],
        unwanted=row.get("must_not") or [],
        rows=names_of(sight),
        page=sight.page,
        sizes=np.array([len(each) for each in words], float),
        right=np.array(labels(words, row["text"])),
    )


def names_of(sight: Sight) -> list[list[str]]:
    """All names that hold for each block, each once."""
    around = sight.around
    inherited = list(around.names)
    by_part: dict[int, list[str]] = {}
    for index in {block.part for block in sight.layout.blocks}:
        by_part[index] = [*(name for place, name in enumerate(inherited) if around.far[index] >> place & 1), *around.near(index)]
    return [
        list(dict.fromkeys([*by_part[block.part], *row]))
        for block, row in zip(sight.layout.blocks, sight.traits.rows, strict=True)
    ]


def registrable(url: str) -> str:
    """The part of a host that one owner registers, near enough."""
    labels_ = (urlsplit(url).hostname or url).split(".")
    return ".".join(labels_[-3 if len(labels_) > 2 and len(labels_[-1]) == 2 and labels_[-2] in _SECOND_LEVEL else -2 :])


def labels(blocks: list[list[str]], truth: str) -> list[float]:
    """Which share of each block's words lies in four words in a row that the truth has too.

    What a page says more often than the truth counts where the longest agreement is. Blocks too short for four words count as
    well where they are a line of the truth that no other block is.
    """
    wanted = WORD.findall(truth.lower())
    grams = Counter(zip(*(wanted[n:] for n in range(_GRAM)), strict=False))
    words = [word for block in blocks for word in block]
    places = [i for i, gram in enumerate(zip(*(words[n:] for n in range(_GRAM)), strict=False)) if gram in grams]
    hit = np.zeros(len(words) + 1)
    for place in _best_places(words, places, grams):
        hit[place : place + _GRAM] = 1
    ends = np.cumsum([0, *map(len, blocks)])
    sums = np.concatenate([[0], np.cumsum(hit)])
    shares = [(sums[end] - sums[start]) / max(end - start, 1) for start, end in pairwise(ends)]
    lines = Counter(" ".join(WORD.findall(line.lower())) for line in truth.splitlines())
    texts = [" ".join(block) for block in blocks]
    lines.subtract(text for text, share in zip(texts, shares, strict=True) if share > 0.5)
    for i, text in enumerate(texts):
        if text and shares[i] < 0.5 and len(blocks[i]) <= _SHORT_WORDS and lines[text] > 0:
            shares[i] = 1.0
            lines[text] -= 1
    return shares


def _best_places(words: list[str], places: list[int], grams: Counter) -> list[int]:
    """Of the places of each gram as many as the truth has, those within the longest runs first."""
    length: dict[int, int] = {}
    run: list[int] = []
    for place in [*places, -1]:
        if run and place != run[-1] + 1:
            length |= dict.fromkeys(run, len(run))
            run = []
        run.append(place)
    by_gram = defaultdict(list)
    for place in places:
        by_gram[tuple(words[place : place + _GRAM])].append(place)
    return [place for gram, found in by_gram.items() for place in sorted(found, key=lambda p: -length[p])[: grams[gram]]]
