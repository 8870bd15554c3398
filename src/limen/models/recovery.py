"""The action table: what is done about each class of a model's failure. Every gate that recovers acts by it alone."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from limen.core.fault import FaultClass, ModelFault

Then = Literal["fall back", "fold", "give up"]
Resting = Literal["", "key", "route"]


class Recovery(msgspec.Struct, frozen=True):
    """What is done about one class of failure, in this order.

    The same route is tried again up to `retries` times (None: as often as `models.max_retries` says), first after `pause_s`
    seconds, twice as long each time. With `rotate` the provider's other keys are tried before that. Then the key or the route
    `rests` for as long as the provider said, else for `rest_s` seconds, twice as long after each failure in a row up to
    `longest_rest_s`. `then` says how the request goes on: over to the next route, or with a smaller history.
    """

    retries: int | None = 0
    pause_s: float = 0.0
    rotate: bool = False
    rests: Resting = ""
    rest_s: float = 0.0
    longest_rest_s: float = 4 * 3_600.0
    then: Then = "fall back"


RECOVERY: Mapping[FaultClass, Recovery] = {
    "rate": Recovery(1, 2.0, rotate=True, rests="key", rest_s=60.0),
    "quota": Recovery(rotate=True, rests="key", rest_s=3_600.0),
    "billing": Recovery(rotate=True, rests="key", rest_s=3_600.0, longest_rest_s=3_600.0),
    "auth": Recovery(rotate=True, rests="key", rest_s=300.0, longest_rest_s=300.0),
    "overload": Recovery(1, 2.0, rests="route", rest_s=30.0, longest_rest_s=600.0),
    "upstream": Recovery(None, 1.0, rests="route", rest_s=60.0, longest_rest_s=600.0),
    "network": Recovery(None, 0.5, rests="route", rest_s=60.0, longest_rest_s=600.0),
    "reply": Recovery(None, 0.5, rests="route", rest_s=60.0, longest_rest_s=600.0),
    "page": Recovery(rests="route", rest_s=300.0, longest_rest_s=3_600.0),
    "missing": Recovery(rests="route", rest_s=300.0, longest_rest_s=3_600.0),
    "shape": Recovery(),
    "filter": Recovery(),
    "window": Recovery(then="fold"),
}
"""By class. `reply` is a reply that is none, `missing` a model or path that the provider does not have, `shape` any other
request that it does not take."""

CAP_S = 60.0
"""No pause between two attempts is longer, in seconds."""


def recovery_of(fault: ModelFault) -> Recovery:
    """The row for a fault."""
    return RECOVERY[fault.fault_class]
