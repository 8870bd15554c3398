"""The window: what the model sees. `admit` is the one door into it, and the door writes the ledger."""

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import dropwhile, pairwise
from shlex import quote
from typing import NamedTuple

import anyio
import msgspec

from limen.agent.held import HeldWindow
from limen.agent.live import before_marker, fold_start, in_order, latest_fold, latest_prompt, marker_of, messages_of
from limen.agent.request import build_request, schema_text
from limen.agent.shown import ShownAddresses
from limen.core.context import Emit
from limen.core.event import BlockAdmitted, Folded, Notice
from limen.core.exchange import ModelRequest
from limen.core.ledger import LedgerEntry, Origin, Trust
from limen.core.message import Block, Image, Leaf, Role, Text, ToolCall, digest, leaves, payload, text_of
from limen.core.prompt import Prompt, PromptPart
from limen.core.prompt_cache import CacheUse, Sent
from limen.core.route import Route
from limen.core.tool import ToolSchema
from limen.kit.tokens import CountTokens
from limen.store.ports import Place, SessionStore, StoredBlock, tokens_of

# An image's tokens depend on the vendor; this is what OpenAI's documentation gives for one low-detail picture.
_IMAGE_TOKENS = 85
# Why a window folds that has room left.
_EARLY = "context.fold_at_tokens"


class WindowRoom(msgspec.Struct, frozen=True):
    """When the window folds and how far: shares of the route's window in tokens, and a number of blocks, half of which stay.

    `at_tokens` folds it there although the route has room for more: every request pays for the whole window. The first user
    message always stays. The number of blocks keeps a turn's overhead the same however long a session has become.
    """

    fold_at: float = 0.75
    fold_to: float = 0.5
    most_blocks: int = 400
    at_tokens: int | None = None

    def used(self, window_tokens: int) -> int:
        """How much of a window of that size is used: all of it, or so much that its share for folding is `at_tokens`."""
        return window_tokens if self.at_tokens is None else min(window_tokens, int(self.at_tokens / self.fold_at))


