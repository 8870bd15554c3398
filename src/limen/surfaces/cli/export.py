"""A whole conversation as a file: Markdown for people, JSON or JSON lines for programs."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from limen.core.event import TurnEnded
from limen.core.fault import Fault
from limen.core.ledger import LedgerLine
from limen.core.message import Block, Text, Thinking, ToolCall, ToolResult
from limen.core.session import Session, Source
from limen.evidence.redactor import SecretRedactor
from limen.kit.atomic import write_private
from limen.kit.redact import SecretTable
from limen.store.ports import StoredBlock
from limen.surfaces.cli.transcript import markdown, spoken

EXPORT_FORMATS = ("markdown", "json", "jsonl")


class Export(msgspec.Struct, frozen=True):
    """What the store holds of a conversation, and how many credentials were masked in it."""

    session: Session
    blocks: tuple[StoredBlock, ...]
    sources: tuple[Source, ...]
    masked: int = 0


def masked(export: Export) -> Export:
    """The same without credentials. Tools' results were masked before they were stored; what a person typed was not."""
    mask = _Mask(SecretRedactor(SecretTable()))
    session = replace(export.session, title=mask.text(export.session.title))
    blocks = tuple(replace(stored, block=mask.block(stored.block)) for stored in export.blocks)
    sources = tuple(replace(each, url=mask.text(each.url), title=mask.text(each.title)) for each in export.sources)
    return Export(session, blocks, sources, mask.count)


class _Mask:
    """Masks texts and counts what it masked."""

    def __init__(self, redactor: SecretRedactor) -> None:
        self._redactor = redactor
        self.count = 0

    def text(self, text: str) -> str:
        redaction = self._redactor.redact(text)
        self.count += redaction.count
        return redaction.text

    def block(self, block: Block) -> Block:
        match block:
            case Text(text) | Thinking(text):
                return replace(block, text=self.text(text))
            case ToolCall(arguments=arguments):
                return replace(block, arguments=self.text(arguments))
            case ToolResult(blocks=leaves):
                masked_leaves = (replace(leaf, text=self.text(leaf.text)) if isinstance(leaf, Text) else leaf for leaf in leaves)
                return replace(block, blocks=tuple(masked_leaves))
        return block


def publish(export: Export) -> dict[str, Any]:
    """The conversation as one JSON document."""
    return {
        "session": msgspec.to_builtins(export.session),
        "messages": [_message(stored) for stored in export.blocks],
        "sources": [msgspec.to_builtins(source) for source in export.sources],
        "masked": export.masked,
        "ledger": [msgspec.to_builtins(LedgerLine.of(entry)) for stored in export.blocks for entry in stored.entries],
    }


def _message(stored: StoredBlock) -> dict[str, Any]:
    return {
        "place": stored.place,
        "message": stored.message,
        "turn": stored.entries[0].turn,
        "first": stored.first,
        "block": msgspec.to_builtins(stored.block),
    }


def export_texts(form: str, export: Export, ends: Mapping[str, TurnEnded]) -> Iterator[str]:
    """The conversation in one of EXPORT_FORMATS, piece by piece."""
    match form:
        case "json":
            yield msgspec.json.format(msgspec.json.encode(publish(export)), indent=2).decode() + "\n"
        case "jsonl":
            document = publish(export)
            yield _record("session", {**document["session"], "masked": export.masked})
            for kind, name in (("message", "messages"), ("source", "sources"), ("ledger", "ledger")):
                for record in document[name]:
                    yield _record(kind, record)
        case _:
            for text in markdown(export.session, spoken(export.blocks), ends):
                yield f"{text}\n"


def _record(kind: str, fields: dict[str, Any]) -> str:
    return msgspec.json.encode({"record": kind, **fields}).decode() + "\n"


def save(output: str, texts: Iterable[str]) -> int:
    """Write texts to a private file, wholly or not at all; how many bytes. Raises Fault `export.unwritable`."""
    data = "".join(texts).encode("utf-8", "replace")
    try:
        write_private(Path(output), data)
    except OSError as error:
        raise Fault("export.unwritable", f"{output} cannot be written: {error.strerror or error}", "-o FILE elsewhere") from error
    return len(data)
