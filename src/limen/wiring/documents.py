"""What reads and draws documents in the worker process."""

from typing import TYPE_CHECKING

import msgspec

from limen.core.late import LatePainter, LateReader
from limen.core.ports import Painter, Reader
from limen.kit.deferred import load
from limen.kit.process import Worker

if TYPE_CHECKING:
    from limen.reading.formats.picture import WorkerPainter
    from limen.reading.reader import WorkerReader


class Documents(msgspec.Struct, frozen=True):
    """A reader and a painter over the same worker, each made when first used."""

    reader: Reader
    painter: Painter


def documents_of(worker: Worker) -> Documents:
    """Reader and painter of a process."""

    def reader() -> Reader:
        made: type[WorkerReader] = load("limen.reading.reader:WorkerReader")
        return made(worker)

    def painter() -> Painter:
        made: type[WorkerPainter] = load("limen.reading.formats.picture:WorkerPainter")
        return made(worker)

    return Documents(LateReader(reader), LatePainter(painter))
