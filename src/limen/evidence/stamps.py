"""Times in lines, and what a collector of logs puts before each line."""

import re

TIME = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d[T -]\d\d[:.]\d\d[:.]\d\d(?:[.,]\d{1,9})?Z?|\b[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d\b"
    r"|\b\d\d:\d\d:\d\d\b"
)
"""A time as logs write it."""

_STAMP = re.compile(r"\[[\w-]+ \d{4}-\d\d-\d\d[T ][\d:.]+Z\] |\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z ")


def stamp_end(text: str) -> int:
    """Where the line itself begins behind a collector's stamp; 0 without one."""
    stamp = _STAMP.match(text)
    return stamp.end() if stamp is not None else 0
