"""What the shelf did for a conversation or for all of them: outputs seen and compacted, what that saved, what is kept."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from limen.core.evidence import Evidence, EvidenceAccount, ShelfAccount
from limen.core.ledger import LedgerEntry

_OUTPUTS = frozenset({"tool", "web", "evidence"})
_COMPACT = "compact"
# Why an output was left whole where no gate says otherwise.
_SMALL = "small"
# Why one was that should have become a report.
_FAILED = ("failed", "late")


def shelf_account(entries: Iterable[LedgerEntry], kept: Sequence[Evidence], account: EvidenceAccount) -> ShelfAccount:
    """Sum up ledger entries, each counted once however many forks share it, beside what the store says it keeps."""
    outputs = list({(entry.session, entry.n): entry for entry in entries if entry.kind in _OUTPUTS}.values())
    compacted = [entry for entry in outputs if entry.treatment.compacted is not None]
    failed = [entry for entry in outputs if entry.treatment.compacted is None and _verdict(entry) == "changed"]
    left = Counter(_reason(entry) for entry in outputs if entry.treatment.compacted is None and _verdict(entry) != "changed")
    counted = {each.id: each.tokens for each in kept if each.tokens is not None}
    chars_in, chars_out = sum(entry.chars_in for entry in compacted), sum(entry.chars_out for entry in compacted)
    tokens_in, tokens_out = sum(_whole(entry, counted) for entry in compacted), sum(entry.tokens_out for entry in compacted)
    return ShelfAccount(
        seen=len(outputs),
        compacted=len(compacted),
        left=dict(left),
        chars_in=chars_in,
        chars_out=chars_out,
        chars_saved=chars_in - chars_out,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        tokens_saved=tokens_in - tokens_out,
        records=account.records,
        store_bytes=account.store_bytes,
        oldest=account.oldest,
        redactions=sum(entry.treatment.redacted for entry in outputs),
        failures=len(failed) + sum(left[reason] for reason in _FAILED),
    )


def _whole(entry: LedgerEntry, counted: Mapping[str, int]) -> int:
    """The tokens of an output before it was cut: as counted when it was kept, else at the rate of the part that entered."""
    tokens = counted.get(entry.treatment.compacted or "")
    return tokens if tokens is not None else round(entry.tokens_out * entry.chars_in / max(entry.chars_out, 1))


def _verdict(entry: LedgerEntry) -> str:
    return next((gate.verdict for gate in entry.treatment.gates if gate.gate == _COMPACT), "")


def _reason(entry: LedgerEntry) -> str:
    code = next((gate.code for gate in entry.treatment.gates if gate.gate == _COMPACT and gate.code), None)
    return code.removeprefix("compact.") if code is not None else _SMALL
