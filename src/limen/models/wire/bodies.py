"""A request's bytes by the name of its wire, for those that send nothing."""

from collections.abc import Callable, Mapping

from limen.core.exchange import ModelRequest
from limen.core.route import WireName
from limen.models.wire import chat_body, messages_body, responses_body

_ENCODERS: Mapping[WireName, Callable[[ModelRequest], bytes]] = {
    "chat_completions": chat_body.encode,
    "anthropic_messages": messages_body.encode,
    "codex_responses": responses_body.encode,
}


def encoded(request: ModelRequest) -> bytes:
    """A request as the wire of its route sends it over HTTP."""
    return _ENCODERS[request.route.wire](request)
