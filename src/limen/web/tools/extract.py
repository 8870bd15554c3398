"""The tool `web_extract`: reads pages, one leaf of the window each."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from limen.core.context import CallContext, SourceTable
from limen.core.fault import Refusal
from limen.core.ledger import Origin, Treatment, Trust
from limen.core.message import Text
from limen.core.tool import Part, ToolAnswer, ToolSpec
from limen.core.web import (
    Entry,
    ExtractAnswer,
    Extraction,
    Fetched,
    published_entry,
)
from limen.web.extract import Extractor

LIMIT_CHARS_MIN, LIMIT_CHARS_MAX = 2_000, 500_000


class ExtractArguments(msgspec.Struct):
    """Pages to read."""

    urls: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    char_limit: int | None = None


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
                f"Read up to {max_urls} web pages as Markdown. char_limit ({LIMIT_CHARS_MIN} to {LIMIT_CHARS_MAX}, default "
                f"{limit_chars}) caps each page; the whole is stored, next_line says where to go on with read_file."
            ),
            arguments=ExtractArguments,
            effect="fetch",
            output="verbatim",
            limit_chars=LIMIT_CHARS_MAX * max_urls,
        )

    async def run(self, arguments: ExtractArguments, context: CallContext) -> ToolAnswer:
        """The JSON document `{"results": […]}`, cut into leaves at the pages' borders."""
        answer = await self._answer(arguments, context)
        if context.sources is not None:
            await _note(context.sources, arguments.urls, answer)
        read = [entry for entry in answer.entries if isinstance(entry, Fetched)]
        if read:
            of_all = f"{len(read)} of {len(answer.entries)} pages, " if len(answer.entries) > 1 else ""
            size = sum(page.chars_total for page in read)
            await context.progress(f"{of_all}{size:,} characters", len(read), len(answer.entries))
        return _told(answer)

    async def _answer(self, arguments: ExtractArguments, context: CallContext) -> ExtractAnswer:
        if len(arguments.urls) > self._max_urls:
            reason = f"{len(arguments.urls)} addresses were given; {self._max_urls} may be read in one call."
            refusal = Refusal(
                "web_extract", "web.too_many_urls", reason, f"Call again for: {', '.join(arguments.urls[self._max_urls :])}"
            )
            return ExtractAnswer(refusal=refusal)
        asked = arguments.char_limit if arguments.char_limit is not None else self._limit_chars
        limit_chars = max(LIMIT_CHARS_MIN, min(asked, LIMIT_CHARS_MAX))
        answer = await self._extractor.extract(Extraction(arguments.urls, limit_chars=limit_chars), context)
        return ExtractAnswer(tuple([await _cited(entry, context) for entry in answer.entries]), answer.refusal)


async def _note(sources: SourceTable, urls: Sequence[str], answer: ExtractAnswer) -> None:
    """Tell the turn what became of each address it was asked to read."""
    if answer.refusal is not None:
        at_fault = answer.refusal.detail.get("index")
        for index, url in enumerate(dict.fromkeys(urls), 1):
            await sources.tried(url, answer.refusal if at_fault in (None, index) else _WITH_ANOTHER)
    for entry in answer.entries:
        await sources.tried(entry.requested, None if isinstance(entry, Fetched) else entry.refusal)


_WITH_ANOTHER = Refusal(
    "web_extract", "web.call_refused", "It was not asked for, since another address of the call was refused.", "Ask for it alone."
)


def _told(answer: ExtractAnswer) -> ToolAnswer:
    if answer.refusal is not None:
        return _whole_call(answer.refusal)
    entries = answer.entries
    parts = tuple(_leaf(entry, index, len(entries)) for index, entry in enumerate(entries))
    unread = [entry.refusal for entry in entries if not isinstance(entry, Fetched)]
    return ToolAnswer(parts, is_error=len(unread) == len(entries), refusal=unread[0] if unread else None)


async def _cited(entry: Entry, context: CallContext) -> Entry:
    if not isinstance(entry, Fetched) or context.sources is None:
        return entry
    source = await context.sources.note(
        entry.page.url, entry.page.title or entry.page.url, ref=entry.stored_path or "", read=True, text=entry.page.text
    )
    return msgspec.structs.replace(entry, n=source.n)


def _leaf(entry: Entry, index: int, count: int) -> Part:
    """One page's stretch of the document; joined by newlines the leaves are valid JSON."""
    head = '{"results": [' if index == 0 else ""
    tail = "]}" if index == count - 1 else ","
    text = head + msgspec.json.encode(published_entry(entry)).decode() + tail
    if isinstance(entry, Fetched):
        treatment = entry.treatment
        if treatment.chars_in is None:
            treatment = msgspec.structs.replace(treatment, chars_in=entry.chars_total)
        return Part(Text(text), Origin("web", entry.page.url, Trust.WEB, None, treatment))
    return Part(Text(text), Origin("tool", entry.requested, Trust.TOOL, None, entry.treatment))


def _whole_call(refusal: Refusal) -> ToolAnswer:
    shape: dict[str, Any] = {"error": refusal.published(), "results": []}
    origin = Origin("tool", refusal.gate, Trust.TOOL, None, Treatment())
    return ToolAnswer((Part(Text(msgspec.json.encode(shape).decode()), origin),), is_error=True, refusal=refusal)
