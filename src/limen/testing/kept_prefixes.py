"""A provider's prompt cache on loopback: it counts as cached what a request shares with the bytes of those before it."""

from limen.core.exchange import Usage
from limen.testing.carried.prefix import canonical
from limen.testing.model_server import Step
from limen.testing.network import Received
from limen.testing.scripted_model import Reply

_BYTES_PER_TOKEN = 4
_BLOCK_TOKENS = 128


class KeptPrefixes:
    """Answers with scripted replies and says of each request how much it had kept: whole blocks of it, from `least_tokens` on."""

    def __init__(self, least_tokens: int = 1_024) -> None:
        self._least_tokens = least_tokens
        self._kept: list[bytes] = []
        self.bodies: list[bytes] = []

    def reply(self, reply: Reply) -> Step:
        """A step of a server's script: `reply`, with the figures of this cache."""

        def play(request: Received) -> Reply:
            return Reply(reply.text, reply.calls, reply.thinking, reply.stop, self._usage(request.body), reply.piece_chars)

        return play

    def forget(self) -> None:
        """Drop all that was kept."""
        self._kept.clear()

    def _usage(self, body: bytes) -> Usage:
        sent = canonical(body)
        shared = max((_shared(before, sent) for before in self._kept), default=0) // _BYTES_PER_TOKEN
        cached = shared - shared % _BLOCK_TOKENS if shared >= self._least_tokens else 0
        self._kept.append(sent)
        self.bodies.append(body)
        return Usage(len(sent) // _BYTES_PER_TOKEN, 5, cached)


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
