"""Opens references: what the library, the shelf, the workspace and the page store hold, under one rule for each."""

import re
from pathlib import Path
from shlex import quote
from urllib.parse import unquote, urlsplit

import anyio.to_thread
import msgspec

from limen.core.context import CallContext
from limen.core.fault import ToolFault
from limen.core.ledger import OriginKind, Trust
from limen.core.ports import Library, Opened, Reader, Shelf
from limen.core.refs import ref_name
from limen.kit.text import clip

# A larger file is for a search, not for a window.
_FILE_BYTES = 50_000_000
# What begins like an address without its scheme: a name with dots that ends unlike a file's, or a host with its port.
_FILE_ENDINGS = "md|txt|rst|html?|pdf|json|csv|xml|ya?ml|toml|py|rs|js|ts|sh|docx?"
_HOST = re.compile(
    rf"(?:[a-z0-9-]+\.)+(?!(?:{_FILE_ENDINGS})\b)[a-z]{{2,}}(?=[:/]|$)|(?:localhost|[a-z0-9.-]+\.[a-z0-9]+):\d+(?=/|$)",
    re.IGNORECASE,
)


class Roots(msgspec.Struct, frozen=True):
    """The only folders whose files may be opened: the working folder, and where fetched pages are kept."""

    workspace: Path
    pages: Path


class ReferenceOpener:
    """The `Opener` port. A file outside the roots is opened only when a person put it into the library."""

    def __init__(self, library: Library, shelf: Shelf, reader: Reader, roots: Roots) -> None:
        self._library = library
        self._shelf = shelf
        self._reader = reader
        self._roots = roots

    async def open(self, ref: str, context: CallContext) -> Opened:
        """The whole text behind a reference. In a session, of the shelf only what that session kept or a fork inherited."""
        if ref.startswith("ev_"):
            return await self._evidence(ref, context.session or None)
        origin = _file_path(ref)
        if ref.startswith("lib:") or await self._library.holds(origin):
            return await self._document(ref if ref.startswith("lib:") else origin)
        if ref_name(ref) is not None:
            reason = f"{clip(ref, 40)} is a ref of what a search or a page showed, and no file."
            raise ToolFault("files.web_ref", reason, "Give it to the tool that showed it.")
        if ref.startswith(("http://", "https://")):
            raise ToolFault("find.not_read", f"{ref} has not been read in this session.", "Read it with web_extract first.")
        return await self._file(origin)

    async def _evidence(self, ref: str, session: str | None) -> Opened:
        excerpt = await self._shelf.show(ref, session=session)
        return Opened(ref, ref, ref, excerpt.text, "evidence", Trust.TOOL)

    async def _document(self, ref: str) -> Opened:
        document, text = await self._library.open(ref)
        from_web = document.origin.startswith(("http://", "https://"))
        trust = Trust.WEB if from_web else Trust.WORKSPACE
        url = document.origin if from_web else Path(document.origin).as_uri()
        return Opened(document.ref, url, document.title, text, "tool", trust)

    async def _file(self, name: str) -> Opened:
        path = await anyio.to_thread.run_sync(self._inside, name)
        stored_page = path.is_relative_to(self._roots.pages.resolve())
        data = await anyio.to_thread.run_sync(_read_regular, path, _mend(name))
        page = await self._reader.read(data, url=path.as_uri(), content_type="text/markdown" if stored_page else None)
        # Whoever is told a line and a character of a stored page finds there what stood there; a reader tidies.
        text = data.decode("utf-8", "replace") if stored_page else page.text
        kind: OriginKind = "web" if stored_page else "tool"
        trust = Trust.WEB if stored_page else Trust.WORKSPACE
        return Opened(str(path), path.as_uri(), page.title or path.name, text, kind, trust)

    def _inside(self, name: str) -> Path:
        try:
            path = (self._roots.workspace / name).resolve()
            path.exists()
        except (OSError, ValueError, RuntimeError) as error:  # too long, a NUL, links in a circle
            raise ToolFault("files.missing", f"{clip(name, 80)!r} names no file.", "Check the name.") from error
        roots = (self._roots.workspace.resolve(), self._roots.pages.resolve())
        if not any(path.is_relative_to(root) for root in roots):
            raise ToolFault(
                "files.outside",
                f"{path} lies outside the working folder {roots[0]}.",
                f"Add it to the library with `limen library add {quote(str(path))}`, or start Limen in its folder.",
            )
        if any(part.startswith(".") for part in path.relative_to(_root_of(path, roots)).parts):
            raise ToolFault("files.hidden", f"{path} is hidden, and hidden files often hold secrets.", "Name another file.")
        return path


def _root_of(path: Path, roots: tuple[Path, ...]) -> Path:
    return next(root for root in reversed(roots) if path.is_relative_to(root))


def _file_path(ref: str) -> str:
    return unquote(urlsplit(ref).path) if ref.startswith("file://") else ref


def _mend(name: str) -> str:
    """What to do about a name that no file has."""
    return f"Give a web address whole: https://{clip(name, 200)}" if _HOST.match(name) else "Check the name."


def _read_regular(path: Path, mend: str) -> bytes:
    if path.is_dir():
        raise ToolFault("files.is_folder", f"{path} is a folder.", "Name a file in it.")
    if not path.exists():
        raise ToolFault("files.missing", f"There is no file {path}.", mend)
    if not path.is_file():
        raise ToolFault("files.not_regular", f"{path} is not a regular file.", "Name a regular file.")
    if path.stat().st_size > _FILE_BYTES:
        raise ToolFault("files.too_large", f"{path} is over {_FILE_BYTES:,} bytes.", "Add it to the library and search it.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise ToolFault("files.unreadable", f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from error
