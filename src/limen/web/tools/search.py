"""The tool `web_search`: finds candidates in the library and the web."""

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal
from limen.core.ledger import Origin, OriginKind, Trust
from limen.core.message import Text
from limen.core.refs import RefKind
from limen.core.tool import Part, ToolAnswer, ToolSpec
from limen.core.web import SearchAnswer, published_search
from limen.kit.text import clip
from limen.web.browse.handles import Handles
from limen.web.citing import cited_hit
from limen.web.search import MAX_HITS, Searcher
from limen.web.search_call import LIBRARY, refused
from limen.web.tools.search_arguments import SearchArguments, request_of

_SOURCE_CHARS = 200


class WebSearch:
    """The tool `web_search`. With `handles`, each hit has one of the session's, for the tools that browse by them."""

    spec = ToolSpec(
        name="web_search",
        toolset="web",
        description=f"Find candidates in the library and the web: title, url, snippet, ref. limit is 1 to {MAX_HITS}.",
        arguments=SearchArguments,
        effect="fetch",
        output="compact",
        stands_for=("web",),
    )

    def __init__(self, searcher: Searcher, handles: Handles | None = None) -> None:
        self._searcher = searcher
        self._handles = handles

    async def run(self, arguments: SearchArguments, context: CallContext) -> ToolAnswer:
        """Hits as one JSON leaf, numbered for citing."""
        answer = await self._answer(arguments, context)
        answer = msgspec.structs.replace(answer, hits=tuple([await cited_hit(hit, context) for hit in answer.hits]))
        if answer.hits and self._handles is not None:
            shown: RefKind = "image" if answer.hits[0].image_url else "search"
            answer = await self._handles.of_hits(answer, shown, context)
        if answer.refusal is None:
            await context.progress(_told(answer), len(answer.hits))
        text = msgspec.json.encode(published_search(answer)).decode()
        trust = _trust(answer)
        kind: OriginKind = "web" if trust is Trust.WEB else "tool"
        origin = Origin(kind, f"search: {clip(str(arguments.query), _SOURCE_CHARS)}", trust, None, answer.treatment)
        return ToolAnswer((Part(Text(text), origin),), is_error=answer.refusal is not None, refusal=answer.refusal)

    async def _answer(self, arguments: SearchArguments, context: CallContext) -> SearchAnswer:
        read = request_of(arguments)
        if isinstance(read, Refusal):
            return refused(read)
        request, notices = read
        answer = await self._searcher.search(request, context)
        source = msgspec.structs.replace(answer.source, notices=(*notices, *answer.source.notices))
        return msgspec.structs.replace(answer, source=source)


def _told(answer: SearchAnswer) -> str:
    """How much was found, and who outside was given the words for it."""
    source = answer.source
    found = f"{len(answer.hits) or 'no'} {'hit' if len(answer.hits) == 1 else 'hits'}"
    others = [name for name in (source.rescued_from, source.provider, *source.also) if name and name != LIBRARY]
    asked = f" · {'kept from' if source.cached else 'asked'} {', '.join(others)}" if others else ""
    return found + asked


def _trust(answer: SearchAnswer) -> Trust:
    """A person's own documents are the workspace's, whatever else was found the web's."""
    if any(hit.site != LIBRARY for hit in answer.hits):
        return Trust.WEB
    return Trust.WORKSPACE if answer.hits or answer.source.provider == LIBRARY else Trust.TOOL
