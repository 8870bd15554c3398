"""The model gates that need no file of their own, and their order."""

import msgspec

from limen.core.exchange import ModelReply
from limen.models.asking import Asking, ModelGate, ProceedAsking
from limen.models.credentials import Keyring
from limen.models.history import render
from limen.models.retry import Retry

MODEL_GATES = ("history", "credentials", "retry")
"""The gates in front of every wire, outermost first."""


async def history(asking: Asking, proceed: ProceedAsking) -> ModelReply:
    """Hand on the messages in the order and shape that the route takes."""
    rendered = render(asking.request.messages, asking.request.route)
    request = msgspec.structs.replace(asking.request, messages=rendered.messages)
    return await proceed(msgspec.structs.replace(asking, request=request))


class Credentials:
    """Stops a request whose key is missing or does not belong to its endpoint, before anything is dialled."""

    def __init__(self, keys: Keyring) -> None:
        self._keys = keys

    async def __call__(self, asking: Asking, proceed: ProceedAsking) -> ModelReply:
        route = asking.request.route
        if route.endpoint:
            self._keys.key_for(route.credential, route.endpoint)
        return await proceed(asking)


def model_gates(keys: Keyring, retry: Retry) -> tuple[ModelGate, ...]:
    """The gates of `MODEL_GATES`, in that order."""
    gates: dict[str, ModelGate] = {"history": history, "credentials": Credentials(keys), "retry": retry}
    return tuple(gates[name] for name in MODEL_GATES)
