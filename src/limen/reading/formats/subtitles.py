"""Subtitles to a Page: what is said, with the time at which it begins."""

import re
from collections.abc import Iterator
from itertools import pairwise

from limen.core.web import Page
from limen.reading.text_kind import Media

_TIMES = re.compile(r"[ \t]*((?:\d{1,3}:)?\d{1,2}:\d\d)[,.]\d{1,3}[ \t]+-->[ \t]+(?:\d{1,3}:)?\d{1,2}:\d\d[,.]\d{1,3}\b[^\n]*")
_NUMBER = re.compile(r"[ \t]*\d{1,9}[ \t]*")
_TAG = re.compile(r"</?(?:[biuscv]|ruby|rt|lang|font|v)\b[^<>]{0,200}>|<\d[\d:.]{3,20}>|\{\\[^{}]{1,40}\}", re.IGNORECASE)
_SPEAKER = re.compile(r"<v(?:\.[^\s<>]{0,80})?[ \t]+([^<>]{1,80})>")
_TITLE = re.compile(r"WEBVTT[ \t]+-?[ \t]*([^\n]{1,200})")


def read_subtitles(text: str, _url: str, _media: Media) -> Page:
    """A line for each cue: `[0:01:05] words`. What one cue repeats of the last, as captions that roll do, is left out."""
    title = _TITLE.match(text)
    lines: list[str] = []
    last: frozenset[str] = frozenset()
    for time, said in _cues(text.split("\n")):
        fresh = [line for line in said if line not in last]
        if fresh:
            lines.append(f"[{time}] {' '.join(fresh)}")
        last = frozenset(said) or last
    return Page(title=title.group(1).strip() if title else "", text="\n".join(lines))


def _cues(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Start and lines of each cue. A number or a name stands on the line before its times."""
    starts = [
        (number, found.group(1)) for number, line in enumerate(lines) if "-->" in line and (found := _TIMES.fullmatch(line))
    ]
    for (number, time), (following, _) in pairwise([*starts, (len(lines), "")]):
        said = []
        for line in lines[number + 1 : following]:
            if not line.strip():
                break
            said.append(line)
        if following == number + 1 + len(said) and said and _NUMBER.fullmatch(said[-1]):
            del said[-1]
        words = (" ".join(_TAG.sub("", _SPEAKER.sub(r"\1: ", line)).split()) for line in said)
        yield time, [line for line in words if line]
