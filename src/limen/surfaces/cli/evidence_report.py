"""The report of an output that a person hands over, and the whole of it on the shelf."""

import codecs
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
import click

from limen.core.fault import Fault
from limen.kit.log import failed_open
from limen.kit.spool import Spool

if TYPE_CHECKING:
    from limen.evidence.compact import Compactor
    from limen.evidence.report import Report
    from limen.evidence.shelf import EvidenceShelf
    from limen.kit.redact import Masked

_READ_BYTES = 1 << 20
# Longer outputs are read where they lie, piece by piece.
HELD_CHARS = 4_000_000


def masked_spool(file: Path, masked: "Callable[[Iterator[str]], Iterator[Masked]]", told: Callable[[int], None]) -> Spool:
    """A file, or standard input, with its credentials masked, in the memory of a few pieces. `told` hears of the bytes read."""
    spool = Spool()
    try:
        for piece in masked(_decoded(file, told)):
            spool.add(piece.text)
    except BaseException:
        spool.close()
        raise
    return spool


def _decoded(file: Path, told: Callable[[int], None]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    done = 0
    with click.open_file(str(file), "rb") as source:
        while data := source.read(_READ_BYTES):
            yield decoder.decode(data)
            done += len(data)
            told(done)
    yield decoder.decode(b"", final=True)


async def reported(shelf: "EvidenceShelf", compactor: "Compactor", spool: Spool, run: str, exit_code: int | None) -> "Report":
    """The report of a masked output that is on the shelf; the output itself, or for a long one no text, where it is `left`."""
    made = await anyio.to_thread.run_sync(_compacted, compactor, spool, await shelf.masked(run), exit_code)
    if made.left:
        return made
    try:
        kept = await shelf.keep_spooled(spool, session="", tool="filter", source=await shelf.masked(run))
    except Fault as fault:  # the rest of the output would be gone
        failed_open("compact.failed", fault)
        return compactor.whole("" if spool.chars > HELD_CHARS else spool.text(), "unkept")
    return made.kept_as(kept.id)


def _compacted(compactor: "Compactor", spool: Spool, run: str, exit_code: int | None) -> "Report":
    if spool.chars <= HELD_CHARS:
        return compactor.compact(spool.text(), run, exit_code)
    return compactor.compact_pieces(spool.pieces, spool.chars, run, exit_code)


def shape(made: "Report", spool: Spool) -> dict[str, object]:
    """A report as JSON."""
    text = spool.text() if made.left else made.text
    return {"id": made.evidence_id or None, "text": text, "left": made.left or None, "kept_lines": list(made.kept_lines)}
