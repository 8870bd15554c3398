"""A second model for small jobs, apart from the one that answers: titles, summaries, a question about one page."""

from collections.abc import Awaitable, Callable

from limen.core.context import silent
from limen.core.exchange import ModelRequest
from limen.core.ledger import Origin, Trust
from limen.core.message import Message, Text, text_of
from limen.core.ports import Completion
from limen.core.prompt import Prompt, PromptPart
from limen.core.route import Route
from limen.models.classify import fault
from limen.models.model import Model

# Code and prose of many languages lie between two and five characters a token; a little of the window stays free for framing.
_CHARS_PER_TOKEN = 2.5
_FRAMING_TOKENS = 200


class AuxiliaryModel:
    """The `Auxiliary` port: one request, no tools, no history. `resolve` gives the configured route at each call."""

    def __init__(self, model: Model, resolve: Callable[[], Awaitable[Route]]) -> None:
        self._model = model
        self._resolve = resolve

    async def room_chars(self, *, output_tokens: int = 512) -> int:
        """About how many characters fit into one request, by the route's window."""
        route = await self._resolve()
        room_tokens = route.window_tokens - min(output_tokens, route.output_tokens) - _FRAMING_TOKENS
        return max(int(room_tokens * _CHARS_PER_TOKEN), 0)

    async def complete(self, task: str, text: str, *, output_tokens: int = 512) -> Completion:
        """What the model makes of `text` when it is told `task`. A reply without words is a ModelFault `shape` or `filter`."""
        route = await self._resolve()
        origin = Origin("identity", "auxiliary", Trust.OPERATOR)
        request = ModelRequest(
            route,
            Prompt(stable=(PromptPart(Text(task), origin),)),
            (Message("user", (Text(text),)),),
            output_tokens=min(output_tokens, route.output_tokens),
            may_call=False,
        )
        reply = await self._model.ask(request, silent)
        said = text_of(reply.blocks).strip()
        if reply.stop == "filter":
            raise fault("filter", f"{route.name} withheld its reply")
        if not said:
            raise fault("shape", f"{route.name} answered without a word")
        return Completion(said, reply.route.name, reply.usage, cut=reply.stop == "length")
