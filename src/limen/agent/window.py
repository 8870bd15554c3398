"""The window: what the model sees. `admit` is the one door into it, and the door writes the ledger."""

from collections.abc import Sequence
from itertools import dropwhile, groupby, pairwise

import anyio
import msgspec

from limen.core.context import Emit
from limen.core.event import BlockAdmitted, Folded
from limen.core.exchange import ModelRequest
from limen.core.ledger import LedgerEntry, Origin, Trust
from limen.core.message import Block, Image, Leaf, Message, Role, Text, ToolCall, digest, leaves, payload, text_of
from limen.core.prompt import Prompt, PromptPart
from limen.core.route import Route
from limen.core.tool import ToolSchema
from limen.kit.tokens import CountTokens
from limen.store.ports import Place, SessionStore, StoredBlock

# An image's tokens depend on the vendor; this is what OpenAI's documentation gives for one low-detail picture.
_IMAGE_TOKENS = 85
_MESSAGE_PLACES = frozenset({"user", "assistant", "tool"})


class WindowRoom(msgspec.Struct, frozen=True):
    """When the window folds and how far: shares of the route's window in tokens, and a number of blocks, half of which stay.

    The first user message always stays. The number keeps a turn's overhead the same however long a session has become.
    """

    fold_at: float = 0.75
    fold_to: float = 0.5
    most_blocks: int = 400


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
        self._marker: StoredBlock | None = None
        self._next_entry = 1
        self._next_message = 0

    async def load(self, window_tokens: int, emit: Emit) -> None:
        """Take up what the session already holds, as far as it fits; what does not is folded and said."""
        fold = await latest_fold(self._store, self.session)
        frozen = await self._store.prompt(self.session)
        self._prompt = _latest_prompt(frozen)
        self._next_entry, self._next_message = await self._store.next_numbers(self.session)
        budget, most = int(window_tokens * self._room.fold_at), self._room.most_blocks
        if fold is None:
            head, tail = _at_gap(await self._store.recent(self.session, budget_tokens=budget, head=1, limit=most))
        else:
            head = _messages(await self._store.blocks(self.session, until=fold.first))
            tail = _from_group(await self._store.recent(self.session, budget_tokens=budget, after=fold.last, limit=most))
            self._marker = await _marker_of(self._store, self.session, fold)
        self._blocks = [*head, *tail]
        expected = fold.next_message if fold else (head[-1].message + 1 if head else 0)
        if tail and tail[0].message > expected:
            first = fold.first if fold else head[-1].last + 1
            await self._mark_fold(first, tail[0], tail[0].message - expected, 0, "loading", emit)

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
        return sum(block.tokens for block in self._prompt) + marker + sum(block.tokens for block in self._blocks)

    @property
    def live(self) -> tuple[StoredBlock, ...]:
        """Every block of the next request, in the order it is sent."""
        return _in_order(self._prompt, self._blocks, self._marker)

    @property
    def tool_texts(self) -> tuple[str, ...]:
        """The frozen tool schemas, as admitted."""
        return tuple(block.block.text for block in self._prompt if block.place == "tools" and isinstance(block.block, Text))

    def last_reply(self) -> str:
        """The text of this turn's latest reply; empty when there is none yet."""
        replies = [block for block in self._blocks if block.place == "assistant" and block.entries[0].turn == self.turn]
        return text_of(tuple(block.block for block in replies if block.message == replies[-1].message)) if replies else ""

    async def freeze(self, prompt: Prompt, schemas: Sequence[tuple[ToolSchema, Origin]], emit: Emit) -> None:
        """Admit the prompt's tiers and the tools' schemas, which then stay byte for byte for the session."""
        self._prompt = []
        tiers: dict[Place, tuple[PromptPart, ...]] = {
            "stable": prompt.stable,
            "project": prompt.project,
            "session": prompt.session,
        }
        for place, parts in tiers.items():
            for part in parts:
                await self._enter(place, -1, part.block, (part.origin,), emit)
        for schema, origin in schemas:
            await self._enter("tools", -1, Text(schema_text(schema)), (origin,), emit)

    async def admit(self, block: Block, *origins: Origin, role: Role, emit: Emit) -> tuple[LedgerEntry, ...]:
        """Let a block in. One origin for each leaf, or one for all. Returns the ledger entries it left."""
        continues = bool(self._blocks) and self._blocks[-1].place == role and role != "user"
        message = self._next_message - 1 if continues else self._next_message
        return await self._enter(role, message, block, origins, emit)

    async def _enter(
        self, place: Place, message: int, block: Block, origins: tuple[Origin, ...], emit: Emit
    ) -> tuple[LedgerEntry, ...]:
        parts = leaves(block)
        sources = origins * len(parts) if len(origins) == 1 else origins
        if len(sources) != len(parts) or not parts:
            raise AssertionError(f"{len(parts)} leaves, {len(origins)} origins")
        entries = tuple(
            self._entry(self._next_entry + offset, place, leaf, origin)
            for offset, (leaf, origin) in enumerate(zip(parts, sources, strict=True))
        )
        stored = StoredBlock(place, message, block, entries)
        with anyio.CancelScope(shield=True):  # stored and counted, or neither
            await self._store.append(self.session, [stored])
            self._next_entry += len(entries)
            self._keep(stored)
        for entry in entries:
            await emit(BlockAdmitted(entry))
        return entries

    def _keep(self, stored: StoredBlock) -> None:
        if stored.place == "summary":
            self._marker = stored
        elif stored.message < 0:
            self._prompt.append(stored)
        else:
            self._blocks.append(stored)
            self._next_message = stored.message + 1

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

    def request(self, route: Route, *, tools: bool = True) -> ModelRequest:
        """The next request: exactly the live blocks, grouped into messages."""
        return build_request(self.live, route, tools=tools)

    async def make_room(self, window_tokens: int, emit: Emit) -> None:
        """Fold the middle when the window is fuller than its share: the head and the latest messages stay, whole groups go."""
        room = self._room
        if self.tokens <= window_tokens * room.fold_at and len(self._blocks) <= room.most_blocks:
            return
        groups = _groups(self._blocks)
        head = len(_groups(_before_marker(self._blocks, self._marker))) if self._marker else 1
        excess = self.tokens - int(window_tokens * room.fold_to) if self.tokens > window_tokens * room.fold_at else 0
        too_many = len(self._blocks) - room.most_blocks // 2 if len(self._blocks) > room.most_blocks else 0
        going: list[StoredBlock] = []
        for group in groups[head:-1]:
            if excess <= 0 and len(going) >= too_many:
                break
            going.extend(group)
            excess -= sum(block.tokens for block in group)
        if not going:
            return
        first = _fold_start(self._marker) if self._marker else going[0].first
        stays_from = going[-1].last + 1
        tail = [block for block in self._blocks if block.first >= stays_from]
        question = "".join(_user_text(block) for block in going if block.entries[0].turn == self.turn)
        self._blocks = [*(block for block in self._blocks if block.last < going[0].first), *tail]
        messages = len({block.message for block in going})
        await self._mark_fold(first, tail[0], messages, sum(block.tokens for block in going), "room", emit, question)

    async def _mark_fold(
        self, first: int, tail: StoredBlock, messages: int, tokens: int, because: str, emit: Emit, question: str = ""
    ) -> None:
        last = tail.first - 1
        text = (
            f"[{messages} messages of this conversation were folded away here to make room (entries {first} to {last}). "
            f"They are kept; `limen sessions show {self.session}` has them.]"
        )
        if question:
            text += f"\nThe question being answered:\n{question}"
        number = self._next_entry
        origin = Origin("summary", f"fold {first}-{last}", Trust.USER if question else Trust.OPERATOR)
        await self._enter("summary", -1, Text(text), (origin,), emit)
        await emit(Folded(first, last, tail.message, messages, tokens, number, because))


