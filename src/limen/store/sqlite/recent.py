"""The messages a window begins with and the latest that fit it, at the cost of those alone."""

import sqlite3
from collections.abc import Sequence

_PLACES = "('user', 'assistant', 'tool')"


def recent_bodies(
    connection: sqlite3.Connection, key: str, *, budget_tokens: int, head: int, after: int, limit: int
) -> Sequence[bytes]:
    """The stored bytes of the first `head` message blocks over `after`, and of at most `limit` of the latest, in order.

    No message is cut in half; all together fit the budget, unless the head alone does not.
    """
    first = _head(connection, key, after, head)
    spent = sum(tokens for _, _, tokens in first)
    floor = max([after, *(number for number, _, _ in first)])
    tail = _tail(connection, key, floor, budget_tokens - spent, limit)
    return [body for _, body, _ in [*first, *reversed(tail)]]


def _head(connection: sqlite3.Connection, key: str, after: int, count: int) -> list[tuple[int, bytes, int]]:
    """The first `count` message blocks over `after`, and what else belongs to the last one's message."""
    rows = connection.execute(
        f"SELECT first, body, tokens, message FROM blocks WHERE session = ? AND first > ? AND place IN {_PLACES} ORDER BY first",
        (key, after),
    )
    kept: list[tuple[int, bytes, int]] = []
    last_message = -1
    for first, body, tokens, message in rows if count > 0 else ():
        if len(kept) >= count and message != last_message:
            break
        kept.append((first, body, tokens))
        last_message = message
    return kept


def _tail(connection: sqlite3.Connection, key: str, floor: int, budget: int, limit: int) -> list[tuple[int, bytes, int]]:
    """The latest whole messages over `floor` that fit, latest first."""
    rows = connection.execute(
        "SELECT first, body, tokens, message FROM blocks "
        f"WHERE session = ? AND first > ? AND place IN {_PLACES} ORDER BY first DESC",
        (key, floor),
    )
    kept: list[tuple[int, bytes, int]] = []
    pending: list[tuple[int, bytes, int]] = []
    message = None
    for first, body, tokens, of_message in rows:
        if of_message != message:
            kept += pending
            pending = []
            message = of_message
        budget -= tokens
        if budget < 0 or len(kept) + len(pending) >= limit:
            return kept
        pending.append((first, body, tokens))
    return kept + pending
