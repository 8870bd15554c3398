"""The tool `web_fetch`: asks one page one question."""

from typing import Annotated, Any

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import Origin, Treatment, Trust
from limen.core.message import Text
from limen.core.tool import Part, ToolAnswer, ToolSpec, refused_origin
from limen.core.untrusted import Nonce, defuse, fence
from limen.core.web import published_entry
from limen.web.citing import cited_page
from limen.web.fetch import PageFetcher, ReadPage, SavedFile


class FetchArguments(msgspec.Struct):
    """A page and what is asked of it."""

    url: Annotated[str, msgspec.Meta(min_length=1)]
    prompt: Annotated[str, msgspec.Meta(min_length=1, max_length=8_000)]


class WebFetch:
    """The tool `web_fetch`. What it answers is derived from a page of strangers, so it is fenced and trusted like one."""

    def __init__(self, fetcher: PageFetcher, nonce: Nonce) -> None:
        self._fetcher = fetcher
        self._nonce = nonce
        self.spec = ToolSpec(
            name="web_fetch",
            toolset="fetch",
            description=(
                "Ask one web page a question. answer is derived by a second model or quoted; content or passages are the page's "
                "own words, stored_path its whole text. A redirect to another host is handed back."
            ),
            arguments=FetchArguments,
            effect="fetch",
            output="verbatim",
        )

    async def run(self, arguments: FetchArguments, context: CallContext) -> ToolAnswer:
        """One JSON leaf."""
        got = await self._fetcher.fetch(arguments.url, arguments.prompt, context)
        if context.sources is not None:
            await context.sources.tried(arguments.url, got if isinstance(got, Refusal) else None)
        if isinstance(got, Refusal):
            return _refused(arguments.url, got)
        if isinstance(got, SavedFile):
            return _saved(arguments.url, got)
        await context.progress(f"{got.entry.chars_total:,} characters")
        return await self._read(arguments.url, got, context)

    async def _read(self, url: str, got: ReadPage, context: CallContext) -> ToolAnswer:
        entry = await cited_page(msgspec.structs.replace(got.entry, requested=url), context)
        page = entry.page
        nonce = self._nonce()
        content = fence(entry.content, nonce, page.url) if entry.content else ""
        shown = msgspec.structs.replace(entry, content=content, page=msgspec.structs.replace(page, title=defuse(page.title)))
        answer = None if got.answer is None else {**got.answer.published(), "text": fence(got.answer.text, nonce, page.url)}
        document = {
            **published_entry(shown),
            "answer": answer,
            "passages": [
                {"line": one.line, "under": defuse(" › ".join(one.headings)), "text": fence(one.text, nonce, page.url)}
                for one in got.passages
            ],
            "file": None,
            "notices": list(got.notices),
        }
        return ToolAnswer((_leaf(document, Origin("web", page.url, Trust.WEB, None, entry.treatment)),))


def _saved(url: str, file: SavedFile) -> ToolAnswer:
    document = {
        "url": url,
        "title": "",
        "content": "",
        "error": None,
        "answer": None,
        "passages": [],
        "file": {"path": file.path, "size_bytes": file.size_bytes, "media_type": defuse(file.media_type)},
        "notices": ["The file holds no text to answer from; it was saved."],
        "source": {"final_url": file.final_url, "provider": "local", "media_type": defuse(file.media_type)},
    }
    treatment = Treatment(gates=file.gates, stored_path=file.path)
    return ToolAnswer((_leaf(document, Origin("web", file.final_url, Trust.WEB, None, treatment)),))


def _refused(url: str, refusal: Refusal) -> ToolAnswer:
    """A redirect is a choice and no failure; where it leads is a stranger's word all the same."""
    document: dict[str, Any] = {"url": url, "error": refusal.published()}
    if "redirects_to" in refusal.detail:
        origin = Origin("web", url, Trust.WEB, None, Treatment(gates=refusal.verdicts()))
        return ToolAnswer((_leaf(document, origin),), refusal=refusal)
    return ToolAnswer((_leaf(document, refused_origin(url, refusal)),), is_error=True, refusal=refusal)


def _leaf(document: dict[str, Any], origin: Origin) -> Part:
    return Part(Text(msgspec.json.encode(document).decode()), origin)
