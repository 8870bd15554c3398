"""What a CI or container log puts before each line of a program, left aside to recognise the line; quotes keep it."""

import re

_STAMP = r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?"
# All repeats are bounded, so that no line makes it slow.
_PREFIX = re.compile(
    r"(?:\[task [^\]]{1,60}\] ?"  # Taskcluster
    rf"|[^\t]{{1,80}}\t[^\t]{{1,80}}\t{_STAMP} "  # GitHub's log of a run: job, step, time
    rf"|{_STAMP} ?"
    r"|\d\d:\d\d:\d\d(?:[.,]\d{1,9})? {1,9}(?:(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) - {1,2})?"  # Mozharness
    r"|\[\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\] ?"
    r"|#\d{1,6} \d{1,9}\.\d{1,9} "  # docker build
    r"|[A-Za-z][\w.-]{0,60} {1,40}\| ?){1,3}"  # docker compose
)


def prefix_end(text: str) -> int:
    """Where the program's own text begins in a line."""
    first = text[:1]
    if not (first in "[#" or first.isdigit() or (first.isalpha() and ("|" in text[:80] or "\t" in text[:80]))):
        return 0
    found = _PREFIX.match(text)
    return found.end() if found is not None else 0
