"""Each wire's inverse by its name."""

from collections.abc import Callable, Mapping

from limen.core.route import WireName
from limen.testing.carried import chat, messages, responses
from limen.testing.carried.body import Carried

SPLITS: Mapping[WireName, Callable[[bytes], Carried]] = {
    "chat_completions": chat.split,
    "anthropic_messages": messages.split,
    "codex_responses": responses.split,
}
