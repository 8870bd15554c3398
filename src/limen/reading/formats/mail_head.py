"""How bytes show that they are mail, which is told before they are decoded: each part has a charset of its own."""

import re

from limen.reading.text_kind import declared_type

MAIL_HEAD_BYTES = 16_384
ENVELOPE = re.compile(rb"From [^\n]{1,400}\d{4}[^\n]{0,40}\r?\n[!-9;-~]{1,70}:")
_FIELD = re.compile(rb"([!-9;-~]{1,70}):[^\n]*\r?\n(?:[ \t][^\n]*\r?\n)*")
_SENDERS = frozenset({b"from", b"received", b"return-path", b"delivered-to"})
_SENT = frozenset({b"date", b"message-id", b"subject", b"mime-version", b"received", b"to", b"content-type"})


def is_mail(data: bytes, content_type: str | None) -> bool:
    """Whether these bytes are a message or a mailbox: a block of header fields that say from whom, and when or what about."""
    if ENVELOPE.match(data):
        return True
    names, at = set(), 0
    head = data[:MAIL_HEAD_BYTES]
    while (field := _FIELD.match(head, at)) is not None:
        names.add(field.group(1).lower())
        at = field.end()
    if declared_type(content_type) == "message/rfc822" and names:
        return True
    ended = not head[at:].strip() or head[at : at + 2].startswith((b"\n", b"\r\n"))
    return ended and bool(names & _SENDERS) and len(names & _SENT) >= 2
