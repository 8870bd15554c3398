"""`web_fetch`: one page and a question about it. The page comes through the gates of every page, the answer beside it."""

from mimetypes import guess_extension
from pathlib import PurePosixPath
from urllib.parse import urlsplit

import anyio
import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal, ToolFault
from limen.core.ledger import GateVerdict
from limen.core.ports import Quotation
from limen.core.web import Extraction, Fetched, Page, Unread
from limen.kit.log import failed_open
from limen.net.host import host_of, lies_in
from limen.net.same_host import cross_host
from limen.net.url import DEFAULT_PORTS, SafeUrl, parse
from limen.web.answering import AskedPage, Derived, PageAnswerer
from limen.web.download import Downloaded, Downloader
from limen.web.extract import Extractor
from limen.web.gates.permission import DOCUMENTATION_HOSTS
from limen.web.shapers.shelve import STORE_CHARS

MAX_URL_CHARS = 2_000
MAX_BYTES = 10_000_000
TIMEOUT_S = 60.0
# What of a page comes beside an answer: all of a short one, passages of a longer one.
BESIDE_CHARS = 5_000
_MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
_NO_TEXT = frozenset({"reading.binary", "reading.unsupported"})
_NOT_REACHED = frozenset({"network.connect_failed", "network.tls", "network.timeout", "network.protocol", "network.reset"})
_MAX_SUFFIX_CHARS = 9


class SavedFile(msgspec.Struct, frozen=True):
    """A file that holds no text to answer from, kept where only its owner reads it."""

    path: str
    size_bytes: int
    media_type: str
    final_url: str
    gates: tuple[GateVerdict, ...] = ()


class ReadPage(msgspec.Struct, frozen=True):
    """A page with the answer to a question about it. `entry.content` is the page's own text where it is short enough, else empty;
    `passages` are those of its text that fit the question. No `answer` where the page itself, as it is, is the answer."""

    entry: Fetched
    answer: Derived | None = None
    passages: tuple[Quotation, ...] = ()
    notices: tuple[str, ...] = ()


class FetchParts(msgspec.Struct, frozen=True):
    """What a fetch works with; `budget_chars` is what a page may put into a window."""

    extractor: Extractor
    downloader: Downloader
    answerer: PageAnswerer
    budget_chars: int


class PageFetcher:
    """Reads one page and answers one question about it."""

    def __init__(self, parts: FetchParts) -> None:
        self._parts = parts

    async def fetch(self, url: str, prompt: str, context: CallContext) -> ReadPage | SavedFile | Refusal:
        """The answer with the stored page, a file that was saved, or why there is neither.

        A page that leads to another host is a refusal `web.cross_host_redirect` with `redirects_to` in its detail. Further codes:
        `network.url_too_long`, `fetch.one_label`, `fetch.empty_prompt`, those of the gates and of the reader. Raises ToolFault
        `fetch.not_saved` where a file cannot be kept.
        """
        if not prompt.strip():
            return Refusal("web_fetch", "fetch.empty_prompt", "The prompt is empty.", "Say what to look for in the page.")
        asked = address_of(url)
        if isinstance(asked, Refusal):
            return asked
        try:
            with anyio.fail_after(TIMEOUT_S):
                got = await self._got(asked, context)
        except TimeoutError:
            reason = f"{asked.host} gave no page within {TIMEOUT_S:g} s."
            return Refusal("network", "network.timeout", reason, "try again later")
        if isinstance(got, Refusal):
            return _choice(_of_size(_of_upgrade(got, url, asked)))
        return got if isinstance(got, SavedFile) else await self._answered(got, prompt, context)

    async def _got(self, asked: SafeUrl, context: CallContext) -> Fetched | SavedFile | Refusal:
        wish = Extraction((str(asked),), limit_chars=STORE_CHARS, redirects="same-host", max_bytes=MAX_BYTES, files=True)
        answer = await self._parts.extractor.extract(wish, context, fenced=False)
        if answer.refusal is not None:
            return answer.refusal
        (entry,) = answer.entries
        if not isinstance(entry, Unread):
            return entry
        if entry.refusal.code not in _NO_TEXT:
            return entry.refusal
        if entry.file is not None:
            file = entry.file
            return await self._saved(Downloaded(file.url, file.media_type, file.body, entry.refusal.passed))
        got = await self._parts.downloader.download(str(asked), context, max_bytes=MAX_BYTES)
        return got if isinstance(got, Refusal) else _elsewhere(asked, got.url) or await self._saved(got)

    async def _saved(self, got: Downloaded) -> SavedFile:
        suffix = _suffix(got.url, got.media_type)
        try:
            path = await self._parts.extractor.store(Page(url=got.url), got.body, suffix)
        except OSError as error:
            reason = f"The file of {len(got.body):,} bytes cannot be kept: {error.strerror or error}."
            raise ToolFault("fetch.not_saved", reason, "Make room in Limen's home.") from error
        return SavedFile(str(path), len(got.body), got.media_type, got.url, got.gates)

    async def _answered(self, entry: Fetched, prompt: str, context: CallContext) -> ReadPage:
        text = entry.content
        entry = await self._stored(entry)
        host = host_of(entry.page.url)
        freely = any(lies_in(host, name) for name in DOCUMENTATION_HOSTS)
        if freely and entry.page.media_type in _MARKDOWN and len(text) <= self._parts.budget_chars:
            return ReadPage(entry)
        asked = AskedPage(entry.page.url, entry.page.title, text, freely, context.asked_by)
        answered = await self._parts.answerer.answer(prompt, asked)
        context.spend(answered.answer.usage)
        verdict = GateVerdict("answer", "changed", "fetch.derived")
        treatment = entry.treatment.judged(verdict, chars_in=len(text))
        whole = len(text) <= min(BESIDE_CHARS, self._parts.budget_chars)
        entry = msgspec.structs.replace(entry, treatment=treatment)
        if not whole:  # then reading on begins at the page's beginning
            entry = msgspec.structs.replace(entry, content="", chars_shown=0, next_line=1, next_char=None)
        repeats = answered.answer.model == self._parts.answerer.quoting
        passages = () if whole or repeats else tuple(_within(answered.passages, BESIDE_CHARS))
        return ReadPage(entry, answered.answer, passages, answered.notices)

    async def _stored(self, entry: Fetched) -> Fetched:
        """The entry with its whole text at a path of its own, also where it is short: what is derived must be checkable."""
        if entry.stored_path is not None:  # too long for a call: the whole was stored when it was cut
            return entry
        try:
            path = await self._parts.extractor.store(entry.page, entry.content)
        except OSError as error:
            failed_open("shelve.store_failed", error)  # the page is still worth having
            return entry
        treatment = msgspec.structs.replace(entry.treatment, stored_path=str(path))
        return msgspec.structs.replace(entry, stored_path=str(path), treatment=treatment)


