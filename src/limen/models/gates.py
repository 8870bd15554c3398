"""The model gates that need no file of their own, and their order."""

from limen.core.exchange import ModelReply
from limen.models.asking import Asking, ModelGate, ProceedAsking
from limen.models.cache import CacheWatch
from limen.models.credentials import Keyring

MODEL_GATES = ("fallback", "history", "cache", "credentials", "retry")
"""The gates in front of every wire, outermost first."""


class Credentials:
    """Stops a request whose key is missing or does not belong to its endpoint, before anything is dialled."""

    def __init__(self, keys: Keyring) -> None:
        self._keys = keys

    async def __call__(self, asking: Asking, proceed: ProceedAsking) -> ModelReply:
        route = asking.request.route
        if route.endpoint:
            self._keys.key_for(route.credential, route.endpoint)
        return await proceed(asking)


def model_gates(*, fallback: ModelGate, history: ModelGate, credentials: ModelGate, retry: ModelGate) -> tuple[ModelGate, ...]:
    """The gates of `MODEL_GATES`, in that order."""
    gates: dict[str, ModelGate] = {
        "fallback": fallback,
        "history": history,
        "cache": CacheWatch(),
        "credentials": credentials,
        "retry": retry,
    }
    return tuple(gates[name] for name in MODEL_GATES)
