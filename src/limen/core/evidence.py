"""Evidence: whole outputs that the window got only a part of."""

import msgspec


class Evidence(msgspec.Struct, frozen=True):
    """A stored text. Times are Unix seconds: when it was last kept, and `expires_at` None means until its session is deleted.

    `stored_bytes` is the room it takes on disk, packed; a text that several sessions hold takes it once. `tokens` counts the
    whole text as a model would have been given it, None where nobody has counted.
    """

    id: str
    session: str
    tool: str
    source: str
    media_type: str
    digest: str
    chars: int
    lines: int
    created_at: float
    expires_at: float | None = None
    stored_bytes: int = 0
    tokens: int | None = None


class EvidenceAccount(msgspec.Struct, frozen=True):
    """What a session, or the whole store, keeps: each text counted once. `oldest` is Unix seconds, None when nothing is kept.

    `tokens` sums the texts that were counted. In `limen evidence status --json` these are `records`, `store_bytes`, `oldest`.
    """

    records: int
    chars: int
    tokens: int
    store_bytes: int
    oldest: float | None = None


class Excerpt(msgspec.Struct, frozen=True):
    """Lines of a stored text. Numbers count from 1 in the stored original; `end` is inclusive."""

    id: str
    start: int
    end: int
    total_lines: int
    text: str


class Match(msgspec.Struct, frozen=True):
    """A line that answers a search, with its number in the stored original, and the lines `before` and `after` it.

    What was looked for begins at character `char` of it, counted from 1.
    """

    id: str
    line: int
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    char: int = 1


class FoundInEvidence(msgspec.Struct, frozen=True):
    """What a search found first; `more` where there are others. `by_words` where only the words, not the phrase, were found."""

    matches: tuple[Match, ...] = ()
    more: bool = False
    by_words: bool = False


class ShelfAccount(msgspec.Struct, frozen=True):
    """The published shape of one half of `limen evidence status --json`; fields are only ever added.

    `seen` counts outputs of tools, `compacted` those of which the window got a part, `left` the others by reason. The sums of
    characters and tokens are over the compacted ones. `failures` are outputs that could not become a report,
    be it that the whole could not be kept: they passed as they were, or were cut where they had no room.
    """

    seen: int
    compacted: int
    left: dict[str, int]
    chars_in: int
    chars_out: int
    chars_saved: int
    tokens_in: int
    tokens_out: int
    tokens_saved: int
    records: int
    store_bytes: int
    oldest: float | None
    redactions: int
    failures: int
