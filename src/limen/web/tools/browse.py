"""The tools `web_open`, `web_click`, `web_find`: browsing by reference, one command a call."""

from typing import Annotated

import msgspec
from msgspec import Meta

from limen.core.browse import BrowseSettings, Click, Command, Find, Open, ResponseLength
from limen.core.context import CallContext
from limen.core.ports import BrowseNamespace
from limen.core.tool import ToolAnswer, ToolSpec
from limen.web.browse.answer import answer_of, request_of
from limen.web.browse.browser import MOST_PATTERN_CHARS

_Target = Annotated[str, Meta(description="URL, or a ref such as turn0view1 or lib:3", min_length=1)]
LIMIT_CHARS = 60_000


class _BrowseTool:
    """A tool that carries out one command."""

    def __init__(
        self, name: str, description: str, arguments: type[msgspec.Struct], namespace: BrowseNamespace, settings: BrowseSettings
    ) -> None:
        self._namespace = namespace
        self._settings = settings
        self.spec = ToolSpec(name, "browse", description, arguments, "fetch", "verbatim", LIMIT_CHARS)

    async def _one(self, command: Command, length: ResponseLength, context: CallContext) -> ToolAnswer:
        request = request_of((command,), length, self._settings, context)
        return answer_of(await self._namespace.run(request, context))


class OpenArguments(msgspec.Struct):
    """What to open, and where."""

    ref: _Target
    line: Annotated[int, Meta(ge=1)] = 1
    length: ResponseLength = "medium"


class WebOpen(_BrowseTool):
    """The tool `web_open`."""

    def __init__(self, namespace: BrowseNamespace, settings: BrowseSettings) -> None:
        description = "Open a page at a line: numbered lines, numbered links `[text](3)`, and a ref for web_click and web_find."
        super().__init__("web_open", description, OpenArguments, namespace, settings)

    async def run(self, arguments: OpenArguments, context: CallContext) -> ToolAnswer:
        """Lines of the page."""
        line = arguments.line if arguments.line > 1 else None
        return await self._one(Open(arguments.ref, line), arguments.length, context)


class ClickArguments(msgspec.Struct):
    """Which link of what."""

    ref: _Target
    link: Annotated[int, Meta(ge=1)]
    length: ResponseLength = "medium"


class WebClick(_BrowseTool):
    """The tool `web_click`."""

    def __init__(self, namespace: BrowseNamespace, settings: BrowseSettings) -> None:
        super().__init__("web_click", "Follow a numbered link of an opened page.", ClickArguments, namespace, settings)

    async def run(self, arguments: ClickArguments, context: CallContext) -> ToolAnswer:
        """Lines of the page that the link leads to."""
        return await self._one(Click(arguments.ref, arguments.link), arguments.length, context)


class FindArguments(msgspec.Struct):
    """What to look for, and where."""

    ref: _Target
    pattern: Annotated[str, Meta(description="words; case is ignored", min_length=1, max_length=MOST_PATTERN_CHARS)]


class WebFind(_BrowseTool):
    """The tool `web_find`."""

    def __init__(self, namespace: BrowseNamespace, settings: BrowseSettings) -> None:
        description = "Find a phrase in an opened page, or a section by its heading or #anchor: lines with their numbers."
        super().__init__("web_find", description, FindArguments, namespace, settings)

    async def run(self, arguments: FindArguments, context: CallContext) -> ToolAnswer:
        """Lines of the page that hold the phrase."""
        return await self._one(Find(arguments.ref, arguments.pattern), "medium", context)