class Window:
    """One session's window during one turn. Blocks enter by `admit` and leave only by `make_room`, which says so."""

    def __init__(self, session: str, turn: str, store: SessionStore, count: CountTokens, room: WindowRoom) -> None:
        self.session = session
        self.turn = turn
        self._store = store
        self._count = count
        self._room = room
        self._prompt: list[StoredBlock] = []
        self._blocks: list[StoredBlock] = []
        self._message_tokens = 0
        self._asked: list[str] = []  # what folds have taken out of this turn's questions
        self._marker: StoredBlock | None = None
        self._sent: tuple[Sent, ...] = ()
        self._next_entry = 1
        self._next_message = 0
        self.shown = ShownAddresses()

    async def load(self, numbers: tuple[int, int], window_tokens: int, emit: Emit, held: HeldWindow | None = None) -> None:
        """Take up what the session already holds, as far as it fits; what does not is folded and said.

        `numbers` are the session's next free ones. `held` is how this process last left the window; it is taken where the session
        has gained nothing since.
        """
        self._next_entry, self._next_message = numbers
        if held is not None and held.numbers == numbers:
            self._prompt, self._blocks, self._marker = list(held.prompt), list(held.blocks), held.marker
            self._message_tokens = tokens_of(self._blocks)
            self._note_shown(self._blocks)
            return
        fold = await latest_fold(self._store, self.session)
        frozen = await self._store.prompt(self.session)
        self._prompt = latest_prompt(frozen)
        budget, most = int(self._room.used(window_tokens) * self._room.fold_at), self._room.most_blocks
        if fold is None:
            head, tail = _at_gap(await self._store.recent(self.session, budget_tokens=budget, head=1, limit=most))
        else:
            head = messages_of(await self._store.blocks(self.session, until=fold.first))
            tail = _from_group(await self._store.recent(self.session, budget_tokens=budget, after=fold.last, limit=most))
            self._marker = await marker_of(self._store, self.session, fold)
        self._blocks = [*head, *tail]
        self._message_tokens = tokens_of(self._blocks)
        self._note_shown(self._blocks)
        expected = fold.next_message if fold else (head[-1].message + 1 if head else 0)
        goes_on = _Place(tail[0].first, tail[0].message) if tail else _Place(self._next_entry, self._next_message)
        if goes_on.message > expected:
            first = fold.first if fold else head[-1].last + 1
            await self._mark_fold(first, goes_on, goes_on.message - expected, 0, "loading", emit)

    def held(self) -> HeldWindow:
        """The window as it stands, for the session's next turn in this process."""
        return HeldWindow(tuple(self._prompt), tuple(self._blocks), self._marker, (self._next_entry, self._next_message))

    @property
    def is_new(self) -> bool:
        """Whether no prompt has been frozen for this session yet."""
        return not self._prompt

    @property
    def trust(self) -> Trust:
        """The lowest trust of anything that entered as a message."""
        return Trust.lowest(*{entry.trust for block in self._blocks for entry in block.entries})

    @property
    def tokens(self) -> int:
        """Tokens of prompt, schemas and messages as counted here; a vendor's framing comes on top."""
        marker = self._marker.tokens if self._marker else 0
        return tokens_of(self._prompt) + marker + self._message_tokens

    @property
    def live(self) -> tuple[StoredBlock, ...]:
        """Every block of the next request, in the order it is sent."""
        return in_order(self._prompt, self._blocks, self._marker)

    @property
    def tool_texts(self) -> tuple[str, ...]:
        """The frozen tool schemas, as admitted."""
        return tuple(block.block.text for block in self._prompt if block.place == "tools" and isinstance(block.block, Text))

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of those tools."""
        return tuple(block.entries[0].source for block in self._prompt if block.place == "tools")

    def said(self) -> tuple[str, ...]:
        """The last two texts of the user that are in the window, oldest first."""
        texts = (block.block.text for block in self._blocks if block.place == "user" and isinstance(block.block, Text))
        return tuple(deque(texts, maxlen=2))

    def last_reply(self) -> str:
        """The text of this turn's latest reply; empty when there is none yet."""
        replies = [block for block in self._blocks if block.place == "assistant" and block.entries[0].turn == self.turn]
        return text_of(tuple(block.block for block in replies if block.message == replies[-1].message)) if replies else ""

    async def freeze(self, prompt: Prompt, schemas: Sequence[tuple[ToolSchema, Origin]], emit: Emit) -> None:
        """Admit the prompt's tiers and the tools' schemas, all or none, which then stay byte for byte for the session."""
        tiers: list[tuple[Place, tuple[PromptPart, ...]]] = [
            ("stable", prompt.stable),
            ("project", prompt.project),
            ("session", prompt.session),
        ]
        coming = [_Coming(place, -1, part.block, (part.origin,)) for place, parts in tiers for part in parts]
        coming += [_Coming("tools", -1, Text(schema_text(schema)), (origin,)) for schema, origin in schemas]
        await _tell(await self._enter(coming, instead_of_prompt=True), emit)

    async def admit(self, *blocks: tuple[Block, Sequence[Origin]], role: Role, emit: Emit) -> tuple[LedgerEntry, ...]:
        """Let blocks in, all or none, each with one origin for each leaf, or one for all. Returns the ledger entries they left.

        What one role says in a row is one message, except that each block of the user's is one.
        """
        place, message = self._blocks[-1].place if self._blocks else None, self._next_message - 1
        coming: list[_Coming] = []
        for block, origins in blocks:
            message += role == "user" or place != role
            place = role
            coming.append(_Coming(role, message, block, tuple(origins)))
        return await _tell(await self._enter(coming), emit) if coming else ()

    async def _enter(self, coming: Sequence["_Coming"], *, instead_of_prompt: bool = False) -> Sequence[StoredBlock]:
        entering: list[StoredBlock] = []
        number = self._next_entry
        for one in coming:
            entering.append(self._numbered(one, number))
            number = entering[-1].last + 1
        with anyio.CancelScope(shield=True):  # stored and counted, or neither
            await self._store.append(self.session, entering)
            self._next_entry = number
            if instead_of_prompt:
                self._prompt = []
            for stored in entering:
                self._keep(stored)
        return entering

    def _numbered(self, coming: "_Coming", first: int) -> StoredBlock:
        parts, origins = leaves(coming.block), coming.origins
        sources = origins * len(parts) if len(origins) == 1 else origins
        if len(sources) != len(parts) or not parts:
            raise AssertionError(f"{len(parts)} leaves, {len(origins)} origins")
        entries = (
            self._entry(first + offset, coming.place, leaf, origin)
            for offset, (leaf, origin) in enumerate(zip(parts, sources, strict=True))
        )
        return StoredBlock(coming.place, coming.message, coming.block, tuple(entries))

    def _keep(self, stored: StoredBlock) -> None:
        if stored.place == "summary":
            self._marker = stored
        elif stored.message < 0:
            self._prompt.append(stored)
        else:
            self._blocks.append(stored)
            self._note_shown([stored])
            self._message_tokens += stored.tokens
            self._next_message = stored.message + 1

    def _note_shown(self, blocks: Iterable[StoredBlock]) -> None:
        for stored in blocks:
            self.shown.add(stored.block, stored.entries)

    def _entry(self, number: int, place: Place, leaf: Leaf, origin: Origin) -> LedgerEntry:
        size = leaf_chars(leaf)
        treatment = origin.treatment
        return LedgerEntry(
            n=number,
            session=self.session,
            turn=self.turn,
            role=place,
            digest=digest(leaf),
            kind=origin.kind,
            source=origin.source,
            trust=origin.trust,
            parent=origin.parent,
            chars_in=size if treatment.chars_in is None else treatment.chars_in,
            chars_out=size,
            tokens_out=_IMAGE_TOKENS if isinstance(leaf, Image) else self._count(_counted(leaf)),
            treatment=treatment,
        )

    def request(self, route: Route, *, may_call: bool = True) -> ModelRequest:
        """The next request: exactly the live blocks, grouped into messages."""
        return msgspec.structs.replace(build_request(self.live, route, may_call=may_call), earlier=self._sent)

    def note_sent(self, cache: CacheUse | None) -> None:
        """Remember what a request had of its provider's cache: the next one is measured by it."""
        if cache is not None:
            self._sent = cache.sent

    async def make_room(self, window_tokens: int, emit: Emit) -> None:
        """Fold the middle when the window is fuller than its share: the head and the latest messages stay, whole groups go."""
        room, used = self._room, self._room.used(window_tokens)
        full = self.tokens > used * room.fold_at
        if not full and len(self._blocks) <= room.most_blocks:
            return
        groups = _groups(self._blocks)
        head = len(_groups(before_marker(self._blocks, self._marker))) if self._marker else 1
        excess = self.tokens - int(used * room.fold_to) if full else 0
        too_many = len(self._blocks) - room.most_blocks // 2 if len(self._blocks) > room.most_blocks else 0
        going: list[StoredBlock] = []
        for group in groups[head:-1]:
            if excess <= 0 and len(going) >= too_many:
                break
            going.extend(group)
            excess -= tokens_of(group)
        if not going:
            return
        early = full and self.tokens <= window_tokens * room.fold_at
        if early:
            await self._say_early(window_tokens, emit)
        await self._fold(going, _EARLY if early else "room", emit)

    async def _say_early(self, window_tokens: int, emit: Emit) -> None:
        """Say, at the first fold that is for its sake, that a setting folds the window and not the model's size."""
        before = await latest_fold(self._store, self.session)
        if before is not None and before.because == _EARLY:
            return
        text = (
            f"The conversation is folded at {self._room.at_tokens:,} tokens, although the model has room for {window_tokens:,}: "
            "each of its replies pays for all of them."
        )
        await emit(Notice("context.folded_early", text, "limen config set context.fold_at_tokens NUMBER"))

    async def _fold(self, going: Sequence[StoredBlock], because: str, emit: Emit) -> None:
        first = fold_start(self._marker) if self._marker else going[0].first
        head = [block for block in self._blocks if block.last < going[0].first]
        tail = [block for block in self._blocks if block.first > going[-1].last]
        tokens = tokens_of(going)
        self._blocks = [*head, *tail]
        self._message_tokens -= tokens
        asked = (block.block for block in going if block.place == "user" and block.entries[0].turn == self.turn)
        self._asked += [block.text for block in asked if isinstance(block, Text)]
        messages = len({block.message for block in going})
        await self._mark_fold(first, _Place(tail[0].first, tail[0].message), messages, tokens, because, emit)

    async def _mark_fold(self, first: int, goes_on: "_Place", messages: int, tokens: int, because: str, emit: Emit) -> None:
        last = goes_on.entry - 1
        text = (
            f"[{messages} messages of this conversation were folded away here to make room (entries {first} to {last}). "
            f"They are kept; `limen sessions show {quote(self.session)}` has them.]"
        )
        if self._asked:
            text += "\n".join(("\nThe question being answered:", *self._asked))
        number = self._next_entry
        origin = Origin("summary", f"fold {first}-{last}", Trust.USER if self._asked else Trust.OPERATOR)
        marker = await self._enter([_Coming("summary", -1, Text(text), (origin,))])
        # Before anything else is said: what is folded here must be folded for whoever reads the store.
        await emit(Folded(first, last, goes_on.message, messages, tokens, number, because))
        await _tell(marker, emit)


