"""Searches made lately, kept in files of the page cache's kind: private, whole or not there, bounded in number and size."""

import msgspec

from limen.core.web import Page, SearchAnswer
from limen.web.cache.pages import Kept, PageCache, PageKey

_FORMAT = "search"


class KeptAnswer(msgspec.Struct, frozen=True):
    """An answer, and when it was given, in seconds since 1970."""

    answer: SearchAnswer
    given_at_s: float


class AnswerCache:
    """Answers by the digest of what was asked and who was. It does file work: call it off the loop. Trouble is a miss."""

    def __init__(self, files: PageCache) -> None:
        self._files = files

    def get(self, digest: str, provider: str) -> KeptAnswer | None:
        """The answer, however old, or None."""
        kept = self._files.get(_key(digest, provider))
        if kept is None:
            return None
        try:
            return KeptAnswer(msgspec.json.decode(kept.page.text, type=SearchAnswer), kept.fetched_at_s)
        except msgspec.DecodeError:
            return None  # of a version whose answers had another shape; the next one takes its place

    def put(self, digest: str, provider: str, kept: KeptAnswer) -> None:
        """Keep an answer and make room for it."""
        try:
            text = msgspec.json.encode(kept.answer).decode()
        except UnicodeEncodeError:
            return  # a provider's text holds what is no character: it cannot be written, and was shown all the same
        self._files.put(_key(digest, provider), Kept(Page(text=text), kept.given_at_s))


def _key(digest: str, provider: str) -> PageKey:
    return PageKey(f"search://answers/{digest}", _FORMAT, provider)
