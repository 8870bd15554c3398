"""The tool `web_extract` over canned pages, run through the real toolbox."""

import json

from web.rig import Canned, make_extractor

from limen.agent.shelving import Shelve
from limen.agent.toolbox import Toolbox
from limen.agent.toolsets import Selection
from limen.core.context import CallContext, silent
from limen.core.message import ToolCall
from limen.core.ports import Pulled
from limen.core.web import Page
from limen.evidence.redactor import SecretRedactor
from limen.kit.redact import SecretTable
from limen.web.tools.extract import WebExtract

HOST = "https://93.184.216.34"


class NoShelf:
    """A shelf that nothing should be put on."""

    async def keep(self, text, *, session, tool, source="", media_type="text/plain"):
        raise AssertionError(f"{len(text)} characters were cut after the pages had shared the room")


class Pages(Canned):
    """A reader of these texts by path; `asked` are the batches it was given."""

    def __init__(self, texts, **page):
        super().__init__(*(Pulled(url, Page(url=url, text=text, **{"title": "T", **page})) for url, text in texts.items()))


def tool(tmp_path, texts, *, max_urls=5, limit_chars=15_000, **page):
    """The tool and its reader."""
    reader = Pages(texts, **page)
    return WebExtract(make_extractor(tmp_path, {"local": reader}), max_urls, limit_chars), reader


async def run(web_extract, arguments, *, room_chars=100_000, room_tokens=10**9, context=None):
    """The result of one call as the window gets it: its leaves' texts and its outcome."""
    tools = Selection({"web_extract": web_extract}, frozenset({"web_extract"}))
    toolbox = Toolbox(tools, SecretRedactor(SecretTable()), Shelve(NoShelf(), len), limit_chars=room_chars)
    outcomes = [None]
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = ToolCall("c", "web_extract", text)
    await toolbox.run([call], context or CallContext(), silent, outcomes, room_tokens=room_tokens)
    (outcome,) = outcomes
    return [block.text for block in outcome.block.blocks], outcome


async def results(web_extract, arguments, **options):
    """The entries of the call's document."""
    leaves, _ = await run(web_extract, arguments, **options)
    return json.loads("\n".join(leaves))["results"]
