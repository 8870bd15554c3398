"""The store's own ports. Every method may raise StoreFault; nothing else. Times are Unix seconds."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

import msgspec

from limen.core.event import Event
from limen.core.evidence import Evidence, EvidenceAccount, Excerpt, Match
from limen.core.fault import FaultClass
from limen.core.ledger import LedgerEntry
from limen.core.message import Block
from limen.core.session import Session, Source
from limen.kit.line_search import LinePattern

Place = Literal["stable", "project", "session", "tools", "user", "assistant", "tool", "summary"]


class StoredBlock(msgspec.Struct, frozen=True):
    """A block as admitted: its place in the request, the message it belongs to, and a ledger entry for each leaf.

    `message` counts from 0 within the session; blocks of one message share it. Prompt, tool-schema and summary blocks have -1.
    """

    place: Place
    message: int
    block: Block
    entries: tuple[LedgerEntry, ...]

    @property
    def first(self) -> int:
        return self.entries[0].n

    @property
    def last(self) -> int:
        return self.entries[-1].n

    @property
    def tokens(self) -> int:
        return tokens_of([self])


def tokens_of(blocks: Iterable[StoredBlock]) -> int:
    """Tokens of all leaves of blocks."""
    return sum([entry.tokens_out for block in blocks for entry in block.entries])


class StoredEvent(msgspec.Struct, frozen=True):
    """An event with its number within the session (from 1) and the moment it was stored."""

    seq: int
    turn: str
    at: float
    event: Event


class Begun(NamedTuple):
    """A session as a turn finds it: its next free ledger number and message number, and its latest `reply_finished`."""

    session: Session
    numbers: tuple[int, int]
    latest_reply: Event | None


class Found(msgspec.Struct, frozen=True):
    """A message that answers a search: its session, its ledger number, who said it, and the words around the hit."""

    session: str
    title: str
    n: int
    role: str
    snippet: str
    at: float


class SessionStore(Protocol):
    """Conversations, the blocks their windows admitted, the ledger over those, and the events of their turns.

    Blocks come back as they were given. Titles and a search's snippets are for lists: credentials in them are masked.
    """

    async def open(self, key: str, *, parent: str | None = None, forked_at: int | None = None) -> Session:
        """The session of that key, made when there is none."""
        ...

    async def get(self, key: str) -> Session | None: ...

    async def list(self, limit: int = 50) -> Sequence[Session]:
        """Sessions, latest change first."""
        ...

    async def rename(self, key: str, title: str) -> None: ...

    async def set_route(self, key: str, route: str) -> None: ...

    async def fork(self, key: str, into: str, *, at_turn: str | None = None) -> Session:
        """A new session `into` that begins with all of `key` up to the end of `at_turn`, or of its latest turn. All or nothing.

        It inherits prompt, messages, ledger entries (each still naming the session that admitted it), events and sources under
        their numbers, the evidence kept by then, title and route; deleting the parent takes none of it away. A turn that runs
        now is left out. `at_turn` may be the beginning of a turn's id, of six characters at least.
        Raises StoreFault `store.no_session`, `store.session_exists`, `store.no_turn`, `store.turn_running`.
        """
        ...

    async def delete(self, key: str) -> None:
        """Forget a session with its blocks, ledger, events, sources, and the evidence that no other session holds.

        From the first moment on it is not there; what it held goes in steps, between which others write. Works on a full disk.
        """
        ...

    async def sweep(self) -> int:
        """Finish what was being forgotten when its process ended; how many sessions that were."""
        ...

    async def append(self, key: str, blocks: Sequence[StoredBlock]) -> None:
        """Store admitted blocks, all or none; returns when they are durable against a crash of this process."""
        ...

    async def record(self, key: str, turn: str, events: Sequence[Event]) -> None:
        """Store events of a turn, numbering them on."""
        ...

    async def events(
        self, key: str, *, turn: str | None = None, after: int = 0, limit: int = 10_000
    ) -> Sequence[StoredEvent]: ...

    async def prompt(self, key: str) -> Sequence[StoredBlock]:
        """The frozen blocks of the prompt's tiers and tool schemas, in order of admission."""
        ...

    async def recent(
        self, key: str, *, budget_tokens: int, head: int = 0, after: int = 0, limit: int = 1_000_000
    ) -> Sequence[StoredBlock]:
        """The first `head` message blocks and the latest that fit the budget, in order; its cost is that of what comes back.

        At most `limit` of the latest. Only message blocks (user, assistant, tool) whose ledger number is over `after`.
        """
        ...

    async def latest_event(self, key: str, kind: str) -> Event | None:
        """The session's latest event of a kind (its tag: `folded`, `turn_started`), or None."""
        ...

    async def blocks(
        self, key: str, *, after: int = 0, until: int | None = None, limit: int = 1_000_000
    ) -> Sequence[StoredBlock]:
        """All blocks whose ledger number is over `after` and under `until`, in order."""
        ...

    async def ledger(self, key: str, *, turn: str | None = None) -> Sequence[LedgerEntry]: ...

    async def find_turn(self, turn: str) -> str | None:
        """The session a turn belongs to; a prefix of at least six characters that fits one turn is enough.

        A turn that forks share belongs to the one that had it first.
        """
        ...

    async def next_numbers(self, key: str) -> tuple[int, int]:
        """The next free ledger number and message number."""
        ...

    async def search(self, words: str, limit: int = 20) -> Sequence[Found]:
        """Messages that hold every word, or a word that begins with it, best first.

        What forks share is found once, in the one that had it first.
        """
        ...

    async def note_source(self, key: str, url: str, title: str, *, ref: str, read: bool) -> Source:
        """The session's number for a URL, given at its first sight; `read` once true stays true."""
        ...

    async def sources(self, key: str) -> Sequence[Source]: ...

    async def claim(self, key: str, owner: str, ttl_s: float) -> bool:
        """Take or renew the right to run a turn on this session; False while another owner has it.

        A claim ends after `ttl_s`, and at once when the process that made it has died on this host.
        """
        ...

    async def release(self, key: str, owner: str) -> None: ...

    async def begin(self, key: str, owner: str, ttl_s: float) -> Begun | None:
        """`open` and `claim` a session in one step, for a turn on it; None while another owner has it."""
        ...

    async def end(self, key: str, owner: str, turn: str, events: Sequence[Event]) -> None:
        """`record` a turn's last events and `release` its session in one step: both or neither."""
        ...


