"""What reaches a session from outside: a message with its address."""

import msgspec


class Address(msgspec.Struct, frozen=True):
    """Where a message came from and where its answer goes."""

    platform: str
    chat: str
    sender: str
    chat_type: str = "dm"
    workspace: str = ""
    thread: str = ""


class Attachment(msgspec.Struct, frozen=True):
    """A file that came with a message, kept at `path`."""

    name: str
    media_type: str
    path: str


class Envelope(msgspec.Struct, frozen=True):
    """One inbound message. `received_at` is Unix seconds."""

    address: Address
    text: str
    received_at: float
    attachments: tuple[Attachment, ...] = ()
    reply_to: str | None = None
