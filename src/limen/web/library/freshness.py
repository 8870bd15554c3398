"""Whether a file is still what the index has of it: looked at when it is cited, so that an answer can say when it is not."""

from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Literal

import anyio.to_thread

from limen.store.library import DocumentMark, LibraryStore
from limen.web.library.load import Loaded, load
from limen.web.library.places import is_url
from limen.web.library.walk import Candidate, media_type_of, stamp_of

State = Literal["same", "changed", "gone"]
# Before a title, which is cut at its end where it is long: what is the matter with the file.
_NOTES: dict[State, str] = {
    "same": "",
    "changed": "changed since it was indexed",
    "gone": "no longer where it was indexed",
}


class Freshness:
    """Compares files with what one library has of them. What came from the web or cannot be looked at passes as the same."""

    def __init__(self, store: LibraryStore, library: str) -> None:
        self._store = store
        self._library = library
        self._mend = "limen library refresh" if library == "default" else f"limen library --library {quote(library)} refresh"

    async def notes(self, origins: Sequence[str]) -> dict[str, str]:
        """For those origins that are not what they were: a note for people, to stand before the title."""
        return await self.notes_on(await self._store.marks(self._library, list(dict.fromkeys(origins))))

    async def notes_on(self, marks: Mapping[str, DocumentMark]) -> dict[str, str]:
        """The same for origins with what the index has of them."""
        files = {origin: mark for origin, mark in marks.items() if not is_url(origin)}
        states = await anyio.to_thread.run_sync(_states, files) if files else {}
        return {origin: f"{_NOTES[state]} ({self._mend})" for origin, state in states.items() if state != "same"}


def _states(marks: Mapping[str, DocumentMark]) -> dict[str, State]:
    return {origin: state_of(origin, mark) for origin, mark in marks.items() if mark.digest}


def state_of(path: str, mark: DocumentMark) -> State:
    """How a file compares with its mark. Its size and time tell; where only the time differs, its bytes do. A line of an export
    is as old as its file."""
    exported = path.startswith(f"{mark.root}#")
    try:
        stamp = stamp_of(mark.root if exported else path)
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except OSError:
        return "same"  # it may be, and nobody can tell
    if stamp == mark.stamp:
        return "same"
    if exported or stamp[1] != mark.stamp[1]:
        return "changed"
    loaded = load(Candidate(path, stamp, media_type_of(path) or ""))
    return "same" if isinstance(loaded, Loaded) and loaded.digest == mark.digest else "changed"


def noted(title: str, note: str) -> str:
    """A title with a note before it, where there is one."""
    return f"{note}: {title}" if note else title
