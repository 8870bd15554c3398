"""How stored blocks and events become bytes and come back: MessagePack of the same types that travel."""

import json
from typing import Any

import msgspec

from limen.core.event import Event, Notice
from limen.core.fault import StoreFault
from limen.store.ports import StoredBlock

_encoder = msgspec.msgpack.Encoder()
_blocks = msgspec.msgpack.Decoder(StoredBlock)
_events: msgspec.msgpack.Decoder[Event] = msgspec.msgpack.Decoder(Event)
# A stored value is a map; in MessagePack none begins with this byte.
_JSON = b"{"


def encode(value: StoredBlock | Event) -> bytes:
    """The bytes of a block with its entries, or of an event."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        # Lone surrogates, as undecodable bytes from a shell leave them: no UTF-8, but the ledger's digests count on them.
        return json.dumps(msgspec.to_builtins(value), ensure_ascii=False).encode("utf-8", "surrogatepass")


def decode_block(data: bytes) -> StoredBlock:
    """A stored block. Raises StoreFault `store.unreadable` for bytes that are none, damaged or of a later version."""
    try:
        return msgspec.convert(_builtins(data), StoredBlock) if data.startswith(_JSON) else _blocks.decode(data)
    except (msgspec.DecodeError, ValueError) as error:
        mend = "Upgrade Limen if a later version wrote it; else `limen sessions delete` forgets the session."
        raise StoreFault("store.unreadable", f"A stored block cannot be read: {error}.", mend) from error


def decode_event(data: bytes) -> Event:
    """A stored event; one that this version does not know reads as a notice, so that listing it never fails."""
    try:
        event: Event = msgspec.convert(_builtins(data), Event) if data.startswith(_JSON) else _events.decode(data)
    except (msgspec.DecodeError, ValueError) as error:
        return Notice("store.unknown_event", f"This version cannot read an event stored here: {error}.")
    return event


def storable(text: str) -> str:
    """`text` for a column, with question marks for lone surrogates, which SQLite cannot hold."""
    return text.encode("utf-8", "replace").decode()


def _builtins(data: bytes) -> Any:
    return json.loads(data.decode("utf-8", "surrogatepass"))
