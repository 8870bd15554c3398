"""The tool `web_extract`: reads pages, one leaf of the window each."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from limen.core.context import CallContext, SourceTable
from limen.core.fault import Refusal
from limen.core.ledger import Origin, Trust
from limen.core.message import Text
from limen.core.tool import Part, ToolAnswer, ToolSpec, refused_origin
from limen.core.web import Entry, ExtractAnswer, Extraction, Fetched, PageFormat
from limen.web.citing import cited_page
from limen.web.extract import Extractor
from limen.web.tools.addresses import Given, given
from limen.web.tools.char_limit import LIMIT_CHARS_MAX, LIMIT_CHARS_MIN, bounded, char_limit, noticed
from limen.web.tools.room import LEAST_PAGE_CHARS, Document, json_of

# Models give lists as texts, texts as objects and numbers as words; what is meant is found out, so that the call is not lost.
_Urls = Annotated[Any, msgspec.Meta(extra_json_schema={"type": "array", "items": {"type": "string"}})]
_CharLimit = Annotated[Any, msgspec.Meta(extra_json_schema={"type": "integer"})]
# So much of what else was asked for is named.
_NAMED_CHARS = 1_000


class ExtractArguments(msgspec.Struct):
    """Pages to read."""

    urls: _Urls
    char_limit: _CharLimit = None
    format: PageFormat = "markdown"
    fresh: bool = False


class WebExtract:
    """The tool `web_extract`: one leaf a page, so that each page has its own line in the ledger."""

    def __init__(self, extractor: Extractor, max_urls: int, limit_chars: int) -> None:
        self._extractor = extractor
        self._max_urls = max_urls
        self._limit_chars = limit_chars
        self.spec = ToolSpec(
            name="web_extract",
            toolset="web",
            description=(
                f"Read up to {max_urls} web pages. char_limit ({LIMIT_CHARS_MIN} to {LIMIT_CHARS_MAX}, default {limit_chars}) "
                "caps each; a longer page is stored whole, and its last line says how to read on. fresh passes by the cache."
            ),
            arguments=ExtractArguments,
            effect="fetch",
            output="verbatim",
            limit_chars=LIMIT_CHARS_MAX * max_urls,
        )

    async def run(self, arguments: ExtractArguments, context: CallContext) -> ToolAnswer:
        """The JSON document `{"results": […]}`, cut into leaves at the pages' borders; as a whole within the call's room."""
        wanted = given(arguments.urls)
        document = Document(context.room_chars, len(wanted.places), self._extractor.stored_at)
        answer = self._refused(wanted, context.room_chars) or await self._answer(arguments, wanted, document, context)
        if context.sources is not None:
            await _note(context.sources, wanted.urls, answer)
        read = [entry for entry in answer.entries if isinstance(entry, Fetched)]
        if read:
            of_all = f"{len(read)} of {len(answer.entries)} pages, " if len(answer.entries) > 1 else ""
            size = sum(page.chars_total for page in read)
            await context.progress(f"{of_all}{size:,} characters", len(read), len(answer.entries))
        return _told(answer, document, wanted.urls)

    def _refused(self, wanted: Given, room_chars: int) -> ExtractAnswer | None:
        """Whole calls that ask for nothing, or for more than has room; what was left is named, not lost."""
        if not wanted.places:
            reason = "No address was given."
            return ExtractAnswer(refusal=Refusal("web_extract", "web.no_urls", reason, 'Give a list: {"urls": ["https://…"]}'))
        most = min(self._max_urls, max(1, room_chars // LEAST_PAGE_CHARS))
        if len(wanted.places) <= most:
            return None
        reason = f"{len(wanted.places)} addresses were given; {most} may be read in one call."
        return ExtractAnswer(refusal=Refusal("web_extract", "web.too_many_urls", reason, _for_later(wanted, most)))

    async def _answer(
        self, arguments: ExtractArguments, wanted: Given, document: Document, context: CallContext
    ) -> ExtractAnswer:
        limit = char_limit(arguments.char_limit, self._limit_chars)
        limit = bounded(limit, context.room_chars) if arguments.char_limit is not None else limit
        beside = sum(len(document.entry(entry)) for entry in wanted.unread) + len(json_of(limit.notices)) * len(wanted.urls)
        extraction = Extraction(wanted.urls, arguments.format, limit.chars, arguments.fresh)
        answer = await self._extractor.extract(
            extraction, context, share=lambda entries: document.share(entries, limit.chars, beside)
        )
        entries = [
            await cited_page(entry, context) if isinstance(entry, Fetched) else entry for entry in noticed(answer, limit).entries
        ]
        return wanted.filled(msgspec.structs.replace(answer, entries=tuple(entries)))


def _for_later(wanted: Given, most: int) -> str:
    """What to call again for, as far as it is worth the room; places without an address are not worth a call."""
    later = [url for url in wanted.urls[most:] if url]
    named: list[str] = []
    for url in later:
        if sum(map(len, named)) + len(url) > _NAMED_CHARS:
            break
        named.append(url)
    more = f" and {len(later) - len(named)} more" if len(named) < len(later) else ""
    return f"Call again for: {', '.join(named)}{more}" if later else f"Give at most {most}."


async def _note(sources: SourceTable, urls: Sequence[str], answer: ExtractAnswer) -> None:
    """Tell the turn what became of each address it was asked to read."""
    if answer.refusal is not None:
        at_fault = answer.refusal.detail.get("index")
        for index, url in enumerate(urls, 1):
            if url and urls.index(url) + 1 == index:
                await sources.tried(url, answer.refusal if at_fault in (None, index) else _WITH_ANOTHER)
    for entry in answer.entries:
        if entry.requested:
            await sources.tried(entry.requested, None if isinstance(entry, Fetched) else entry.refusal)


_WITH_ANOTHER = Refusal(
    "web_extract", "web.call_refused", "It was not asked for, since another address of the call was refused.", "Ask for it alone."
)


def _told(answer: ExtractAnswer, document: Document, urls: Sequence[str]) -> ToolAnswer:
    if answer.refusal is not None:
        return _whole_call(answer.refusal, " ".join(urls) or "web_extract")
    entries = answer.entries
    parts = tuple(_leaf(entry, index, len(entries), document) for index, entry in enumerate(entries))
    unread = [entry.refusal for entry in entries if not isinstance(entry, Fetched)]
    return ToolAnswer(parts, is_error=len(unread) == len(entries), refusal=unread[0] if unread else None)


def _leaf(entry: Entry, index: int, count: int, document: Document) -> Part:
    """One page's stretch of the document; joined by newlines the leaves are valid JSON."""
    head = '{"results": [' if index == 0 else ""
    tail = "]}" if index == count - 1 else ","
    text = head + document.entry(entry) + tail
    if isinstance(entry, Fetched):
        treatment = entry.treatment
        if treatment.chars_in is None:
            treatment = msgspec.structs.replace(treatment, chars_in=entry.chars_total)
        return Part(Text(text), Origin("web", entry.page.url, Trust.WEB, None, treatment))
    return Part(Text(text), Origin("tool", entry.requested or "web_extract", Trust.TOOL, None, entry.treatment))


def _whole_call(refusal: Refusal, asked: str) -> ToolAnswer:
    shape: dict[str, Any] = {"error": refusal.published(), "results": []}
    return ToolAnswer((Part(Text(json_of(shape)), refused_origin(asked, refusal)),), is_error=True, refusal=refusal)
