"""A file that a person names: found by its path or its file: address, and read as a page is. No model's words come here."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import anyio.to_thread
import msgspec

from limen.core.fault import Refusal, ToolFault
from limen.core.ledger import Treatment
from limen.core.ports import Reader
from limen.core.web import Entry, Fetched, PageFormat, Unread
from limen.kit.atomic import TooLarge, UnsafePath, read_private
from limen.kit.clock import Clock, iso_utc, wall_s
from limen.web.substance import noticed, without_text

# Who read a file, where a page has the name of its reader.
FILE = "file"
_MOST_BYTES = 200_000_000
_FROM_PAGE = re.compile(r"#page=\d+$")
_PATH = re.compile(r"(?:file:|~|\.{0,2}/)", re.IGNORECASE)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def is_file_name(given: str) -> bool:
    """Whether what a person gave for an address names a file: it begins like a path, or there is a file of that name."""
    if _PATH.match(given):
        return True
    try:
        return bool(given) and not _ADDRESS.match(given) and path_of(given).exists()
    except (OSError, ValueError):
        return False


def path_of(ref: str) -> Path:
    """The file that a path or a file: address names, perhaps with the page of a PDF behind it (`#page=3`)."""
    name = unquote(urlsplit(ref).path) if ref.lower().startswith("file:") else _FROM_PAGE.sub("", ref)
    try:
        return Path(name).expanduser().absolute()
    except RuntimeError:  # a home that nobody has
        return Path(name).absolute()


def bytes_of(path: Path, limit_bytes: int, mend: str = "Split it into parts.") -> bytes:
    """What a regular file holds. Raises ToolFault `files.*`; `mend` is what to do about one over the limit."""
    try:
        return read_private(path, limit_bytes=limit_bytes, follow=True)
    except IsADirectoryError as error:
        raise ToolFault("files.is_folder", f"{path} is a folder.", "Name a file in it.") from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ToolFault("files.missing", f"There is no file {path}.", "Check the name.") from error
    except TooLarge as error:
        raise ToolFault("files.too_large", f"{path} is over {limit_bytes:,} bytes.", mend) from error
    except UnsafePath as error:
        raise ToolFault("files.not_regular", f"{path} is not a regular file.", "Name a regular file.") from error
    except ValueError as error:  # a NUL
        raise ToolFault("files.missing", f"{str(path)!r} names no file.", "Check the name.") from error
    except OSError as error:
        raise ToolFault("files.unreadable", f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from error


async def read_file(given: str, reader: Reader, page_format: PageFormat, clock: Clock = wall_s) -> Entry:
    """The page that a named file is, whole, or why it is none."""
    path, page_named = path_of(given), _FROM_PAGE.search(given)
    try:
        data = await anyio.to_thread.run_sync(bytes_of, path, _MOST_BYTES, "Add it to the library in parts.")
        page = await reader.read(data, url=path.as_uri() + (page_named[0] if page_named else ""), page_format=page_format)
    except ToolFault as fault:
        return Unread(given, Refusal(FILE, fault.code, fault.reason, fault.mend))
    refusal = without_text(page, FILE)
    if refusal is not None:
        return Unread(given, refusal)
    page = noticed(page)
    entry = Fetched.whole(given, page, FILE, iso_utc(clock()), Treatment())
    return entry if page.format == page_format else msgspec.structs.replace(entry, ignored=("format",))
