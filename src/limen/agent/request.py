"""A request made from the blocks of a window. Pure: whoever has the same blocks gets the same request."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from limen.core.exchange import ModelRequest
from limen.core.ledger import LedgerEntry, Origin
from limen.core.message import Block, Message, Role, Text
from limen.core.prompt import Prompt, PromptPart
from limen.core.route import Route
from limen.core.tool import ToolSchema
from limen.store.ports import Place, StoredBlock, tokens_of


def build_request(live: Sequence[StoredBlock], route: Route, *, may_call: bool = True) -> ModelRequest:
    """A request from live blocks: pure, so that the store's blocks rebuild it byte for byte."""
    tiers: dict[Place, list[PromptPart]] = {"stable": [], "project": [], "session": []}
    schemas: list[ToolSchema] = []
    messages: list[tuple[Role, list[Block]]] = []
    place: Place | None = None
    number = -1
    for stored in live:
        if stored.place in tiers:
            tiers[stored.place].append(_prompt_part(stored))
        elif stored.place == "tools":
            assert isinstance(stored.block, Text)
            schemas.append(_schema(stored.block.text))
        elif stored.place == place and stored.message == number:
            messages[-1][1].append(stored.block)
        else:
            place, number = stored.place, stored.message
            messages.append(("user" if place == "summary" else place, [stored.block]))  # type: ignore[arg-type]
    return ModelRequest(
        route,
        Prompt(tuple(tiers["stable"]), tuple(tiers["project"]), tuple(tiers["session"])),
        tuple(Message(role, tuple(blocks)) for role, blocks in messages),
        tuple(schemas),
        route.output_tokens,
        may_call,
        tokens_of(live),
        cache_key=_cache_key(live),
        fold=next((stored.first for stored in live if stored.place == "summary"), 0),
    )


def _cache_key(live: Sequence[StoredBlock]) -> str:
    """One key for all that begins with one frozen prompt, a session and its forks: made of the random name of the turn that
    froze it, so that it tells nobody whose it is."""
    return hashlib.sha256(f"prompt {live[0].entries[0].turn}".encode()).hexdigest()[:32] if live else ""


def _prompt_part(stored: StoredBlock) -> PromptPart:
    assert isinstance(stored.block, Text)
    return PromptPart(stored.block, _origin_of(stored.entries[0]))


@lru_cache(maxsize=1_024)
def _schema(text: str) -> ToolSchema:
    """A frozen schema, which nobody changes: every request of a session has the same."""
    return msgspec.json.decode(text, type=ToolSchema)


def _origin_of(entry: LedgerEntry) -> Origin:
    return Origin(entry.kind, entry.source, entry.trust, entry.parent, entry.treatment)


def schema_text(schema: ToolSchema) -> str:
    """A tool schema as canonical JSON: the ledger's leaf for it."""
    return msgspec.json.encode(schema, order="sorted").decode()
