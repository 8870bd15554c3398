"""The extractive model: no language model, no key, no network. It uses the tools it is given and answers with passages.

A pure function of the request, so that a stored conversation replays to the same words.
"""

from collections.abc import AsyncIterator, Iterator

from limen.builtin.models.answer import compose
from limen.builtin.models.conversation import Conversation
from limen.builtin.models.plan import encoded, next_calls
from limen.core.exchange import Delta, ModelReply, ModelRequest, TextDelta, Usage
from limen.core.message import Text, ToolCall


class ExtractiveModel:
    """The wire `embedded`. Asks for tools like any model, at most four rounds a turn; never raises ModelFault."""

    async def send(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        """Deltas of the answer paragraph by paragraph, then the reply; calls come in the reply alone."""
        turn = Conversation(request)
        calls = tuple(
            ToolCall(f"call_{number}", call.name, encoded(call))
            for number, call in enumerate(next_calls(turn), turn.next_call_number)
        )
        if calls:
            yield ModelReply(calls, "tools", Usage(), request.route)
            return
        answer = compose(turn)
        for piece in _paragraphs(answer):
            yield TextDelta(piece)
        yield ModelReply((Text(answer),), "end", Usage(), request.route)


def _paragraphs(text: str) -> Iterator[str]:
    start = 0
    while (end := text.find("\n\n", start)) >= 0:
        yield text[start : end + 2]
        start = end + 2
    yield text[start:]
