"""Stretches of a text that something was found in."""

from collections.abc import Iterable
from typing import NamedTuple

# Brackets that occur in no configuration or source file, so that a mask cannot be taken for the file's own text.
MASK = "⟦masked {rule}⟧"


class Found(NamedTuple):
    """A finding: which rule, and the characters from `start` up to `end`."""

    rule: str
    start: int
    end: int


def merge(found: Iterable[Found]) -> list[Found]:
    """Findings in order, overlapping ones as one under the name of the first."""
    merged: list[Found] = []
    for finding in sorted(found, key=lambda one: (one.start, -one.end)):
        if merged and finding.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Found(last.rule, last.start, max(last.end, finding.end))
        else:
            merged.append(finding)
    return merged


def replace_spans(text: str, found: Iterable[Found], mark: str) -> str:
    """`text` with each finding replaced by `mark`, in which `{rule}` names the rule. Findings must not overlap."""
    pieces = []
    position = 0
    for finding in found:
        pieces += [text[position : finding.start], mark.format(rule=finding.rule)]
        position = finding.end
    return "".join([*pieces, text[position:]])
