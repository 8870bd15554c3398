"""The part of a request's bytes that a vendor's prompt cache can keep, without the marks that say so."""

import re

_MARK = re.compile(rb',"cache_control":\{"type":"ephemeral"(?:,"ttl":"1h")?\}')
# What stands behind the last message begins with one of these, on any wire.
_END = re.compile(rb'\],"(?:store|max_tokens|max_completion_tokens)":')


def canonical(body: bytes) -> bytes:
    """A body of ours up to its last message, without marks: within a session, until a fold, each starts with the one before.

    Raises ValueError when the body is none of ours.
    """
    ends = [end.start() for end in _END.finditer(body)]
    if not ends:
        raise ValueError("no body of a request of ours")
    return _MARK.sub(b"", body[: ends[-1]])


def marks(body: bytes) -> int:
    """How many marks a body carries. No text looks like one, since its quotes are escaped."""
    return len(_MARK.findall(body))
