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
        end = _boundary(text, start + STRETCH_CHARS + SHARED_CHARS)
        yield start, text[start:end]
        if end == len(text):
            return
        start = _boundary(text, start + STRETCH_CHARS)


def _boundary(text: str, place: int) -> int:
    """A good place to cut at or a little before `place`: behind a line, else behind what is no part of a word."""
    if place >= len(text):
        return len(text)
    newline = text.rfind("\n", place - _SLACK_CHARS, place)
    if newline >= 0:
        return newline + 1
    found = _BOUNDARY.search(text[place - _SLACK_CHARS : place])
    return place - _SLACK_CHARS + found.start() + 1 if found is not None else place