async def live_blocks(store: SessionStore, session: str) -> tuple[StoredBlock, ...]:
    """Every stored block that is in the session's window now, in the order it is sent. Reads only."""
    fold = await latest_fold(store, session)
    prompt = _latest_prompt(await store.prompt(session))
    if fold is None:
        return _in_order(prompt, _messages(await store.blocks(session)), None)
    head = _messages(await store.blocks(session, until=fold.first))
    tail = _messages(await store.blocks(session, after=fold.last))
    return _in_order(prompt, [*head, *tail], await _marker_of(store, session, fold))


def _messages(blocks: Sequence[StoredBlock]) -> list[StoredBlock]:
    return [block for block in blocks if block.place in _MESSAGE_PLACES]


async def latest_fold(store: SessionStore, session: str) -> Folded | None:
    """The fold that holds now."""
    event = await store.latest_event(session, "folded")
    return event if isinstance(event, Folded) else None


async def _marker_of(store: SessionStore, session: str, fold: Folded) -> StoredBlock | None:
    later = await store.blocks(session, after=fold.marker - 1, limit=1)
    return later[0] if later and later[0].place == "summary" else None


def _latest_prompt(frozen: Sequence[StoredBlock]) -> list[StoredBlock]:
    latest = frozen[-1].entries[0].turn if frozen else ""
    return [block for block in frozen if block.entries[0].turn == latest]


