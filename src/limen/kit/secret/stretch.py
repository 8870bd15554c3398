"""A long text in stretches, so that each rule reads only where one of its keywords stands."""

import re
from collections.abc import Iterator

# Long enough to be worth a pass of their own, short enough to hold few of the keywords.
STRETCH_CHARS = 32_768
# What two neighbours share: room for the longest armoured key.
SHARED_CHARS = 8_192
# How far back from its end a stretch may stop for a boundary.
_SLACK_CHARS = 4_096
_BOUNDARY = re.compile(r"[^A-Za-z0-9_-][A-Za-z0-9_-]*\Z")


def stretches(text: str) -> Iterator[tuple[int, str]]:
    """The text in overlapping stretches with where each begins; a short one whole. None begins or ends inside a word or a line
    where there is a better place near."""
    if len(text) <= STRETCH_CHARS + SHARED_CHARS:
        yield 0, text
        return
    start = 0
    while True:
        end = boundary(text, start + STRETCH_CHARS + SHARED_CHARS)
        yield start, text[start:end]
        if end == len(text):
            return
        start = boundary(text, start + STRETCH_CHARS)


def boundary(text: str, place: int) -> int:
    """A good place to cut at or a little before `place`: behind a line, else behind what is no part of a word."""
    if place >= len(text):
        return len(text)
    slack = max(place - _SLACK_CHARS, 0)
    newline = text.rfind("\n", slack, place)
    if newline >= 0:
        return newline + 1
    found = _BOUNDARY.search(text[slack:place])
    return slack + found.start() + 1 if found is not None else place
