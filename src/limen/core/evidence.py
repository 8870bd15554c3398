"""Evidence: whole outputs that the window got only a part of."""

import msgspec


class Evidence(msgspec.Struct, frozen=True):
    """A stored text. Times are Unix seconds; `expires_at` None means until its session is deleted."""

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


class Excerpt(msgspec.Struct, frozen=True):
    """Lines of a stored text. Numbers count from 1 in the stored original; `end` is inclusive."""

    id: str
    start: int
    end: int
    total_lines: int
    text: str


class Match(msgspec.Struct, frozen=True):
    """A line that answers a search, with its number in the stored original."""

    id: str
    line: int
    text: str
