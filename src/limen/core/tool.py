"""Tools as data: what a tool is, what it may do, what it gave back."""

import json
from collections.abc import Mapping
from shlex import quote
from typing import Any, Literal

import msgspec

from limen.core.fault import Refusal
from limen.core.ledger import Origin, Treatment, Trust
from limen.core.message import Image, Text, ToolCall, ToolResult
from limen.kit.text import clip

Effect = Literal["read", "fetch", "write", "send", "run", "spend"]
Output = Literal["verbatim", "compact"]

# So much of what was asked for stands in the ledger.
_ASKED_CHARS = 200

ASKING_EFFECTS: frozenset[Effect] = frozenset({"write", "send", "run", "spend"})


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool's face. `arguments` is a Struct: the one source of its schema and of the validation of a call.

    `aliases` are other names of arguments, which are accepted and not shown.
    `stands_for` names tools in whose place it is offered where the settings say so: a session that began with them has it.
    """

    name: str
    toolset: str
    description: str
    arguments: type[msgspec.Struct]
    effect: Effect
    output: Output = "compact"
    limit_chars: int = 100_000
    stands_for: tuple[str, ...] = ()
    aliases: Mapping[str, str] = {}


class ToolSchema(msgspec.Struct, frozen=True):
    """What a request carries of a tool: name, description and JSON schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


class Part(msgspec.Struct, frozen=True):
    """One leaf of a tool's answer with its own origin, so that each page of a batch has its own ledger line.

    A `notice` tells of something that runs by itself: it never becomes a report.
    """

    block: Text | Image
    origin: Origin
    notice: bool = False

    def treated(self, treatment: Treatment, text: str | None = None) -> "Part":
        """The same leaf after more was done to it; with another text, where that is what was done."""
        block = self.block if text is None else Text(text)
        return msgspec.structs.replace(self, block=block, origin=msgspec.structs.replace(self.origin, treatment=treatment))


class ToolAnswer(msgspec.Struct, frozen=True):
    """What a tool returns. An answer that is only a refusal has no parts.

    `command` is the one whose output this is, and `exit_code` how it ended; `raw` says that the exact text was asked for.
    """

    parts: tuple[Part, ...] = ()
    is_error: bool = False
    refusal: Refusal | None = None
    evidence_id: str | None = None
    command: str = ""
    exit_code: int | None = None
    raw: bool = False


class ToolOutcome(msgspec.Struct, frozen=True):
    """A finished call: the result for the window, an origin for each of its leaves, and how it went."""

    call: ToolCall
    block: ToolResult
    origins: tuple[Origin, ...]
    refusal: Refusal | None = None
    took_s: float = 0.0


def refused_origin(asked: str, refusal: Refusal) -> Origin:
    """Where a leaf that tells of a refusal is from: what was asked for, and the gates up to the one that refused it."""
    return Origin("tool", clip(asked, _ASKED_CHARS), Trust.TOOL, None, Treatment(gates=refusal.verdicts()))


def read_on(ref: str, line: int, char: int = 1) -> str:
    """The call that shows a text from a place on, as a cut names it: `read_file {"path": …, "start_line": …}`."""
    inside = {"start_char": char} if char > 1 else {}
    return f"read_file {json.dumps({'path': ref, 'start_line': line, **inside}, ensure_ascii=False)}"


def open_on(ref: str, line: int, char: int = 1, command: str = "limen") -> str:
    """The command that does the same for people: `limen open … --line …`. `command` is how Limen is called."""
    return f"{command} open {quote(ref)} --line {line}{f' --char {char}' if char > 1 else ''}"
