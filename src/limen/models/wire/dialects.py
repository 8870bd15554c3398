"""Every protocol that goes over HTTP, by the name of its wire."""

from collections.abc import Mapping

from limen.core.route import WireName
from limen.models.wire.chat import CHAT
from limen.models.wire.messages import MESSAGES
from limen.models.wire.responses import RESPONSES
from limen.models.wire.stream import Dialect

DIALECTS: Mapping[WireName, Dialect] = {
    "chat_completions": CHAT,
    "anthropic_messages": MESSAGES,
    "codex_responses": RESPONSES,
}
