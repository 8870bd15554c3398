"""Which protocol an endpoint speaks, as far as its address says."""

from limen.core.fault import Refusal
from limen.core.route import WireName
from limen.net.host import lies_in
from limen.net.url import parse


def wire_at(endpoint: str, otherwise: WireName) -> WireName:
    """The protocol of an endpoint: by its host and path where these are known for one, else `otherwise`.

    Servers of several protocols serve Anthropic's below a path that ends in `/anthropic`, before or behind the version.
    """
    parsed = parse(endpoint)
    if isinstance(parsed, Refusal):
        return otherwise
    path = parsed.path.rstrip("/").lower()
    if lies_in(parsed.host, "api.anthropic.com") or path.removesuffix("/v1").endswith("/anthropic"):
        return "anthropic_messages"
    if lies_in(parsed.host, "chatgpt.com") and path.endswith("/backend-api/codex"):
        return "codex_responses"
    return otherwise
