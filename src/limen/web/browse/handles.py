"""The handles of a session: given to what it was shown, and taken for what it wants to see again."""

from collections.abc import Sequence
from difflib import get_close_matches

import msgspec

from limen.core.context import CallContext
from limen.core.fault import Refusal, StoreFault
from limen.core.ports import RefTable
from limen.core.refs import Ref, RefKind, ref_name
from limen.core.web import Hit, SearchAnswer
from limen.kit.log import failed_open
from limen.kit.text import clip
from limen.web.browse.view import View

_NEAR = 3


class Handles:
    """Gives and takes handles, each for the session of the call. Where they cannot be stored, things are shown without."""

    def __init__(self, table: RefTable) -> None:
        self._table = table

    async def of_hits(self, answer: SearchAnswer, kind: RefKind, context: CallContext) -> SearchAnswer:
        """The answer with a handle on each hit."""
        refs = [Ref(kind, hit.url, _opens(hit), hit.title, line=hit.line) for hit in answer.hits]
        named = await self._note(refs, context)
        hits = (msgspec.structs.replace(hit, ref_id=ref.name) for hit, ref in zip(answer.hits, named, strict=True))
        return msgspec.structs.replace(answer, hits=tuple(hits))

    async def of_view(self, view: View, context: CallContext) -> View:
        """The view under a handle; one that was opened by a view's handle has it already."""
        if view.ref.name:
            return view
        (named,) = await self._note([view.ref], context)
        return msgspec.structs.replace(view, ref=named)

    async def _note(self, refs: Sequence[Ref], context: CallContext) -> Sequence[Ref]:
        try:
            return await self._table.note(context.session, context.turn, refs)
        except StoreFault as fault:  # what was found is worth having without its handles
            failed_open("browse.not_noted", fault)
            return refs

    async def look_up(self, name: str, context: CallContext) -> Ref | Refusal:
        """What this session calls by that name. Code: `browse.unknown_ref`, which names those that are near."""
        ref = await self._table.look_up(context.session, name)
        if ref is not None:
            return ref
        names = await self._table.names(context.session)
        wanted = str(ref_name(name) or name)
        near = get_close_matches(wanted, names, n=_NEAR, cutoff=0.5) or list(names[:_NEAR])
        reason = f"Nothing was shown here as {clip(name, 80)}."
        mend = f"Near it are: {', '.join(near)}." if near else "Search first, or open an address."
        return Refusal("browse", "browse.unknown_ref", reason, mend, {"near": near})

    async def view_of(self, url: str, context: CallContext) -> Ref | None:
        """How this turn has seen an address last."""
        return await self._table.view_of(context.session, context.turn, url)

    async def earlier_view_of(self, url: str, context: CallContext) -> Ref | None:
        """How this session has seen an address last, as far as that can be read."""
        try:
            return await self._table.view_of(context.session, None, url)
        except StoreFault as fault:  # the page is worth having without it
            failed_open("browse.not_noted", fault)
            return None


def _opens(hit: Hit) -> str:
    """What opens a hit: its address, or for what is no web page its reference."""
    return hit.url if hit.url.startswith(("http://", "https://")) and not hit.ref.startswith("lib:") else hit.ref or hit.url
