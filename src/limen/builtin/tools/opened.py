"""What the tools that open references have in common: the source's number and the ledger's leaf."""

from typing import Any

import msgspec

from limen.core.context import CallContext
from limen.core.ledger import Cut, Origin, Treatment
from limen.core.message import Text
from limen.core.ports import Opened
from limen.core.tool import Part


async def cite(opened: Opened, context: CallContext, text: str, first_line: int) -> int | None:
    """The number that an answer cites this source by, once the session numbers sources at all."""
    if context.sources is None:
        return None
    source = await context.sources.note(opened.url, opened.title, ref=opened.ref, read=True, text=text, first_line=first_line)
    return source.n


def leaf(opened: Opened, body: dict[str, Any], cut: Cut | None) -> Part:
    """A JSON leaf whose ledger line names the source, its whole size, and where the whole lies."""
    treatment = Treatment(chars_in=len(opened.text), cut=cut, stored_path=opened.ref)
    return Part(Text(msgspec.json.encode(body).decode()), Origin(opened.kind, opened.url, opened.trust, None, treatment))
