"""The wire `chat_completions`: OpenAI's protocol, as many servers speak it."""

from limen.core.route import Route
from limen.models.wire.chat_body import encode
from limen.models.wire.chat_reply import ChatGathering
from limen.models.wire.stream import Dialect


def _path(_route: Route) -> str:
    return "/chat/completions"


CHAT = Dialect(_path, encode, ChatGathering)
