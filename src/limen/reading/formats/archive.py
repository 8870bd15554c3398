"""Archives to a Page: what is in them, by their list of files; nothing is unpacked but what the list itself needs."""

import io
import tarfile
import zipfile
from datetime import UTC, datetime
from itertools import islice
from typing import IO, cast

from limen.core.web import Page
from limen.reading.formats.compressed import OPENERS
from limen.reading.formats.file_facts import Facts, facts_page, printable
from limen.reading.formats.office.package import BROKEN, opened

ARCHIVES = {
    "application/zip": "ZIP archive", "application/x-tar": "TAR archive", "application/x-7z-compressed": "7z archive",
    "application/vnd.rar": "RAR archive", "application/vnd.ms-cab-compressed": "cabinet archive",
    "application/x-archive": "Unix archive", "application/x-rpm": "RPM package",
}  # fmt: skip
_LISTERS = {"application/x-7z-compressed": "7z l", "application/vnd.rar": "unrar l", "application/x-rpm": "rpm -qpl",
            "application/vnd.ms-cab-compressed": "7z l", "application/x-archive": "ar t"}  # fmt: skip
Told = tuple[Facts, list[tuple[str, ...]]]
_SHOWN = 200
_MOST_FILES = 100_000
# Of a compressed TAR no list stands anywhere: so much is unpacked to look for it.
_TAR_BYTES = 64_000_000
_ENCRYPTED = 0x1
_LAST_SECOND = 4e9


def read_archive(data: bytes, url: str, media_type: str) -> Page:
    """An archive's facts and the first of its files by name and size. Raises ToolFault `reading.damaged`."""
    what = ARCHIVES[media_type]
    if media_type == "application/zip":
        return facts_page(url, media_type, what, len(data), *_of_zip(data))
    if media_type == "application/x-tar":
        return facts_page(url, media_type, what, len(data), *_of_tar(io.BytesIO(data), len(data)))
    facts = [("Files", f"not listed here: {_LISTERS[media_type]} FILE shows them")]
    return facts_page(url, media_type, what, len(data), facts)


def read_packed_archive(data: bytes, url: str, media_type: str) -> Page | None:
    """The facts of a TAR archive that is packed as a whole; None where something else is packed."""
    opener = OPENERS.get(media_type)
    if opener is None:
        return None
    try:
        with opener(io.BytesIO(data)) as stream:
            if stream.read(512)[257:262] != b"ustar":
                return None
        what = f"TAR archive packed by {media_type.rpartition('/')[2].removeprefix('x-')}"
        with opener(io.BytesIO(data)) as stream:
            return facts_page(url, "application/x-tar", what, len(data), *_of_tar(_Bounded(stream), len(data)))
    except BROKEN:
        return None


def _of_zip(data: bytes) -> Told:
    with opened(data) as archive:
        files = [one for one in archive.infolist() if not one.filename.endswith("/")]  # `is_dir` wants a name
        comment = archive.comment.decode("utf-8", "replace")
    locked = sum(bool(one.flag_bits & _ENCRYPTED) for one in files)
    facts = [*_counted(len(files), sum(one.file_size for one in files), len(data)), ("Comment", printable(comment))]
    if locked:
        facts.append(("Encrypted", f"{locked:,} of {len(files):,} files"))
    return facts, _listed([(one.filename, one.file_size, _day(one)) for one in files[:_SHOWN]])


def _of_tar(stream: "io.BytesIO | _Bounded", packed: int) -> Told:
    files: list[tuple[str, int, str]] = []
    count = total = 0
    whole = False
    try:
        with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r|") as archive:
            for one in islice(filter(tarfile.TarInfo.isfile, archive), _MOST_FILES):
                count += 1
                total += one.size
                if count <= _SHOWN:
                    files.append((one.name, one.size, _day_of(one.mtime)))
            whole = count < _MOST_FILES
    except (tarfile.TarError, *BROKEN):
        whole = False
    facts = _counted(count, total, packed)
    if not whole:
        facts.append(("Looked through", "not all of it: it is too long to unpack for its list, or cut off"))
    return facts, _listed(files)


class _Bounded:
    """A stream that ends after `_TAR_BYTES`."""

    def __init__(self, stream: io.BufferedIOBase) -> None:
        self._stream = stream
        self._left = _TAR_BYTES

    def read(self, size: int = -1) -> bytes:
        """The next bytes, as long as there is room."""
        data = self._stream.read(min(size, self._left) if size >= 0 else self._left)
        self._left -= len(data)
        return data


def _counted(count: int, total: int, packed: int) -> Facts:
    times = f" ({total / packed:,.1f} times the size)" if total > packed else ""
    return [("Files", f"{count:,}"), ("Unpacked", f"{total:,} bytes{times}")]


def _listed(files: list[tuple[str, int, str]]) -> list[tuple[str, ...]]:
    rows = [(printable(name), f"{size:,}", day) for name, size, day in files]
    return [("File", "Bytes", "Date"), *rows] if rows else []


def _day_of(seconds: float) -> str:
    """A day since 1970; TAR may state any."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}" if 0 < seconds < _LAST_SECOND else ""


def _day(one: zipfile.ZipInfo) -> str:
    year, month, day = one.date_time[:3]
    return f"{year}-{month:02}-{day:02}" if year > 1980 else ""
