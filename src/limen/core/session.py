"""Sessions: conversations with a key, kept by the store."""

import msgspec


class Session(msgspec.Struct, frozen=True):
    """A conversation. Times are Unix seconds; `route` is the route it was last answered by.

    A fork names its `parent`, which may be gone meanwhile; `forked_at` is the last ledger number that it inherited, 0 for none.
    """

    key: str
    created_at: float
    updated_at: float
    title: str = ""
    route: str = ""
    parent: str | None = None
    forked_at: int | None = None
    turns: int = 0
    blocks: int = 0


class Source(msgspec.Struct, frozen=True):
    """A document or hit that a session has seen, under the number that answers cite it by. `ref` opens it again."""

    n: int
    url: str
    title: str
    ref: str = ""
    read: bool = False
