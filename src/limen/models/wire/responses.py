"""The wire `codex_responses`: OpenAI's Responses protocol, as it, Codex and others speak it."""

from limen.core.route import Route
from limen.models.wire.responses_body import encode
from limen.models.wire.responses_reply import ResponsesGathering
from limen.models.wire.stream import Dialect


def _path(_route: Route) -> str:
    return "/responses"


RESPONSES = Dialect(_path, encode, ResponsesGathering, hides_its_cap=True)
