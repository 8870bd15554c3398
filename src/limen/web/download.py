"""Bytes of a file, past the same gates as a page: for what is no text, and for pictures of documents."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict
from limen.core.web import ExtractAnswer, Extraction, Unread
from limen.kit.pipeline import pipeline
from limen.net.url import normalise
from limen.web.call import ExtractCall, ExtractGate, Wanted, came_from, unread
from limen.web.mode import Mode, outside_mode

# Those of a page that speak of its address, outermost first: whoever fetches bytes is always this program itself.
DOWNLOAD_GATES = ("secrets", "network", "policy", "permission")


class Downloaded(msgspec.Struct, frozen=True):
    """A file's bytes, where they came from in the end, their declared media type, and the gates that were passed.

    `headers` are the server's, names in lower case; `moved_to` is where the address has moved for good. `unchanged` says that
    the body is empty because a condition among the headers that were sent holds.
    """

    url: str
    media_type: str
    body: bytes
    gates: tuple[GateVerdict, ...] = ()
    headers: Mapping[str, str] = {}
    moved_to: str = ""
    unchanged: bool = False


# Fetches one address that was judged, hop by hop, up to a number of bytes, with headers of the caller's.
Get = Callable[[str, int, Mapping[str, str]], Awaitable[Downloaded | Refusal]]
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class DownloadParts(NamedTuple):
    """Gates by name, what fetches, and the mode, as the settings have them now. `get` judges each hop of a redirect itself."""

    gates: Mapping[str, ExtractGate]
    get: Get
    mode: Mode = "live"


class Downloader:
    """Fetches one file at a time through the gates."""

    def __init__(self, parts: Callable[[], DownloadParts]) -> None:
        self._parts = parts

    async def download(
        self, url: str, context: CallContext, *, max_bytes: int, headers: Mapping[str, str] = _NO_HEADERS
    ) -> Downloaded | Refusal:
        """The file behind an address, or why it cannot be had. Codes: those of the gates and of `net.fetch`."""
        get = self._parts().get
        return await self._through(url, context, lambda judged: get(judged, max_bytes, headers))

    async def vet(self, url: str, context: CallContext) -> Refusal | None:
        """Why an address may not be fetched, or None; nothing is."""

        async def nothing(judged: str) -> Downloaded | Refusal:
            return Downloaded(judged, "", b"")

        got = await self._through(url, context, nothing)
        return got if isinstance(got, Refusal) else None

    async def _through(
        self, url: str, context: CallContext, get: Callable[[str], Awaitable[Downloaded | Refusal]]
    ) -> Downloaded | Refusal:
        parts = self._parts()
        if (refusal := outside_mode(parts.mode)) is not None:
            return refusal
        got: dict[str, Downloaded] = {}

        async def endpoint(call: ExtractCall) -> ExtractAnswer:
            (wanted,) = call.wanted
            answer = await get(wanted.url)
            if isinstance(answer, Refusal):
                return ExtractAnswer((unread(wanted, answer),))
            got[wanted.url] = msgspec.structs.replace(answer, gates=wanted.verdicts)
            return ExtractAnswer((came_from(wanted, answer.url),))

        normal = normalise(url)
        wanted = Wanted(url, url if isinstance(normal, Refusal) else normal)
        proceed = pipeline([parts.gates[name] for name in DOWNLOAD_GATES], endpoint)
        answer = await proceed(ExtractCall((wanted,), Extraction((url,)), context))
        if answer.refusal is not None:
            return answer.refusal
        (entry,) = answer.entries
        return entry.refusal if isinstance(entry, Unread) else got[wanted.url]
