"""How stored blocks and events become bytes and come back: MessagePack of the same types that travel."""

import msgspec

from limen.core.event import Event, Notice
from limen.store.ports import StoredBlock

_encoder = msgspec.msgpack.Encoder()
_blocks = msgspec.msgpack.Decoder(StoredBlock)
_events: msgspec.msgpack.Decoder[Event] = msgspec.msgpack.Decoder(Event)


def encode(value: StoredBlock | Event) -> bytes:
    """The bytes of a block with its entries, or of an event."""
    return _encoder.encode(value)


def decode_block(data: bytes) -> StoredBlock:
    """A stored block. Raises msgspec.DecodeError for bytes that are none."""
    return _blocks.decode(data)


def decode_event(data: bytes) -> Event:
    """A stored event; one that this version does not know reads as a notice, so that listing it never fails."""
    try:
        return _events.decode(data)
    except msgspec.DecodeError as error:
        return Notice("store.unknown_event", f"This version cannot read an event stored here: {error}.")
