"""How well the choice does on pages of hosts it has not seen."""

import statistics
import time
from collections import Counter, defaultdict

import numpy as np
from regression import fitted_weights, fold_of
from samples import Sample

from limen.reading.html.page import read_html
from limen.reading.markup.markdown import write_markdown
from limen.reading.region.weights import TYPES


def judge(samples: list[Sample], folds: int, score) -> None:
    read: dict[str, tuple] = {}
    held = np.array([fold_of(sample.host, folds) for sample in samples])
    for fold in range(folds):
        weights = fitted_weights([sample for sample, at in zip(samples, held, strict=True) if at != fold])
        for i in np.flatnonzero(held == fold):
            started = time.process_time()
            page = read_html(samples[i].html, samples[i].url, "text/html", "", write_markdown, weights)
            spent = (time.process_time() - started) * 1_000
            read[samples[i].id] = (page.text, page.page_type, spent)
        print(f"fold {fold}: {np.sum(held == fold)} pages", flush=True)
    for which in ("mixed", "articles"):
        _table([sample for sample in samples if sample.which == which], read, which, score)
    _confusion([sample for sample in samples if sample.which == "mixed"], read)
    spent = sorted(one[2] for one in read.values())
    print(f"CPU ms a page: median {statistics.median(spent):.1f}, p95 {spent[int(len(spent) * 0.95)]:.1f}, most {spent[-1]:.0f}")


def _table(samples: list[Sample], read: dict[str, tuple], which: str, score) -> None:
    scores, junk, structure = defaultdict(list), [], defaultdict(lambda: [0, 0])
    for sample in samples:
        markdown = read[sample.id][0]
        text = score.plain(markdown)
        count = score.words if which == "mixed" else score.shingles
        scores[sample.type].append(score.overlap(count(text), count(sample.truth)))
        if sample.unwanted:
            junk.append(sum(each.lower() in text.lower() for each in sample.unwanted) / len(sample.unwanted))
        if which == "mixed" and len(sample.html) < 600_000:
            try:
                found = score.structures(sample.html, sample.truth)
            except Exception:  # noqa: BLE001 - lxml refuses the page, or is not there: no figure of structure from it
                continue
            for kind, (good, whole) in score.kept(found, markdown).items():
                structure[kind][0] += good
                structure[kind][1] += whole
    everything = [pair for pairs in scores.values() for pair in pairs]
    precision, recall = (statistics.mean(column) for column in zip(*everything, strict=True))
    types = {kind: statistics.mean(map(_f1, pairs)) for kind, pairs in sorted(scores.items())}
    total = statistics.mean(map(_f1, everything)) if which == "mixed" else _f1((precision, recall))
    macro = f" macro {statistics.mean(types.values()):.4f}," if which == "mixed" else ""
    unwanted = f", unwanted {statistics.mean(junk):.4f}" if junk else ""
    print(f"{which}: {len(samples)} pages, F1 {total:.4f},{macro} P {precision:.4f}, R {recall:.4f}{unwanted}")
    if which == "mixed":
        print("  " + "  ".join(f"{kind} {value:.3f}" for kind, value in types.items()))
        print("  " + "  ".join(f"{kind} {good / whole:.1%} of {whole}" for kind, (good, whole) in sorted(structure.items())))


def _f1(pair: tuple[float, float]) -> float:
    return 2 * pair[0] * pair[1] / sum(pair) if sum(pair) else 0.0


def _confusion(samples: list[Sample], read: dict[str, tuple]) -> None:
    counts = Counter((sample.type, read[sample.id][1]) for sample in samples)
    right = sum(counts[kind, kind] for kind in TYPES)
    print(f"page types: {right / len(samples):.1%} right; rows are the truth")
    print(" " * 15 + "".join(f"{kind[:8]:>9}" for kind in TYPES))
    for kind in TYPES:
        print(f"{kind:15}" + "".join(f"{counts[kind, guess]:9}" for guess in TYPES))