class _Coming(NamedTuple):
    """A block at the door: its place in the request, its message, and where each of its leaves is from."""

    place: Place
    message: int
    block: Block
    origins: tuple[Origin, ...]


class _Place(NamedTuple):
    """Where the window goes on behind a gap: an entry's number and its message's."""

    entry: int
    message: int


async def _tell(entered: Sequence[StoredBlock], emit: Emit) -> tuple[LedgerEntry, ...]:
    entries = tuple(entry for stored in entered for entry in stored.entries)
    for entry in entries:
        await emit(BlockAdmitted(entry))
    return entries


def _at_gap(blocks: Sequence[StoredBlock]) -> tuple[list[StoredBlock], list[StoredBlock]]:
    """Blocks before and after the first hole in their message numbers; all of them before when there is none."""
    for index, (before, after) in enumerate(pairwise(blocks), 1):
        if after.message > before.message + 1:
            return list(blocks[:index]), _from_group(blocks[index:])
    return list(blocks), []


def _from_group(blocks: Sequence[StoredBlock]) -> list[StoredBlock]:
    """Blocks from the first whole group on: results whose calls are not here would mean nothing."""
    return list(dropwhile(lambda block: block.place == "tool", blocks))


def _groups(blocks: list[StoredBlock]) -> list[list[StoredBlock]]:
    """Blocks that must stay together: a user's message, or a reply with the results of its calls."""
    groups: list[list[StoredBlock]] = []
    last_message = -1
    for block in blocks:
        starts = block.place in ("user", "assistant") and block.message != last_message
        if starts or not groups:
            groups.append([])
        groups[-1].append(block)
        last_message = block.message
    return groups


def leaf_chars(leaf: Leaf) -> int:
    """A leaf's size: characters of text, bytes of a picture."""
    return len(payload(leaf)) if isinstance(leaf, Image) else len(_counted(leaf))


def _counted(leaf: Leaf) -> str:
    match leaf:
        case ToolCall(_, name, arguments):
            return f"{name} {arguments}"
        case Image():
            return leaf.alt
        case _:
            return leaf.text
