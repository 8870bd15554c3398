"""Origins and ledger entries: where each leaf in the window came from and what was done to it on the way."""

from enum import StrEnum
from typing import Any, Literal

import msgspec

OriginKind = Literal[
    "identity", "context_file", "hint", "skill", "tools", "user", "steering", "schedule",
    "model", "tool", "web", "evidence", "summary", "plugin", "framing",
]  # fmt: skip
Verdict = Literal["allow", "refuse", "ask", "hit", "miss", "changed"]


class Trust(StrEnum):
    """How far a text may be followed; a mixture is worth its lowest part."""

    OPERATOR = "operator"
    USER = "user"
    WORKSPACE = "workspace"
    TOOL = "tool"
    WEB = "web"

    @property
    def rank(self) -> int:
        """0 for the operator, rising as trust falls."""
        return _RANKS[self]

    @staticmethod
    def lowest(*trusts: "Trust") -> "Trust":
        """The trust of a text made from several sources; the operator's when there are none."""
        return max(trusts, key=lambda trust: trust.rank, default=Trust.OPERATOR)


_RANKS = {trust: rank for rank, trust in enumerate(Trust)}


class GateVerdict(msgspec.Struct, frozen=True):
    """What one gate said about a request, with its code where it did not simply allow."""

    gate: str
    verdict: Verdict
    code: str | None = None


class Cut(msgspec.Struct, frozen=True):
    """How much of a cut text was kept at its two ends, in characters."""

    head: int
    tail: int


class Treatment(msgspec.Struct, frozen=True):
    """What happened to a text before it entered. `chars_in` is its size before any of it, None when unchanged.

    `compacted` is the id of the whole, `more_compacted` those of further outputs in the same text; `extractor` read the first.
    """

    gates: tuple[GateVerdict, ...] = ()
    chars_in: int | None = None
    cut: Cut | None = None
    redacted: int = 0
    compacted: str | None = None
    cached: bool = False
    age_s: float = 0.0
    rescued_from: str | None = None
    stored_path: str | None = None
    more_compacted: tuple[str, ...] = ()
    extractor: str | None = None

    def judged(self, verdict: GateVerdict, **more: Any) -> "Treatment":
        """The same one gate later; `more` are other fields that this gate has changed."""
        return msgspec.structs.replace(self, gates=(*self.gates, verdict), **more)


class Origin(msgspec.Struct, frozen=True):
    """Where a leaf came from. `source` is what a person can follow: a path, a URL, a tool's or route's name."""

    kind: OriginKind
    source: str
    trust: Trust
    parent: str | None = None
    treatment: Treatment = Treatment()


class LedgerEntry(msgspec.Struct, frozen=True):
    """One leaf's line in the ledger. `n` counts from 1 within its session; sizes are characters and tokens."""

    n: int
    session: str
    turn: str
    role: str
    digest: str
    kind: OriginKind
    source: str
    trust: Trust
    parent: str | None
    chars_in: int
    chars_out: int
    tokens_out: int
    treatment: Treatment


class LedgerLine(msgspec.Struct, frozen=True):
    """A ledger entry as `limen ledger --json` prints it; fields are only ever added."""

    n: int
    turn: str
    kind: str
    source: str
    trust: str
    gates: tuple[GateVerdict, ...]
    chars_in: int
    chars_out: int
    tokens_out: int
    cut: Cut | None
    redacted: int
    compacted: str | None
    cached: bool
    age_s: float
    rescued_from: str | None
    stored_path: str | None
    role: str
    parent: str | None
    digest: str
    more_compacted: tuple[str, ...] = ()
    extractor: str | None = None

    @classmethod
    def of(cls, entry: LedgerEntry) -> "LedgerLine":
        """Flatten an entry into the published shape."""
        treatment = entry.treatment
        return cls(
            n=entry.n,
            turn=entry.turn,
            kind=entry.kind,
            source=entry.source,
            trust=entry.trust.value,
            gates=treatment.gates,
            chars_in=entry.chars_in,
            chars_out=entry.chars_out,
            tokens_out=entry.tokens_out,
            cut=treatment.cut,
            redacted=treatment.redacted,
            compacted=treatment.compacted,
            cached=treatment.cached,
            age_s=treatment.age_s,
            rescued_from=treatment.rescued_from,
            stored_path=treatment.stored_path,
            role=entry.role,
            parent=entry.parent,
            digest=entry.digest,
            more_compacted=treatment.more_compacted,
            extractor=treatment.extractor,
        )