class Rest(msgspec.Struct, frozen=True):
    """Something that failed and is spared for a while: a route or a key. Times are Unix seconds.

    `known` says that the provider named the end itself; `failures` counts those in a row.
    """

    subject: str
    kind: FaultClass
    reason: str
    since: float
    until: float
    known: bool = False
    failures: int = 1


class HealthStore(Protocol):
    """What has failed and not worked since, shared by all sessions and processes of a home; and how often keys were used."""

    async def rests(self) -> Sequence[Rest]:
        """All of them, those whose time is over too, latest `since` first."""
        ...

    async def rest(self, rest: Rest) -> None:
        """Note a failure, in place of an earlier one of the subject. What ended more than two weeks ago is forgotten."""
        ...

    async def claim_trial(self, subject: str, until: float) -> bool:
        """Whether the caller is the one to find out if a subject works again: once its time is over it rests on until then.

        False while it rests, or where another was quicker; True where nothing is known of it.
        """
        ...

    async def works(self, subject: str) -> bool:
        """Forget a subject's failures; whether there were any."""
        ...

    async def least_used(self, subjects: Sequence[str]) -> str:
        """Of several keys the one used least, of those used equally often the first, now used once more."""
        ...

    async def uses(self) -> Mapping[str, int]:
        """How often each key was chosen so; a new one counts from where the least used stood."""
        ...


class Spent(msgspec.Struct, frozen=True):
    """What one route was asked for on a day (`2026-11-30`, local time): requests, tokens, US dollars.

    `unpriced` are those of the requests whose price nobody knows: `cost_usd` is without them.
    """

    day: str
    route: str
    requests: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0


class SpendStore(Protocol):
    """What models were asked for, by day and route, shared by all sessions and processes of a home."""

    async def add(self, spent: Spent) -> float:
        """Book it; US dollars of that day by all routes, with this."""
        ...

    async def spent(self, since: str) -> Sequence[Spent]:
        """All rows from that day on, latest day first, dearest route first."""
        ...


class EvidenceStore(Protocol):
    """Whole texts, addressed by `ev_` and twelve hex digits of their hash; the same text is stored once, whoever keeps it."""

    async def keep(
        self, text: str, *, session: str, tool: str, source: str, media_type: str, tokens: int | None = None
    ) -> Evidence:
        """Store a text for a session; kept again it is as young as the last time. `tokens` is what the caller counted."""
        ...

    async def keep_pieces(
        self, pieces: Callable[[], Iterable[str]], *, session: str, tool: str, source: str, media_type: str
    ) -> Evidence:
        """The same, of a text that is too long for the memory: `pieces` gives it as often as it is asked, in another thread."""
        ...

    async def get(self, evidence_id: str) -> Evidence | None:
        """A text as the session that kept it last knows it."""
        ...

    async def show(self, evidence_id: str, start: int, end: int | None, *, session: str | None = None) -> Excerpt | None:
        """Lines of a text, as far as it has them. With a `session`, None unless that session holds the text."""
        ...

    async def find(self, phrase: str, *, evidence_id: str | None, session: str | None, limit: int) -> Sequence[Match]:
        """The first lines that hold a phrase, whatever its case and spacing, of the texts kept last first."""
        ...

    async def search(
        self, pattern: LinePattern, *, evidence_id: str | None, session: str | None, limit: int, around: int = 0
    ) -> Sequence[Match]:
        """The first lines that a pattern finds, of the texts kept last first, with `around` lines before and after each."""
        ...

    async def index(self) -> int:
        """Prepare what was kept since for searches, beside the work; found is the same without. How much was to do."""
        ...

    async def list(self, *, session: str | None = None, limit: int = 50) -> Sequence[Evidence]:
        """What a session holds, or what all hold (a text once for each), latest first."""
        ...

    async def account(self, *, session: str | None = None) -> EvidenceAccount:
        """How many texts a session, or the store, keeps and what room they take; each text counts once."""
        ...

    async def purge(self, *, older_than_s: float, keep_bytes: int) -> int:
        """Drop texts older than that, then the oldest until `keep_bytes` hold; returns how many went. Works on a full disk."""
        ...

    async def retain(self, *, older_than_s: float, keep_bytes: int, every_s: float, spare_s: float) -> int | None:
        """Purge, unless that was done within `every_s` by whichever process; then None.

        Texts kept within `spare_s` do not go for their size: an answer may be about to cite them.
        """
        ...
