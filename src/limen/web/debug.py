"""A record of each call for whoever looks for a fault: what was asked, what each gate did and took, how much of each page came.

Records lie in `web-TURN.json` below the folder of logs, one JSON list a turn, private, without credentials, and bounded: the
oldest records of a file and the oldest files go first.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread
import msgspec

from limen.core.context import CallContext
from limen.core.web import Entry, ExtractAnswer, Extraction, Fetched, SearchAnswer, SearchRequest, Unread
from limen.kit.atomic import TooLarge, read_private, write_private
from limen.kit.clock import Clock, iso_utc, wall_s
from limen.kit.filelock import FileLock
from limen.kit.log import failed_open
from limen.web.trace import Trace

MAX_FILE_BYTES = 1_000_000
MAX_FILES = 200
# A file that somebody made larger by hand is not read whole.
_READ_BYTES = 4 * MAX_FILE_BYTES
_LOCK_S = 2.0
_STRING_CHARS = 2_000
_TURN = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class DebugLog:
    """Writes records while `enabled`. `redact` takes credentials out of a text. Trouble with the disk costs the record."""

    def __init__(self, folder: Path, redact: Callable[[str], str], enabled: Callable[[], bool], clock: Clock = wall_s) -> None:
        self._folder = folder
        self._redact = redact
        self._enabled = enabled
        self._clock = clock

    def trace(self) -> Trace | None:
        """What a call's steps note their times in, None while nobody wants to know."""
        return Trace() if self._enabled() else None

    async def note(self, tool: str, context: CallContext, record: Mapping[str, Any]) -> None:
        """Add a record of a call to its turn's file; `record` holds what msgspec can encode."""
        about = {"at": iso_utc(self._clock()), "tool": tool, "session": context.session, "turn": context.turn}
        plain = self._redacted(msgspec.to_builtins({**about, "call_id": context.call_id, **record}))
        try:
            await anyio.to_thread.run_sync(partial(self._add, self._path(context.turn), plain))
        except OSError as error:
            failed_open("web.debug_not_written", error)

    def _path(self, turn: str) -> Path:
        """A call that no turn makes, such as a person's own, is `direct`."""
        return self._folder / f"web-{turn if _TURN.fullmatch(turn) else 'direct'}.json"

    def _redacted(self, value: Any) -> Any:
        match value:
            case str():
                # Cut first, the beginning of a credential would stand at the cut, which nobody knows for one.
                return self._redact(value.encode("utf-8", "replace").decode())[:_STRING_CHARS]
            case dict():
                return {self._redacted(key): self._redacted(inner) for key, inner in value.items()}
            case list() | tuple():
                return [self._redacted(inner) for inner in value]
            case _:
                return value

    def _add(self, path: Path, record: Any) -> None:
        with FileLock(self._folder / ".web-debug.lock", _LOCK_S):
            records = [*_records(path), record]
            lines = [msgspec.json.encode(one) for one in records]
            while len(lines) > 1 and sum(map(len, lines)) > MAX_FILE_BYTES:
                del lines[0]
            write_private(path, b"[\n" + b",\n".join(lines) + b"\n]\n")
            self._make_room()

    def _make_room(self) -> None:
        files = sorted(self._folder.glob("web-*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in files[MAX_FILES:]:
            file.unlink(missing_ok=True)


def _records(path: Path) -> list[Any]:
    """What a file holds so far; one that is broken begins anew."""
    try:
        records = msgspec.json.decode(read_private(path, limit_bytes=_READ_BYTES))
    except (FileNotFoundError, TooLarge, msgspec.DecodeError, UnicodeDecodeError):
        return []
    return records if isinstance(records, list) else []


def extract_record(
    extraction: Extraction, answer: ExtractAnswer, trace: Trace, gates: tuple[str, ...], took_s: float
) -> dict[str, Any]:
    """A call to read pages. `gates` are those in the pipeline; of the trace's other steps the shapers come apart."""
    pages = [_page_record(entry) for entry in answer.entries]
    return {
        "parameters": {
            "urls": extraction.urls,
            "format": extraction.format,
            "char_limit": extraction.limit_chars,
            "fresh": extraction.fresh,
            "provider": extraction.provider,
            "redirects": extraction.redirects,
        },
        "error": answer.refusal.published() if answer.refusal is not None else None,
        "took_ms": round(took_s * 1_000, 3),
        "pages_extracted": sum(isinstance(entry, Fetched) for entry in answer.entries),
        "pages_truncated": sum(page.get("truncated", False) for page in pages),
        **_times(trace, gates),
        "pages": pages,
    }


def search_record(
    request: SearchRequest, answer: SearchAnswer, trace: Trace, gates: tuple[str, ...], took_s: float
) -> dict[str, Any]:
    """A search. `gates` are those in the pipeline, as for pages."""
    return {
        "parameters": request,
        "error": answer.refusal.published() if answer.refusal is not None else None,
        "took_ms": round(took_s * 1_000, 3),
        "results_count": len(answer.hits),
        "source": answer.source,
        "verdicts": answer.treatment.gates,
        **_times(trace, gates),
    }


def _times(trace: Trace, gates: tuple[str, ...]) -> dict[str, Any]:
    """What each gate took, in the pipeline's order, and each other step."""
    took_ms = trace.took_ms
    return {
        "gates": [{"name": name, "took_ms": took_ms[name]} for name in gates if name in took_ms],
        "steps": [{"name": name, "took_ms": took} for name, took in took_ms.items() if name not in gates],
    }


def _page_record(entry: Entry) -> dict[str, Any]:
    about: dict[str, Any] = {"url": entry.requested, "gates": entry.treatment.gates}
    if isinstance(entry, Unread):
        return {**about, "error": entry.refusal.published()}
    treatment = entry.treatment
    return {
        **about,
        "error": None,
        "final_url": entry.page.url,
        "provider": entry.provider,
        "media_type": entry.page.media_type,
        "original_chars": entry.chars_total,
        "sent_chars": entry.chars_shown,
        "truncated": treatment.cut is not None,
        "stored": entry.stored_path is not None,
        "cached": treatment.cached,
        "age_s": treatment.age_s,
        "rescued_from": treatment.rescued_from,
        "rescue_cause": entry.rescue_cause,
        "readers_failed": entry.readers_failed,
    }
