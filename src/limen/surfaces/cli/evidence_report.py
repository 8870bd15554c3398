"""The report of an output that a person hands over, and the whole of it on the shelf."""

from typing import TYPE_CHECKING

from limen.core.fault import Fault
from limen.kit.log import failed_open

if TYPE_CHECKING:
    from limen.evidence.compact import Compactor
    from limen.evidence.report import Report
    from limen.evidence.shelf import EvidenceShelf


async def reported(shelf: "EvidenceShelf", compactor: "Compactor", text: str, run: str, exit_code: int | None) -> "Report":
    """The report of an output that is on the shelf; the masked output itself where it cannot be kept there."""
    masked = await shelf.masked(text)
    made = compactor.compact(masked, await shelf.masked(run), exit_code)
    if made.left:
        return made
    try:
        kept = await shelf.keep(masked, session="", tool="filter", source=run)
    except Fault as fault:  # the rest of the output would be gone
        failed_open("compact.failed", fault)
        return compactor.whole(masked, "unkept")
    return made.kept_as(kept.id)


def shape(made: "Report") -> dict[str, object]:
    """A report as JSON."""
    return {"id": made.evidence_id or None, "text": made.text, "left": made.left or None, "kept_lines": list(made.kept_lines)}
