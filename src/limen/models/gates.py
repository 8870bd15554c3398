"""The model gates, in their order."""

from limen.models.asking import ModelGate
from limen.models.cache import CacheWatch

MODEL_GATES = ("fallback", "budget", "history", "cache", "credentials", "retry")
"""The gates in front of every wire, outermost first."""


def model_gates(
    *, fallback: ModelGate, budget: ModelGate, history: ModelGate, credentials: ModelGate, retry: ModelGate
) -> tuple[ModelGate, ...]:
    """The gates of `MODEL_GATES`, in that order."""
    gates: dict[str, ModelGate] = {
        "fallback": fallback,
        "budget": budget,
        "history": history,
        "cache": CacheWatch(),
        "credentials": credentials,
        "retry": retry,
    }
    return tuple(gates[name] for name in MODEL_GATES)