def address_of(url: str) -> SafeUrl | Refusal:
    """The address that is asked for in place of `url`, or why none is: `http` becomes `https` where no port is named."""
    if len(url) > MAX_URL_CHARS:
        reason = f"The address has {len(url):,} characters; {MAX_URL_CHARS:,} are allowed here."
        return Refusal("network", "network.url_too_long", reason, "web_extract takes longer ones.")
    parsed = parse(url)
    if isinstance(parsed, Refusal):
        return parsed
    if not parsed.literal and "." not in parsed.host.rstrip("."):
        reason = f"{parsed.host} is a host of one label, which no public page has."
        return Refusal(
            "network", "fetch.one_label", reason, "Give the full name of the host; web_extract reads hosts of your own."
        )
    if parsed.scheme == "http" and parsed.port == DEFAULT_PORTS["http"]:
        return msgspec.structs.replace(parsed, scheme="https", port=DEFAULT_PORTS["https"])
    return parsed


def _elsewhere(asked: SafeUrl, final_url: str) -> Refusal | None:
    final = parse(final_url)
    return None if isinstance(final, Refusal) else cross_host(asked, final)


def _choice(refusal: Refusal) -> Refusal:
    """The refusal of a page that leads elsewhere says how this tool goes on; any other stays as it is."""
    onward = refusal.detail.get("redirects_to")
    return refusal if onward is None else msgspec.structs.replace(refusal, mend=f"To follow, call web_fetch with {onward}")


def _of_size(refusal: Refusal) -> Refusal:
    """More than this tool reads of any page, whatever the settings allow."""
    if refusal.code != "network.too_large" or refusal.detail.get("limit_bytes") != MAX_BYTES:
        return refusal
    return msgspec.structs.replace(refusal, mend="web_extract goes by reader.max_bytes and reader.max_pdf_bytes instead.")


def _of_upgrade(refusal: Refusal, url: str, asked: SafeUrl) -> Refusal:
    """A failure to reach what was asked for over https in place of http says so."""
    if refusal.code not in _NOT_REACHED or not url.lower().startswith("http:") or asked.scheme != "https":
        return refusal
    reason = f"{refusal.reason} (asked for over https in place of http)"
    return msgspec.structs.replace(refusal, reason=reason, mend="web_extract reads an http address as it is.")


def _suffix(url: str, media_type: str) -> str:
    """A file's ending: that of its type, else that of its address where it is a plain one."""
    guessed = guess_extension(media_type) if media_type not in ("", "application/octet-stream") else None
    own = PurePosixPath(urlsplit(url).path).suffix
    plain = own[1:].isascii() and own[1:].isalnum() and len(own) <= _MAX_SUFFIX_CHARS
    return guessed or (own.lower() if plain else ".bin")


def _within(passages: tuple[Quotation, ...], room_chars: int) -> list[Quotation]:
    """The best passages that fit, the first one cut where it alone does not."""
    fitting: list[Quotation] = []
    for passage in passages:
        if len(passage.text) > room_chars:
            if not fitting:
                fitting.append(msgspec.structs.replace(passage, text=passage.text[:room_chars] + "…"))
            break
        room_chars -= len(passage.text)
        fitting.append(passage)
    return fitting
