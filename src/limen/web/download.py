"""Bytes of a file, past the same gates as a page: for what is no text, and for pictures of documents."""

from collections.abc import Awaitable, Callable, Mapping

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import GateVerdict, Treatment
from limen.core.web import ExtractAnswer, Extraction, Fetched, Page, Unread
from limen.kit.pipeline import pipeline
from limen.net.url import normalise
from limen.web.call import ExtractCall, ExtractGate, Wanted, unread
from limen.web.mode import outside_mode

# Those of a page that speak of its address, outermost first: whoever fetches bytes is always this program itself.
DOWNLOAD_GATES = ("secrets", "network", "policy", "permission")


class Downloaded(msgspec.Struct, frozen=True):
    """A file's bytes, where they came from in the end, their declared media type, and the gates that were passed."""

    url: str
    media_type: str
    body: bytes
    gates: tuple[GateVerdict, ...] = ()


# Fetches one address that was judged, hop by hop, up to a number of bytes.
Get = Callable[[str, int], Awaitable[Downloaded | Refusal]]


class Downloader:
    """Fetches one file at a time through `gates` by name. `get` judges each hop of a redirect itself."""

    def __init__(self, gates: Mapping[str, ExtractGate], get: Get, mode: str = "live") -> None:
        self._gates = [gates[name] for name in DOWNLOAD_GATES]
        self._get = get
        self._mode = mode

    async def download(self, url: str, context: CallContext, *, max_bytes: int) -> Downloaded | Refusal:
        """The file behind an address, or why it cannot be had. Codes: those of the gates and of `net.fetch`."""
        if (refusal := outside_mode(self._mode)) is not None:
            return refusal
        got: dict[str, Downloaded] = {}

        async def endpoint(call: ExtractCall) -> ExtractAnswer:
            (wanted,) = call.wanted
            answer = await self._get(wanted.url, max_bytes)
            if isinstance(answer, Refusal):
                return ExtractAnswer((unread(wanted, answer),))
            got[wanted.url] = msgspec.structs.replace(answer, gates=wanted.verdicts)
            return ExtractAnswer((_as_entry(wanted, answer),))

        normal = normalise(url)
        wanted = Wanted(url, url if isinstance(normal, Refusal) else normal)
        answer = await pipeline(self._gates, endpoint)(ExtractCall((wanted,), Extraction((url,)), context))
        if answer.refusal is not None:
            return answer.refusal
        (entry,) = answer.entries
        return entry.refusal if isinstance(entry, Unread) else got[wanted.url]


def _as_entry(wanted: Wanted, downloaded: Downloaded) -> Fetched:
    """What the gates look at on the way out: where the file came from in the end."""
    page = Page(url=downloaded.url, media_type=downloaded.media_type)
    return Fetched(
        requested=wanted.requested,
        page=page,
        provider="local",
        fetched_at="",
        content="",
        chars_total=0,
        chars_shown=0,
        treatment=Treatment(gates=wanted.verdicts),
    )
