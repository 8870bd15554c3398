"""Whether two pages say the same, where one of them claims to be the other."""

import re

_TOKEN = re.compile(r"\w+")
_SAME_SHARE = 0.8


def alike(one: str, other: str) -> bool:
    """Whether nearly all words of two texts are shared."""
    words, others = set(_TOKEN.findall(one.lower())), set(_TOKEN.findall(other.lower()))
    return len(words & others) >= _SAME_SHARE * max(len(words), len(others), 1)
