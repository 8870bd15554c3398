"""The wire `anthropic_messages`: Anthropic's protocol, as it and others speak it."""

from limen.core.route import Route
from limen.models.wire.messages_body import encode
from limen.models.wire.messages_reply import MessagesGathering
from limen.models.wire.stream import Dialect


def _path(route: Route) -> str:
    """Endpoints are written with their version or, as the vendor's own clients take them, without."""
    return "/messages" if route.endpoint.rstrip("/").endswith("/v1") else "/v1/messages"


MESSAGES = Dialect(_path, encode, MessagesGathering)
