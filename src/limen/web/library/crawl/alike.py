"""Which pages say the same: to the letter, or nearly where one of them claims to be the other."""

import re
from collections.abc import Mapping

_TOKEN = re.compile(r"\w+")
_SAME_SHARE = 0.8


def alike(one: str, other: str) -> bool:
    """Whether nearly all words of two texts are shared."""
    words, others = set(_TOKEN.findall(one.lower())), set(_TOKEN.findall(other.lower()))
    return len(words & others) >= _SAME_SHARE * max(len(words), len(others), 1)


class Texts:
    """Which document has a text, by the digest of it."""

    def __init__(self, digests: Mapping[str, str]) -> None:
        self._digests: dict[str, str] = {}
        self._origins: dict[str, str] = {}
        for origin, digest in digests.items():
            self.note(origin, digest)

    def note(self, origin: str, digest: str) -> None:
        """Take up the text that a document has now."""
        self.forget(origin)
        self._digests[origin] = digest
        self._origins[digest] = origin

    def forget(self, origin: str) -> None:
        """A document that is no longer there, or no longer what it was."""
        digest = self._digests.pop(origin, None)
        if digest is not None and self._origins.get(digest) == origin:
            del self._origins[digest]

    def twin(self, origin: str, digest: str) -> str:
        """Another document of that text; empty where there is none."""
        found = self._origins.get(digest, "")
        return found if found != origin else ""