def _in_order(
    prompt: Sequence[StoredBlock], blocks: Sequence[StoredBlock], marker: StoredBlock | None
) -> tuple[StoredBlock, ...]:
    if marker is None:
        return (*prompt, *blocks)
    head = _before_marker(blocks, marker)
    return (*prompt, *head, marker, *blocks[len(head) :])


def _before_marker(blocks: Sequence[StoredBlock], marker: StoredBlock) -> list[StoredBlock]:
    first = _fold_start(marker)
    return [block for block in blocks if block.last < first]


def _fold_start(marker: StoredBlock) -> int:
    return int(marker.entries[0].source.removeprefix("fold ").partition("-")[0])


def _user_text(block: StoredBlock) -> str:
    return block.block.text if block.place == "user" and isinstance(block.block, Text) else ""


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


def build_request(live: Sequence[StoredBlock], route: Route, *, tools: bool = True) -> ModelRequest:
    """A request from live blocks: pure, so that the store's blocks rebuild it byte for byte."""

    def parts(place: str) -> tuple[PromptPart, ...]:
        return tuple(
            PromptPart(block.block, _origin_of(block.entries[0]))
            for block in live
            if block.place == place and isinstance(block.block, Text)
        )

    messages = []
    for _, group in groupby((block for block in live if block.place in (*_MESSAGE_PLACES, "summary")), key=_message_of):
        members = list(group)
        role: Role = "user" if members[0].place == "summary" else members[0].place  # type: ignore[assignment]
        messages.append(Message(role, tuple(member.block for member in members)))
    schemas = tuple(
        msgspec.json.decode(block.block.text, type=ToolSchema)
        for block in live
        if tools and block.place == "tools" and isinstance(block.block, Text)
    )
    prompt = Prompt(parts("stable"), parts("project"), parts("session"))
    return ModelRequest(route, prompt, tuple(messages), schemas, route.output_tokens)


def _message_of(block: StoredBlock) -> tuple[str, int]:
    return (block.place, block.message)


def _origin_of(entry: LedgerEntry) -> Origin:
    return Origin(entry.kind, entry.source, entry.trust, entry.parent, entry.treatment)


def schema_text(schema: ToolSchema) -> str:
    """A tool schema as canonical JSON: the ledger's leaf for it."""
    return msgspec.json.encode(schema, order="sorted").decode()


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
