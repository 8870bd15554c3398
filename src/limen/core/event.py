"""Events: all that a turn says. Every surface consumes this one stream and nothing else."""

from typing import Literal

import msgspec

from limen.core.exchange import RouteFailure, Stop, Usage
from limen.core.fault import Refusal
from limen.core.ledger import LedgerEntry
from limen.core.message import Block, ToolCall
from limen.core.prompt_cache import CacheUse
from limen.core.route import Route

TurnEndReason = Literal["answered", "limit", "interrupted", "refused", "failed"]


class TurnStarted(msgspec.Struct, frozen=True, tag="turn_started"):
    session: str
    turn: str
    route: Route


class BlockAdmitted(msgspec.Struct, frozen=True, tag="block_admitted"):
    """A leaf entered the window; this is its ledger line."""

    entry: LedgerEntry


class ReplyDelta(msgspec.Struct, frozen=True, tag="reply_delta"):
    text: str
    thinking: bool = False


class ReplyRestarted(msgspec.Struct, frozen=True, tag="reply_restarted"):
    """Text already shown is void: another route starts the reply anew."""

    because: str
    route: Route


class ReplyFinished(msgspec.Struct, frozen=True, tag="reply_finished"):
    """`route` answered, after those in `failed` had not. `cache` is what it had of its provider's cache, where it has one."""

    blocks: tuple[Block, ...]
    stop: Stop
    usage: Usage
    route: Route
    attempts: int = 1
    failed: tuple[RouteFailure, ...] = ()
    cache: CacheUse | None = None


class ToolStarted(msgspec.Struct, frozen=True, tag="tool_started"):
    """`route` names the route whose model wants the call."""

    call: ToolCall
    route: str = ""


class ToolProgress(msgspec.Struct, frozen=True, tag="tool_progress"):
    """How far a running call is; `total` None when unknown."""

    call_id: str
    text: str
    done: int = 0
    total: int | None = None


class ToolFinished(msgspec.Struct, frozen=True, tag="tool_finished"):
    call_id: str
    name: str
    is_error: bool
    took_s: float
    refusal: Refusal | None = None
    evidence_id: str | None = None


class ApprovalAsked(msgspec.Struct, frozen=True, tag="approval_asked"):
    call: ToolCall
    question: str


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    refusal: Refusal


class Folded(msgspec.Struct, frozen=True, tag="folded"):
    """Messages with ledger numbers `first` to `last` (inclusive) are out of the window; the store still has them.

    A later fold takes in the earlier one; the window goes on with message `next_message`. Entry `marker` is the text that
    stands in their place.
    """

    first: int
    last: int
    next_message: int
    messages: int
    tokens: int
    marker: int
    because: str = ""


class Notice(msgspec.Struct, frozen=True, tag="notice"):
    """Something a person should know that stops nothing."""

    code: str
    text: str
    mend: str = ""


class Lagged(msgspec.Struct, frozen=True, tag="lagged"):
    """This observer was too slow: `missed` events are only in the store, from event `since` on."""

    missed: int
    since: int


class TurnEnded(msgspec.Struct, frozen=True, tag="turn_ended"):
    """The last event of every turn. `code`, `text` and `mend` explain any reason but `answered`."""

    reason: TurnEndReason
    steps: int
    usage: Usage
    took_s: float
    code: str | None = None
    text: str = ""
    mend: str = ""


Event = (
    TurnStarted | BlockAdmitted | ReplyDelta | ReplyRestarted | ReplyFinished | ToolStarted | ToolProgress | ToolFinished
    | ApprovalAsked | Refused | Folded | Notice | Lagged | TurnEnded
)  # fmt: skip
